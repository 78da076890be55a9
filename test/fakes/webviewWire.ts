/** What a message to a web view becomes on its way through VS Code. */

/** The arguments of a call are counted in one byte. */
const COUNTED = 256;
/** Beside the buffers go the panel's handle and the message's text. */
const OTHER_ARGUMENTS = 2;

type TypedArray = Float64Array | Float32Array | Int32Array | Int16Array | Uint8Array;

/**
 * The message as the page gets it. VS Code sends the buffers behind typed arrays as arguments of one call, each buffer once, and
 * counts the arguments in one byte: `serializeWebviewMessage` in `extHostWebviewMessaging.ts` and `writeMixedArray` in
 * `rpcProtocol.ts` of microsoft/vscode. Arrays whose buffer is lost arrive empty.
 */
export function throughWebview<Message>(message: Message): Message {
  const buffers = new Set<ArrayBufferLike>();
  mapArrays(message, (array) => buffers.add(array.buffer));
  const arrived = ((buffers.size + OTHER_ARGUMENTS) % COUNTED) - OTHER_ARGUMENTS;
  const copies = new Map([...buffers].slice(0, arrived).map((buffer) => [buffer, buffer.slice(0)]));
  return mapArrays(message, (array) => {
    const Typed = array.constructor as Float64ArrayConstructor; // of the array's own type
    const copy = copies.get(array.buffer);
    return copy === undefined ? new Typed() : new Typed(copy, array.byteOffset, array.length);
  }) as Message; // the same shape
}

function mapArrays(value: unknown, map: (array: TypedArray) => unknown): unknown {
  if (ArrayBuffer.isView(value)) return map(value as TypedArray); // no message holds a DataView
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => mapArrays(each, map));
  const entries = Object.entries(value).map(([key, each]) => [key, mapArrays(each, map)]);
  return Object.fromEntries(entries);
}

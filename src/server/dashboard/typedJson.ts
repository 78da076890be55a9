/** Serializes page messages as JSON, including typed arrays. */

import { AppError } from "../../core/errors.ts";
import { TYPED_ARRAYS, type TypedArrayJson } from "../../shared/browserMessages.ts";

/** Read by `webview-ui/model/shell.ts`. @throws AppError `invariant` for a typed array that pages do not support */
export function typedJson(message: object): string {
  return JSON.stringify(message, (_, value: unknown): unknown => {
    if (!ArrayBuffer.isView(value)) return value;
    const { name } = value.constructor;
    if (!isKnown(name)) throw new AppError("invariant", `Pages cannot read ${name}.`);
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const own: TypedArrayJson = { typedArray: name, bytes: bytes.toString("base64") };
    return own;
  });
}

function isKnown(name: string): name is keyof typeof TYPED_ARRAYS {
  return Object.hasOwn(TYPED_ARRAYS, name);
}

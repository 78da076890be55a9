/** The safetensors container: an 8-byte header length, a JSON header, raw little-endian tensors. */

import * as z from "zod";
import { AppError } from "../../core/errors.ts";

export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export interface Safetensors {
  readonly tensors: ReadonlyMap<string, Tensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

const tensorSchema = z.object({
  dtype: z.enum(["F32", "F16"]),
  shape: z.array(z.number().int().nonnegative()),
  data_offsets: z.tuple([z.number().int().nonnegative(), z.number().int().nonnegative()]),
});

const headerSchema = z
  .object({ __metadata__: z.record(z.string(), z.string()).default({}) })
  .catchall(tensorSchema);

const MAX_HEADER_BYTES = 16 * 1024 * 1024;

/** Reads F32 and F16 tensors (halves are widened). @throws AppError `safetensors-invalid` */
export function decodeSafetensors(bytes: Uint8Array): Safetensors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 8) throw invalid("it is shorter than its header");
  const headerLength = Number(view.getBigUint64(0, true));
  const start = 8 + headerLength;
  if (headerLength > MAX_HEADER_BYTES || start > bytes.byteLength) {
    throw invalid("its header is cut off");
  }
  const { __metadata__: metadata, ...entries } = parseHeader(bytes.subarray(8, start));
  const body = bytes.subarray(start);
  const tensors = new Map(
    Object.entries(entries).map(([name, entry]) => [name, readTensor(name, entry, body)] as const),
  );
  return { tensors, metadata };
}

function readTensor(name: string, entry: z.infer<typeof tensorSchema>, body: Uint8Array): Tensor {
  const { dtype, shape } = entry;
  const [from, to] = entry.data_offsets;
  const length = shape.reduce((product, size) => product * size, 1);
  if (to - from !== length * (dtype === "F32" ? 4 : 2) || to > body.byteLength) {
    throw invalid(`tensor ${name} does not fit its shape`);
  }
  // A copy: typed arrays need their own alignment, and the slice of a Node buffer would share memory.
  const raw = new Uint8Array(body.subarray(from, to)).buffer;
  return {
    shape,
    data: dtype === "F32" ? new Float32Array(raw) : widenHalves(new Uint16Array(raw)),
  };
}

function parseHeader(bytes: Uint8Array): z.infer<typeof headerSchema> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw invalid("its header is not JSON", cause);
  }
  const parsed = headerSchema.safeParse(json);
  if (!parsed.success) throw invalid("its header has another form");
  return parsed.data;
}

function invalid(why: string, cause?: unknown): AppError {
  return new AppError(
    "safetensors-invalid",
    `This is not a safetensors file that can be read: ${why}.`,
    {
      cause,
    },
  );
}

/** Writes tensors in map order, as 32-bit or 16-bit floats. */
export function encodeSafetensors(contents: Safetensors, dtype: "F32" | "F16"): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: contents.metadata };
  const size = dtype === "F32" ? 4 : 2;
  let offset = 0;
  for (const [name, tensor] of contents.tensors) {
    const end = offset + tensor.data.length * size;
    header[name] = { dtype, shape: tensor.shape, data_offsets: [offset, end] };
    offset = end;
  }
  const unpadded = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = new Uint8Array(Math.ceil(unpadded.length / 8) * 8).fill(0x20);
  headerBytes.set(unpadded);
  const out = new Uint8Array(8 + headerBytes.length + offset);
  new DataView(out.buffer).setBigUint64(0, BigInt(headerBytes.length), true);
  out.set(headerBytes, 8);
  let place = 8 + headerBytes.length;
  for (const tensor of contents.tensors.values()) {
    const raw = dtype === "F32" ? tensor.data : narrowToHalves(tensor.data);
    out.set(new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength), place);
    place += raw.byteLength;
  }
  return out;
}

function widenHalves(halves: Uint16Array): Float32Array {
  const widened = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) widened[i] = widenHalf(halves[i] ?? 0);
  return widened;
}

function widenHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Rounds to nearest, ties to even. */
function narrowToHalves(values: Float32Array): Uint16Array {
  return Uint16Array.from(values, (value) => {
    const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
    const magnitude = Math.abs(value);
    if (Number.isNaN(value)) return 0x7e00;
    if (magnitude >= 65_520) return sign | 0x7c00;
    if (magnitude < 2 ** -14) return sign | roundHalfEven(magnitude * 2 ** 24);
    const exponent = Math.floor(Math.log2(magnitude));
    const fraction = roundHalfEven((magnitude / 2 ** exponent - 1) * 1024);
    // A fraction of 1024 carries into the exponent, which is what addition does here.
    return sign | (((exponent + 15) << 10) + fraction);
  });
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest > 0.5 || (rest === 0.5 && floor % 2 === 1)) return floor + 1;
  return floor;
}

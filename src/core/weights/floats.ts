/** Converts between 32-bit floats and the float types of safetensors files. Little-endian. */

export type FloatType = "F32" | "F16" | "BF16";

export const FLOAT_BYTES: Readonly<Record<FloatType, number>> = { F32: 4, F16: 2, BF16: 2 };

export function isFloatType(dtype: string): dtype is FloatType {
  return dtype in FLOAT_BYTES;
}

/** Converts exactly. */
export function toFloats(bytes: Uint8Array, type: FloatType): Float32Array {
  // A copy, because typed arrays need alignment and the slice of a Node buffer would share memory.
  const { buffer } = new Uint8Array(bytes);
  if (type === "F32") return new Float32Array(buffer);
  const stored = new Uint16Array(buffer);
  const values = new Float32Array(stored.length);
  if (type === "F16") {
    for (let i = 0; i < stored.length; i += 1) values[i] = widenHalf(stored[i] ?? 0);
    return values;
  }
  // The upper half of a 32-bit float: https://en.wikipedia.org/wiki/Bfloat16_floating-point_format
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < stored.length; i += 1) bits[i] = (stored[i] ?? 0) << 16;
  return values;
}

/** Rounds to nearest, ties to even. */
export function fromFloats(values: Float32Array, type: FloatType): Uint8Array {
  const copy = values.slice();
  if (type === "F32") return new Uint8Array(copy.buffer);
  const bits = new Uint32Array(copy.buffer);
  const stored = new Uint16Array(bits.length);
  const narrow = type === "F16" ? narrowToHalf : narrowToUpper;
  for (let i = 0; i < bits.length; i += 1) stored[i] = narrow(bits[i] ?? 0);
  return new Uint8Array(stored.buffer);
}

function widenHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const INFINITE = 0x7f80_0000;
/** 65520; from here on, half floats are infinite. */
const TOO_LARGE = 0x477f_f000;
/** 2 ** -14, the smallest normal half. */
const SMALLEST_NORMAL = 0x3880_0000;
const FLOAT_VIEW = new Float32Array(1);
const BITS_VIEW = new Uint32Array(FLOAT_VIEW.buffer);

/** @param bits of a 32-bit float */
function narrowToHalf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fff_ffff;
  if (magnitude > INFINITE) return 0x7e00;
  if (magnitude >= TOO_LARGE) return sign | 0x7c00;
  if (magnitude < SMALLEST_NORMAL) {
    // Adding 1/2, whose last bit has the weight of a subnormal half's last bit, rounds exactly as the half must.
    BITS_VIEW[0] = magnitude;
    FLOAT_VIEW[0] = (FLOAT_VIEW[0] ?? 0) + 0.5;
    return sign | ((BITS_VIEW[0] ?? 0) - 0x3f00_0000);
  }
  const rebiased = magnitude - ((127 - 15) << 23);
  return sign | ((rebiased + 0xfff + ((rebiased >>> 13) & 1)) >>> 13);
}

/** @param bits of a 32-bit float */
function narrowToUpper(bits: number): number {
  if ((bits & 0x7fff_ffff) > INFINITE) return 0x7fc0;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

/** JSON as used by Weights & Biases: with the literals NaN and Infinity, and integers of any length. */

export type ExtendedValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly ExtendedValue[]
  | ExtendedObject;
export interface ExtendedObject {
  readonly [key: string]: ExtendedValue;
}

/** Starts a placeholder for a value that plain JSON cannot represent. */
const MARK = "\u0000";
const WRITTEN_MARK = '"\\u0000';
/** An unclosed string matches to the end (and so makes the text invalid JSON), to avoid retrying at each of its quotes. */
const TOKEN =
  /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|-?Infinity|NaN|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** True for an object: not null, not a list. */
export function isExtendedObject(value: ExtendedValue | undefined): value is ExtendedObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Writes NaN and infinities as literals instead of `JSON.stringify`'s null. */
export function writeExtended(value: ExtendedValue): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : `${value}`;
  if (Array.isArray(value)) {
    return `[${value.map((item: ExtendedValue) => writeExtended(item)).join(",")}]`;
  }
  if (!isExtendedObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${writeExtended(item)}`,
  );
  return `{${members.join(",")}}`;
}

/** The value, or null if the text is not extended JSON. Integers beyond a double's precision become bigints. */
export function parseExtended(text: string): { readonly value: ExtendedValue } | null {
  try {
    const plain = text.replace(TOKEN, (token, offset: number) => placeholder(token, offset, text));
    return { value: JSON.parse(plain, (_, value: ExtendedValue) => revived(value)) };
  } catch {
    return null;
  }
}

function placeholder(token: string, offset: number, text: string): string {
  if (token.startsWith('"')) {
    const isKey = /^\s*:/.test(text.slice(offset + token.length, offset + token.length + 8));
    return token.startsWith(WRITTEN_MARK) && !isKey ? `${WRITTEN_MARK}${token.slice(1)}` : token;
  }
  if (/^-?\d+$/.test(token)) {
    return isExact(token) ? token : `${WRITTEN_MARK}${token}"`;
  }
  return /^(-?Infinity|NaN)$/.test(token) ? `${WRITTEN_MARK}${token}"` : token;
}

function revived(value: ExtendedValue): ExtendedValue {
  if (typeof value !== "string" || !value.startsWith(MARK)) return value;
  const held = value.slice(MARK.length);
  if (held.startsWith(MARK)) return held;
  return /^-?\d+$/.test(held) ? BigInt(held) : Number(held);
}

/** True for integers that survive conversion to a number and back. */
function isExact(digits: string): boolean {
  const number = Number(digits);
  return Number.isSafeInteger(number) || String(number) === digits;
}

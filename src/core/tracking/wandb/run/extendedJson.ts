/** JSON as it travels to Weights & Biases: with the bare words NaN and Infinity, and whole numbers of any length. */

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

/** Begins a placeholder for what plain JSON cannot hold. */
const MARK = "\u0000";
const WRITTEN_MARK = '"\\u0000';
/** A string that is not closed reaches to the end, so that its quotes are not tried one by one; it makes the text no JSON. */
const TOKEN =
  /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|-?Infinity|NaN|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** True for an object: not null, not a list. */
export function isExtendedObject(value: ExtendedValue | undefined): value is ExtendedObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Writes NaN and the infinities as bare words, instead of the null that `JSON.stringify` makes of them. */
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

/** The value, or null for a text that is not extended JSON. Whole numbers that a number cannot hold become bigints. */
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

/** True for whole numbers that come out as they went in. */
function isExact(digits: string): boolean {
  const number = Number(digits);
  return Number.isSafeInteger(number) || String(number) === digits;
}

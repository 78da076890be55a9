/** The digits of base64, or hexadecimal ones, in a text, without what stands between them: line ends, indents, separators, prefixes. */

export interface FoundDigits {
  /** One character each. */
  readonly digits: string;
  /** Where the digit of that index is in the text. */
  readonly placeOf: (digit: number) => number;
}

/** `between` matches all that is no digit. */
export function digitsOf(text: string, between: RegExp): FoundDigits {
  // Hardly any text holds a secret, so that places are not kept while digits are gathered.
  let places: Int32Array | null = null;
  const digits = text.replace(between, "");
  return {
    digits,
    placeOf: (digit) => {
      places ??= placesOf(text, between, digits.length);
      return places[digit] ?? text.length;
    },
  };
}

function placesOf(text: string, between: RegExp, count: number): Int32Array {
  const places = new Int32Array(count);
  let found = 0;
  let at = 0;
  const keep = (end: number): void => {
    while (at < end) places[found++] = at++;
  };
  for (const { 0: gap, index } of text.matchAll(between)) {
    keep(index);
    at += gap.length;
  }
  keep(text.length);
  return places;
}

/** The characters that a secret can be written with, in any encoding; any other character ends a text to decode. */

/** What a character can be a part of. */
export const KIND = {
  none: 0,
  /** A secret, or digits. */
  part: 1,
  /** An escape as well, behind its first character. */
  escapePart: 2,
  escapeStart: 3,
  lineEnd: 4,
  /** A secret, or the indent of a line of digits. */
  blankPart: 5,
  /** The indent of a line of digits. */
  blank: 6,
  /** An escape, behind its first character. */
  quote: 7,
} as const;

export interface Alphabet {
  /** A {@link KIND} for each UTF-16 code unit. */
  readonly kinds: Uint8Array;
  /** Which bytes can stand for such a character. */
  readonly isByte: readonly boolean[];
  /** No encoding makes a secret shorter than so many UTF-16 code units. */
  readonly minLength: number;
  /** A character that is none of them. */
  readonly separator: string;
}

/** `values` are the secrets, at least one. */
export function alphabetOf(values: readonly string[]): Alphabet {
  const kinds = new Uint8Array(2 ** 16);
  const give = (characters: string, kind: number): void => {
    for (let i = 0; i < characters.length; i++) kinds[characters.charCodeAt(i)] = kind;
  };
  give(" \t", KIND.blank);
  give("\"'", KIND.quote);
  for (const form of values.flatMap(formsOf)) give(form, KIND.part);
  for (const blank of " \t") if (kindOf(kinds, blank) === KIND.part) give(blank, KIND.blankPart);
  for (const quote of "\"'") if (kindOf(kinds, quote) === KIND.part) give(quote, KIND.escapePart);
  give("+/-", KIND.part);
  give("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_#;", KIND.escapePart);
  give("\\%&", KIND.escapeStart);
  give("\r\n", KIND.lineEnd);
  return {
    kinds,
    isByte: Array.from({ length: 256 }, (_, byte) => kinds[byte] !== KIND.none),
    minLength: Math.min(...values.map((value) => value.replaceAll("\r\n", "\n").length)),
    separator: String.fromCharCode(kinds.indexOf(KIND.none, FIRST_OF_PRIVATE_USE)),
  };
}

const FIRST_OF_PRIVATE_USE = 0xe000;

function kindOf(kinds: Uint8Array, character: string): number | undefined {
  return kinds[character.charCodeAt(0)];
}

/** What characters may stand as in a decoded text: as they are, well-formed, or as UTF-8 bytes, each as one character. */
export function formsOf(characters: string): readonly string[] {
  const bytes = new TextEncoder().encode(characters);
  // Half a surrogate pair has no bytes of its own: encoders put U+FFFD in its place.
  const wellFormed = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return [characters, wellFormed, Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")];
}

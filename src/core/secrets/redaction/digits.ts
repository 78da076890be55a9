/** Finds secrets written in base64 or hexadecimal. */

import { escapePattern } from "../../util/escapePattern.ts";
import { joined, NO_SPANS, type Span, spansDecoded } from "./spans.ts";

interface Digits {
  /** Everything that is not a digit: line ends, indentation, anything printed around the lines. */
  readonly between: string;
  /** Number of leading digits to search for first; these rarely occur by chance. */
  readonly beginning: number;
  /** Pattern for one digit. A digit must not match `between` as well, or the search would backtrack. */
  readonly patternOf: (digit: string) => string;
  /** True if upper and lower case are equivalent. */
  readonly isAnyCase: boolean;
  /** All digit forms of the bytes, independent of what is written before and after them. */
  readonly formsOf: (bytes: Uint8Array) => readonly string[];
}

const DIGITS: readonly Digits[] = [
  {
    between: "[^\\w+/-]",
    beginning: 5,
    patternOf: escapePattern,
    isAnyCase: false,
    formsOf: base64Forms,
  },
  {
    // Includes the `0x` prefixes of bytes.
    between: "(?:[^\\da-fA-F]|0[xX])",
    beginning: 8,
    patternOf: (digit) => (digit === "0" ? "0(?![xX])" : digit),
    isAnyCase: true,
    formsOf: hexForms,
  },
];

/** Finds texts written as digits, whatever is between the digits. */
export type DigitSearch = (text: string) => readonly Span[];

/** Builds a search for all `texts`. */
export function digitSearch(texts: readonly string[]): DigitSearch {
  const bytes = texts.map((text) => new TextEncoder().encode(text));
  const searches = DIGITS.map(
    ({ between, beginning, patternOf, isAnyCase, formsOf }): DigitSearch => {
      const forms = [...new Set(bytes.flatMap(formsOf))];
      const beginnings = new Set(forms.map((form) => form.slice(0, beginning)));
      const first = [...beginnings].map((digits) =>
        Array.from(digits, (digit) => patternOf(digit)).join(`${between}*`),
      );
      const isPossible = new RegExp(first.join("|"), isAnyCase ? "i" : "");
      const withoutGaps = { pattern: new RegExp(`${between}+`, "g"), meaningOf: () => "" };
      const find = (digits: string): readonly Span[] =>
        joined(
          forms.flatMap((form) => occurrencesOf(isAnyCase ? digits.toLowerCase() : digits, form)),
        );
      return (text) => (isPossible.test(text) ? spansDecoded(text, withoutGaps, find) : NO_SPANS);
    },
  );
  return (text) => searches.flatMap((search) => search(text));
}

function base64Forms(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const form = base64Of(bytes, shift);
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function hexForms(bytes: Uint8Array): readonly string[] {
  return [Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")];
}

/** The base64 digits that depend only on `bytes` if `shift` other bytes precede them. */
function base64Of(bytes: Uint8Array, shift: number): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const first = Math.ceil((shift * 8) / 6);
  const end = Math.floor(((shift + bytes.length) * 8) / 6);
  return btoa("\0".repeat(shift) + text).slice(first, end);
}

function occurrencesOf(digits: string, form: string): readonly Span[] {
  const found: Span[] = [];
  for (let at = digits.indexOf(form); at >= 0; at = digits.indexOf(form, at + 1)) {
    found.push({ start: at, end: at + form.length });
  }
  return found;
}

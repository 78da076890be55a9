/** Finds texts that are written as digits of base64 or as hexadecimal ones. */

import { escapePattern } from "../../util/escapePattern.ts";
import type { Span } from "./escapes.ts";

interface Digits {
  /** All that is no digit: line ends, indents, what a program puts around its lines. */
  readonly between: string;
  /** So many at the beginning of a form are looked for first: chance hardly ever has them in this order. */
  readonly beginning: number;
  /** The pattern of a digit; no digit can be read as a part of what is between, so that a search takes one way through a text. */
  readonly patternOf: (digit: string) => string;
  /** True where capitals mean the same. */
  readonly isAnyCase: boolean;
  /** How bytes are written, whatever is written before and behind them. */
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
    // With the prefixes of bytes.
    between: "(?:[^\\da-fA-F]|0[xX])",
    beginning: 8,
    patternOf: (digit) => (digit === "0" ? "0(?![xX])" : digit),
    isAnyCase: true,
    formsOf: hexForms,
  },
];

/** Finds texts that are written as digits, whatever stands between two of them. */
export type DigitSearch = (text: string) => readonly Span[];

/** A search for all `texts`. */
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
      const gaps = new RegExp(`${between}+`, "g");
      return (text) => {
        if (!isPossible.test(text)) return [];
        const digits = text.replace(gaps, "");
        const found = forms.flatMap((form) =>
          placesIn(isAnyCase ? digits.toLowerCase() : digits, form),
        );
        return found.length === 0 ? found : inText(found, text, gaps, digits.length);
      };
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

/** The digits that depend on `bytes` alone where so many others come before. */
function base64Of(bytes: Uint8Array, shift: number): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const first = Math.ceil((shift * 8) / 6);
  const end = Math.floor(((shift + bytes.length) * 8) / 6);
  return btoa("\0".repeat(shift) + text).slice(first, end);
}

function placesIn(digits: string, form: string): readonly Span[] {
  const found: Span[] = [];
  for (let at = digits.indexOf(form); at >= 0; at = digits.indexOf(form, at + 1)) {
    found.push({ start: at, end: at + form.length });
  }
  return found;
}

/** Where in the text the digits of `spans` are. */
function inText(
  spans: readonly Span[],
  text: string,
  gaps: RegExp,
  count: number,
): readonly Span[] {
  const places = new Int32Array(count);
  let found = 0;
  let at = 0;
  const keep = (end: number): void => {
    while (at < end) places[found++] = at++;
  };
  for (const { 0: gap, index } of text.matchAll(gaps)) {
    keep(index);
    at += gap.length;
  }
  keep(text.length);
  const placeOf = (digit: number): number => places[digit] ?? 0;
  return spans.map(({ start, end }) => ({ start: placeOf(start), end: placeOf(end - 1) + 1 }));
}

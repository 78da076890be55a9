/** What digits stand for: those of base64, and hexadecimal ones. */

import type { Decoding, Span } from "./decoded.ts";

/** Digits of base64 in both alphabets, and those that can hold the first bit of the first, second and third byte if it is 0. */
const BASE64_DIGIT = "[\\w+/-]";
const BASE64_OF_ASCII = ["[A-Za-f]", "[A-HQ-Xg-nw-z0-3]", "[ABEFIJMNQRUVYZcdghklopstwx014589]"];
const HEX_DIGIT = "[\\da-fA-F]";
/** Lines that follow each other are one, whatever their length and indent. */
const LINE_BREAK = "\\r?\\n[ \\t]*";
const SIX_OF_ASCII = /[\0-\x7f]{6,}/g;
const SIX_OF_TEXT =
  /(?:[\0-\x7f]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}){6,}/g;

export const DIGITS_OF_ASCII: readonly Decoding[] = [
  digits({
    runs: runsOf(BASE64_DIGIT, [0, 1, 2].map(base64OfAscii).join("|")),
    text: SIX_OF_ASCII,
    bytesOf: bytesOfBase64,
    bitsOfDigit: 6,
  }),
  digits({
    runs: runsOf(HEX_DIGIT, inLines(Array(6).fill(["[0-7]", HEX_DIGIT]).flat())),
    text: SIX_OF_ASCII,
    bytesOf: bytesOfHex,
    bitsOfDigit: 4,
  }),
];
export const DIGITS_OF_TEXT: readonly Decoding[] = [
  digits({
    runs: runsOf(BASE64_DIGIT, inLines(Array(8).fill(BASE64_DIGIT))),
    text: SIX_OF_TEXT,
    bytesOf: bytesOfBase64,
    bitsOfDigit: 6,
  }),
  digits({
    runs: runsOf(HEX_DIGIT, inLines(Array(12).fill(HEX_DIGIT))),
    text: SIX_OF_TEXT,
    bytesOf: bytesOfHex,
    bitsOfDigit: 4,
  }),
];

/** Digits in one or several lines, `sign` somewhere in the first or from there on. */
function runsOf(digit: string, sign: string): RegExp {
  const run = `${digit}+(?:${LINE_BREAK}${digit}+)*`;
  return new RegExp(`(?<!${digit})(?=${digit}*?(?:${sign}))${run}`, "g");
}

/** Six bytes of ASCII, of which the first is the `first` of three. */
function base64OfAscii(first: number): string {
  const digits = [0, 1, 2, 3, 4, 5].flatMap((byte) => {
    const place = (first + byte) % 3;
    const digit = BASE64_OF_ASCII[place] ?? BASE64_DIGIT;
    return place === 2 && byte < 5 ? [digit, BASE64_DIGIT] : [digit];
  });
  return inLines(digits);
}

function inLines(digits: readonly string[]): string {
  return digits.join(`(?:${LINE_BREAK})?`);
}

interface DigitsOptions {
  readonly runs: RegExp;
  /** What bytes, each as one character, must be to matter. */
  readonly text: RegExp;
  readonly bytesOf: (digits: string) => string;
  readonly bitsOfDigit: 4 | 6;
}

/** Bytes that are written as digits, where they may be a text. Where the first byte begins is not known: each digit is tried. */
function digits({ runs, text, bytesOf, bitsOfDigit }: DigitsOptions): Decoding {
  const offsets = bitsOfDigit === 6 ? [0, 1, 2, 3] : [0, 1];
  return function* (source) {
    for (const { 0: run, index } of source.matchAll(runs)) {
      const all = run.replace(/\s+/g, "");
      for (const offset of offsets) {
        for (const { 0: found, index: firstByte } of bytesOf(all.slice(offset)).matchAll(text)) {
          const digitOf = (byte: number) => offset + ((firstByte + byte) * 8) / bitsOfDigit;
          yield { text: found, sourceOf: (spans) => digitsFrom(spans, digitOf, { run, index }) };
        }
      }
    }
  };
}

function digitsFrom(
  spans: readonly Span[],
  digitOf: (byte: number) => number,
  { run, index }: { readonly run: string; readonly index: number },
): readonly Span[] {
  const isWrapped = run.includes("\n");
  const places = isWrapped ? Array.from(run.matchAll(/\S/g), (digit) => digit.index) : null;
  const placeOf = (digit: number): number => index + (places?.[digit] ?? digit);
  return spans.map(({ start, end }) => ({
    start: placeOf(Math.floor(digitOf(start))),
    end: placeOf(Math.ceil(digitOf(end)) - 1) + 1,
  }));
}

/** In both alphabets, without padding; a last digit that makes no byte is left out. */
function bytesOfBase64(digits: string): string {
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return atob(/[-_]/.test(whole) ? whole.replaceAll("-", "+").replaceAll("_", "/") : whole);
}

function bytesOfHex(digits: string): string {
  let bytes = "";
  for (let at = 0; at + 1 < digits.length; at += 2) {
    bytes += String.fromCharCode(Number.parseInt(digits.slice(at, at + 2), 16));
  }
  return bytes;
}

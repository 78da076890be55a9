/** What digits stand for: those of base64, and hexadecimal ones. */

import type { Alphabet } from "./alphabet.ts";
import type { Decoded, Decoding, Span } from "./decoded.ts";
import { digitsOf, type FoundDigits } from "./digitsOf.ts";

/** Number of arguments that a call takes on every engine. */
const MOST_ARGUMENTS = 4096;

interface Digits {
  /** What can stand between two of them. */
  readonly between: RegExp;
  /** All digits in order, of one alphabet after the other. */
  readonly alphabets: readonly string[];
  readonly bitsOfDigit: 4 | 6;
  /** Digits after which a digit begins with a byte again. */
  readonly period: number;
  /** Bytes, each as one character; digits at the end that make no byte are left out. */
  readonly bytesOf: (digits: string) => string;
}

const LETTERS_AND_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const DIGITS: readonly Digits[] = [
  {
    between: /[^\w+/-]+/g,
    alphabets: [`${LETTERS_AND_DIGITS}+/`, `${LETTERS_AND_DIGITS}-_`],
    bitsOfDigit: 6,
    period: 4,
    bytesOf: bytesOfBase64,
  },
  {
    between: /(?:[^\da-fA-F]|0[xX])+/g,
    alphabets: ["0123456789abcdef", "0123456789ABCDEF"],
    bitsOfDigit: 4,
    period: 2,
    bytesOf: bytesOfHex,
  },
];

/** Digits of one kind, where they may stand for a secret. */
interface DigitSearch extends Digits, Pick<Alphabet, "isByte" | "minLength"> {
  /** For each ASCII code the places in a period, each as a bit, where it can stand in a secret. */
  readonly places: Uint8Array;
  /** So many digits in a row stand where they can whenever they hold a secret. */
  readonly minDigits: number;
}

/** Bytes that are written as digits, where they may be a secret. Where the first byte begins is not known: each digit is tried. */
export function digitDecoding(alphabet: Alphabet): Decoding {
  const searches = DIGITS.map((digits) => ({
    ...digits,
    ...alphabet,
    places: placesOfDigits(digits, alphabet),
    // The last digit of a secret may hold a part of what follows.
    minDigits: Math.floor((alphabet.minLength * 8) / digits.bitsOfDigit),
  }));
  return (source) =>
    searches.flatMap((search) => decodedFrom(digitsOf(source, search.between), search));
}

function placesOfDigits({ alphabets, bitsOfDigit, period }: Digits, { isByte }: Alphabet) {
  const places = new Uint8Array(128);
  for (let place = 0; place < period; place++) {
    const start = place * bitsOfDigit;
    const end = start + bitsOfDigit;
    const byteStart = Math.floor((end - 1) / 8) * 8;
    // Of a digit in two bytes, what the second shows decides: any character can end as the first one does.
    const mask = 2 ** (end - Math.max(start, byteStart)) - 1;
    const shift = byteStart + 8 - end;
    const shown = new Set(
      isByte.flatMap((isWanted, byte) => (isWanted ? (byte >> shift) & mask : [])),
    );
    for (const digits of alphabets) {
      for (let value = 0; value < digits.length; value++) {
        const code = digits.charCodeAt(value);
        if (shown.has(value & mask)) places[code] = (places[code] ?? 0) | (1 << place);
      }
    }
  }
  return places;
}

function decodedFrom(source: FoundDigits, search: DigitSearch): readonly Decoded[] {
  const { bitsOfDigit, period, bytesOf, places, minDigits, isByte, minLength } = search;
  const { digits } = source;
  const found: Decoded[] = [];
  for (let phase = 0; phase < period && digits.length - phase >= minDigits; phase++) {
    const stands = (at: number): boolean =>
      ((places[digits.charCodeAt(at)] ?? 0) & (1 << ((at - phase) % period))) !== 0;
    for (const { start, end } of stretches(
      { start: phase, end: digits.length },
      minDigits,
      stands,
    )) {
      const first = start - ((start - phase) % period);
      const bytes = bytesOf(digits.slice(first, end + 1));
      const isWanted = (at: number): boolean => isByte[bytes.charCodeAt(at)] === true;
      for (const part of stretches({ start: 0, end: bytes.length }, minLength, isWanted)) {
        const digitOf = (at: number): number => first + ((part.start + at) * 8) / bitsOfDigit;
        found.push({
          text: bytes.slice(part.start, part.end),
          sourceOf: (spans) => spans.map((span) => digitsFrom(span, digitOf, source)),
        });
      }
    }
  }
  return found;
}

/** Where at least `minLength` places (one or more) follow each other that fit. */
function stretches(
  { start, end }: Span,
  minLength: number,
  fits: (at: number) => boolean,
): readonly Span[] {
  const found: Span[] = [];
  for (let first = start; first + minLength <= end; ) {
    // From the last one, so that most need not be looked at.
    let at = first + minLength - 1;
    while (at >= first && fits(at)) at--;
    if (at < first) {
      at = first + minLength;
      while (at < end && fits(at)) at++;
      found.push({ start: first, end: at });
    }
    first = at + 1;
  }
  return found;
}

function digitsFrom(
  { start, end }: Span,
  digitOf: (byte: number) => number,
  { placeOf }: FoundDigits,
): Span {
  const [first, last] = [Math.floor(digitOf(start)), Math.ceil(digitOf(end)) - 1];
  return { start: placeOf(first), end: placeOf(last) + 1 };
}

function bytesOfBase64(digits: string): string {
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return atob(/[-_]/.test(whole) ? whole.replaceAll("-", "+").replaceAll("_", "/") : whole);
}

function bytesOfHex(digits: string): string {
  const bytes = Uint8Array.from(
    { length: Math.floor(digits.length / 2) },
    (_, index) => 16 * hexValue(digits, 2 * index) + hexValue(digits, 2 * index + 1),
  );
  let text = "";
  for (let at = 0; at < bytes.length; at += MOST_ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(at, at + MOST_ARGUMENTS));
  }
  return text;
}

/** `0` to `9` end in their value; `A` and `a` have the last four bits 0001. */
function hexValue(digits: string, at: number): number {
  const code = digits.charCodeAt(at);
  return (code & 15) + (code > 64 ? 9 : 0);
}

/** Digits of base64 that follow each other, in one or several lines. Hexadecimal digits are among them. */

import type { Span } from "./decoded.ts";

export interface DigitRun {
  /** Without what is between lines. */
  readonly digits: string;
  /** Where its lines are in the text. */
  readonly lines: readonly DigitLine[];
}

interface DigitLine extends Span {
  /** How many digits of the run stand before it. */
  readonly firstDigit: number;
}

/** For each UTF-16 code unit 1 or 0. */
const IS_DIGIT = Uint8Array.from({ length: 2 ** 16 }, (_, code) =>
  /[\w+/-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

/** All with `minDigits` and more. Lines that follow each other are one, whatever their length and indent. */
export function digitRuns(text: string, minDigits: number): readonly DigitRun[] {
  const found: DigitRun[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfDigits(text, at);
    const next = nextLine(text, end);
    if (end > at && next > end && isDigit(text, next)) {
      const run = severalLines(text, { start: at, end, firstDigit: 0 });
      if (run.digits.length >= minDigits) found.push(run);
      at = run.lines.at(-1)?.end ?? end;
    } else if (end - at >= minDigits) {
      found.push({ digits: text.slice(at, end), lines: [{ start: at, end, firstDigit: 0 }] });
    }
    at = Math.max(at, end) + 1;
  }
  return found;
}

function severalLines(text: string, first: DigitLine): DigitRun {
  const lines = [first];
  for (let line = first; ; ) {
    const start = nextLine(text, line.end);
    if (start === line.end || !isDigit(text, start)) break;
    const firstDigit = line.firstDigit + line.end - line.start;
    line = { start, end: endOfDigits(text, start), firstDigit };
    lines.push(line);
  }
  return { digits: lines.map(({ start, end }) => text.slice(start, end)).join(""), lines };
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (end < text.length && IS_DIGIT[text.charCodeAt(end)] === 1) end++;
  return end;
}

function isDigit(text: string, at: number): boolean {
  return at < text.length && IS_DIGIT[text.charCodeAt(at)] === 1;
}

/** Where the digit of that index is in the text. */
export function digitOffset({ lines }: DigitRun, digit: number): number {
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lines[middle]?.firstDigit ?? 0) <= digit) low = middle;
    else high = middle - 1;
  }
  const line = lines[low];
  return line === undefined ? digit : line.start + digit - line.firstDigit;
}

/** Where a line begins behind the line end and the indent that may be at `at`; `at` where there is none. */
function nextLine(text: string, at: number): number {
  let next = at;
  if (next < text.length && text.charCodeAt(next) === CARRIAGE_RETURN) next++;
  if (next >= text.length || text.charCodeAt(next) !== LINE_FEED) return at;
  next++;
  while (text[next] === " " || text[next] === "\t") next++;
  return next;
}

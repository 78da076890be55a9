/** `number`: the same value in any notation. */

import { boxContent, finalAnswer } from "./finalAnswer.ts";
import { answerText, type Grader, type Reference } from "./grader.ts";
import { isClose, type Tolerance } from "./tolerance.ts";

/** The most of a wrong answer that a message shows. */
const SHOWN_CHARACTERS = 60;
/** Longer answers are not numbers. */
const MAX_CHARACTERS = 300;

interface Quantity {
  readonly value: number;
  /** True if written with a percent sign, which `value` ignores: 50 for `50%`. */
  readonly isPercent: boolean;
  /** Lower case without spaces; empty if there is none. */
  readonly unit: string;
}

/**
 * Compares values. The unit of the correct answer may be omitted but not replaced, and a correct answer without a unit allows none.
 * If only one of the two has a percent sign, `50%` equals both 50 and 0.5.
 */
export function numberGrader(tolerance: Tolerance): Grader {
  return {
    fault(reference) {
      if (rightQuantity(reference) !== null) return null;
      const shown = JSON.stringify(answerText(reference).slice(0, SHOWN_CHARACTERS));
      return `is ${shown}, not a number, which the grader \`number\` needs`;
    },
    isRight(answer, reference) {
      const expected = rightQuantity(reference);
      const given = parseQuantity(finalAnswer(answer));
      if (expected === null || given === null) return false;
      if (given.unit !== "" && given.unit !== expected.unit) return false;
      const isSame = (value: number): boolean => isClose(value, expected.value, tolerance);
      if (given.isPercent === expected.isPercent) return isSame(given.value);
      return isSame(given.value) || isSame(given.isPercent ? given.value / 100 : given.value * 100);
    },
    rule: "Answer with a number.",
  };
}

/** If the correct answer includes its derivation, as in GSM8K, the last line counts. */
function rightQuantity(reference: Reference): Quantity | null {
  return parseQuantity(finalAnswer(answerText(reference)));
}

const DIGITS = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+`;
/** A decimal number with an exponent such as `e3` or `*10^3`. */
const DECIMAL = new RegExp(
  String.raw`^(${DIGITS})(?:e([+-]?\d{1,4})|(?:\*|x)10\^\(?([+-]?\d{1,4})\)?)?`,
);
const POWER_OF_TEN = /^10\^\(?([+-]?\d{1,4})\)?/;
const FRACTION = /^(?:(\d+) )?(\d+)\/(\d+)(?![\d.])/;
/** Words that multiply the number before them. */
const SCALES: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 100,
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
};
/** More than one quantity, such as `10 to 12` or `3 apples and 2 pears`. */
const SEVERAL = /(?:^|\s)(?:\d|(?:to|or|and)(?:\s|$))/i;
const UNIT = /^[\p{L}°µ$€£¥][\p{L}\p{N}°µ$€£¥/*^.-]*$/u;

/** Parses a number with an optional sign, percent sign, or unit; null for anything else or beyond {@link MAX_CHARACTERS}. */
function parseQuantity(text: string): Quantity | null {
  if (text.length > MAX_CHARACTERS) return null;
  const plain = withoutMarkup(text);
  const [, currency = "", sign = "", rest = ""] = /^([€£¥]?) ?([+-]?) ?(.*)$/su.exec(plain) ?? [];
  const found = parseValue(rest);
  if (found === null || !Number.isFinite(found.value)) return null;
  const [word = "", scale = ""] = /^ *([a-z]+)(?![\p{L}\p{N}])/iu.exec(found.rest) ?? [];
  const factor = Object.hasOwn(SCALES, scale.toLowerCase())
    ? SCALES[scale.toLowerCase()]
    : undefined;
  const value = (sign === "-" ? -found.value : found.value) * (factor ?? 1);
  const after = found.rest.slice(factor === undefined ? 0 : word.length).trim();
  if (SEVERAL.test(after)) return null;
  const isPercent = after.startsWith("%");
  const unit = currency + (isPercent ? after.slice(1) : after).replace(/ /g, "");
  if (unit !== "" && !UNIT.test(unit)) return null;
  return { value, isPercent, unit: unit.toLowerCase() };
}

interface ParsedValue {
  readonly value: number;
  readonly rest: string;
}

function parseValue(text: string): ParsedValue | null {
  const fraction = FRACTION.exec(text);
  if (fraction !== null) {
    const [all, whole = "0", over = "", under = ""] = fraction;
    return { value: Number(whole) + Number(over) / Number(under), rest: text.slice(all.length) };
  }
  const power = POWER_OF_TEN.exec(text);
  if (power !== null) {
    return { value: Number(`1e${power[1]}`), rest: text.slice(power[0].length) };
  }
  const decimal = DECIMAL.exec(text);
  if (decimal === null) return null;
  const [all, digits = "", exponent, power10] = decimal;
  const value = Number(`${digits.replaceAll(",", "")}e${exponent ?? power10 ?? "0"}`);
  const rest = text.slice(all.length);
  // A remainder that continues a truncated number is not a unit.
  return /^[,.]?\d/.test(rest) ? null : { value, rest };
}

const SUPERSCRIPT = /[⁺⁻⁰¹²³⁴-⁹]+/gu;

/** Plain text of common LaTeX in answers. */
function withoutMarkup(text: string): string {
  const boxed = boxContent(text) ?? text;
  // NFKC alone would turn 10² into 102, and 1½ into 11/2.
  const powers = boxed
    .replace(SUPERSCRIPT, (power) => `^${power}`)
    .replace(/(?<=\d)(?=[¼-¾⅐-⅞])/g, " ");
  const plain = powers.normalize("NFKC");
  return plain
    .replace(/\\[dt]?frac *\{([^{}]*)\} *\{([^{}]*)\}/g, " $1/$2")
    .replace(/\\[dt]?frac *(\d) *(\d)/g, " $1/$2")
    .replace(/\\(?:text|mathrm|mbox|textbf|mathbf) *\{([^{}]*)\}/g, " $1 ")
    .replace(/\\(?:times|cdot)|[×·]/g, "*")
    .replace(/\^ *\\circ|\^\{ *\\circ *\}|\\degree/g, "°")
    .replace(/\\[,;:! ]|~/g, "")
    .replace(/\\(?:left|right|[()[\]])/g, "")
    .replace(/\{,\}/g, ",")
    .replace(/\^\{([^{}]*)\}/g, "^$1")
    .replace(/\\([%$])/g, "$1")
    .replace(/\$/g, "")
    .replace(/[\u2212\u2010-\u2013\ufe63]/g, "-")
    .replace(/\u2044/g, "/")
    .replace(/^#+ */, "")
    .replace(/^ *[a-z] *= */i, "")
    .replace(/(?<=\d)[_\u00a0\u2009\u202f](?=\d{3})/g, "")
    .replace(/(?<=\d) +(?=\d{3}(?!\d| *\/))/g, "")
    .replace(/ *([*/^]) */g, "$1")
    .replace(/ +/g, " ")
    .trim()
    .replace(/(?<=[\d%\p{L}°])\.$/u, "")
    .replace(/E(?=[+-]?\d)/g, "e");
}

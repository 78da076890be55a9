/**
 * The runs table's filter: words that a row must contain, and comparisons such as `learning_rate < 1e-4 reward.best > 0.5 started >
 * 2026-10-01 time < 2h name:foo`, combined with spaces, `or`, `not` and parentheses.
 */

import * as l10n from "@vscode/l10n";
import { unknownField } from "../../src/shared/unknownField.ts";

export type FilterValue = number | string | boolean | null;

/** The interval that a written value covers, both ends inclusive: a date covers a whole day. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** An alternative notation for a field's numbers. */
export interface Unit {
  /** Null for text in another notation. */
  read(text: string): Range | null;
  /** The accepted forms, as a sentence. */
  hint(): string;
}

export interface FilterField<Row> {
  /** Null if the row has no value. */
  value(row: Row): FilterValue;
  /** Absent if the field accepts only plain numbers. */
  readonly unit?: Unit;
}

export interface FilterFields<Row> {
  /** Null for an unknown name. */
  field(name: string): FilterField<Row> | null;
  /** All text of a row, for words without a field name. */
  text(row: Row): string;
  /** All field names, and those suggested in the error about an unknown one. */
  readonly names: readonly string[];
  readonly examples: readonly string[];
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, m: 60, h: 3600, d: 86_400 };

/** Seconds, written as `90s`, `5m`, `1.5h` or `2d`. */
export const DURATION: Unit = {
  read: (text) => {
    const [, number, unit = ""] = /^(\d+(?:\.\d+)?) ?(s|min|m|h|d)$/.exec(text.toLowerCase()) ?? [];
    if (number === undefined) return null;
    const seconds = Number(number) * (SECONDS[unit] ?? 1);
    return { first: seconds, last: seconds };
  },
  hint: () => l10n.t("Write a time such as 90s, 5m, 2h or 1d."),
};

/** Milliseconds since the Unix epoch, written as local time (`2026-10-31 18:00`), or as a whole day, month or year (`2026-10`). */
export const MOMENT: Unit = {
  read: (text) => {
    const [, year, month, day, time] =
      /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2})?))?)?)?$/.exec(text) ?? [];
    if (year === undefined) return null;
    const date = new Date(`${year}-${month ?? "01"}-${day ?? "01"}T${time ?? "00:00"}`);
    // Reject dates such as February 31, which would roll over into March.
    if (date.getDate() !== Number(day ?? 1)) return null;
    const first = date.getTime();
    if (time !== undefined) return { first, last: first };
    if (day !== undefined) date.setDate(date.getDate() + 1);
    else if (month !== undefined) date.setMonth(date.getMonth() + 1);
    else date.setFullYear(date.getFullYear() + 1);
    return { first, last: date.getTime() - 1 };
  },
  hint: () =>
    l10n.t(
      "Write a date such as 2026-10-31, 2026-10 or 2026, or “2026-10-31 18:00” in quotation marks.",
    ),
};

export type RunFilter<Row> =
  | { readonly ok: true; readonly matches: (row: Row) => boolean }
  | { readonly ok: false; readonly message: string };

const OPERATORS = ["<=", ">=", "!=", "==", "<", ">", "=", ":"] as const;
type Operator = (typeof OPERATORS)[number];

type Token =
  | { readonly kind: "word"; readonly text: string; readonly isQuoted: boolean }
  | { readonly kind: "operator"; readonly text: Operator }
  | { readonly kind: "(" | ")"; readonly text: string };

type Matches<Row> = (row: Row) => boolean;

/** Parses a filter, or explains what is wrong with it; an empty filter matches every row. */
export function parseRunFilter<Row>(text: string, fields: FilterFields<Row>): RunFilter<Row> {
  try {
    const parser = new Parser(tokensOf(text), fields);
    return { ok: true, matches: parser.parse() };
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return { ok: false, message: error.message };
  }
}

class FilterError extends Error {}

class Parser<Row> {
  readonly #tokens: readonly Token[];
  readonly #fields: FilterFields<Row>;
  #at = 0;

  constructor(tokens: readonly Token[], fields: FilterFields<Row>) {
    this.#tokens = tokens;
    this.#fields = fields;
  }

  parse(): Matches<Row> {
    if (this.#tokens.length === 0) return () => true;
    const all = this.#any();
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) {
      throw new FilterError(l10n.t("“{0}” has no opening parenthesis.", rest.text));
    }
    return all;
  }

  /** Parses alternatives joined by `or`. */
  #any(): Matches<Row> {
    const parts = [this.#all()];
    while (this.#isWord("or")) {
      this.#at += 1;
      parts.push(this.#all());
    }
    return (row) => parts.some((matches) => matches(row));
  }

  #all(): Matches<Row> {
    const parts = [this.#one()];
    while (this.#at < this.#tokens.length && !this.#isWord("or") && this.#kind() !== ")") {
      if (this.#isWord("and")) this.#at += 1;
      parts.push(this.#one());
    }
    return (row) => parts.every((matches) => matches(row));
  }

  #one(): Matches<Row> {
    if (this.#isWord("not")) {
      this.#at += 1;
      const inner = this.#one();
      return (row) => !inner(row);
    }
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token === undefined) {
      throw new FilterError(l10n.t("Something is missing at the end of the filter."));
    }
    if (token.kind === "(") {
      const inner = this.#any();
      if (this.#kind() !== ")") throw new FilterError(l10n.t("A “(” is not closed."));
      this.#at += 1;
      return inner;
    }
    if (token.kind !== "word") {
      throw new FilterError(l10n.t("A field or a word must precede “{0}”.", token.text));
    }
    const operator = this.#tokens[this.#at];
    return operator?.kind === "operator"
      ? this.#comparison(token.text, operator.text)
      : this.#contains(token.text);
  }

  #contains(word: string): Matches<Row> {
    const wanted = word.toLowerCase();
    return (row) => this.#fields.text(row).toLowerCase().includes(wanted);
  }

  #comparison(name: string, operator: Operator): Matches<Row> {
    const field = this.#fields.field(name);
    if (field === null) throw new FilterError(unknownField(name, this.#fields));
    const value = this.#tokens[this.#at + 1];
    if (value?.kind !== "word") {
      throw new FilterError(l10n.t("A value is missing after “{0} {1}”.", name, operator));
    }
    this.#at += 2;
    const withNext = `${value.text} ${this.#tokens[this.#at]?.text}`;
    if ((field.unit?.read(withNext) ?? null) === null) {
      return comparison(field, operator, value.text);
    }
    this.#at += 1;
    return comparison(field, operator, withNext);
  }

  #kind(): Token["kind"] | undefined {
    return this.#tokens[this.#at]?.kind;
  }

  #isWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "word" || token.isQuoted || token.text.toLowerCase() !== word) return false;
    // A keyword before an operator is a run or field name.
    return this.#tokens[this.#at + 1]?.kind !== "operator";
  }
}

function comparison<Row>(field: FilterField<Row>, operator: Operator, text: string): Matches<Row> {
  const read = (row: Row): FilterValue => field.value(row);
  if (operator === ":" && field.unit === undefined) {
    const wanted = text.toLowerCase();
    return (row) =>
      String(read(row) ?? "")
        .toLowerCase()
        .includes(wanted);
  }
  const range = field.unit?.read(text) ?? null;
  const number = Number(text);
  const bound = range ?? { first: number, last: number };
  const isUnreadable = Number.isNaN(bound.first);
  if (isUnreadable && field.unit !== undefined && !isNone(text)) {
    throw new FilterError(l10n.t("“{0}” is not a time. {1}", text, field.unit.hint()));
  }
  const isSame = (row: Row): boolean => {
    const value = read(row);
    if (range === null || typeof value !== "number") return isEqual(value, text);
    return value >= range.first && value <= range.last;
  };
  if (operator === "=" || operator === "==" || operator === ":") return isSame;
  if (operator === "!=") return (row) => !isSame(row);
  if (isUnreadable) {
    throw new FilterError(
      l10n.t(
        "“{0}” compares numbers, and “{1}” is not a number. For text use : or =.",
        operator,
        text,
      ),
    );
  }
  return (row) => {
    const value = read(row);
    return typeof value === "number" && isInOrder(value, operator, bound);
  };
}

function isInOrder(value: number, operator: "<" | "<=" | ">" | ">=", bound: Range): boolean {
  switch (operator) {
    case "<":
      return value < bound.first;
    case "<=":
      return value <= bound.last;
    case ">":
      return value > bound.last;
    case ">=":
      return value >= bound.first;
  }
}

/** Whether the text stands for a missing value. */
function isNone(text: string): boolean {
  return ["null", "none"].includes(text.toLowerCase());
}

function isEqual(value: FilterValue, text: string): boolean {
  if (value === null) return isNone(text);
  if (typeof value === "number") return value === Number(text);
  return String(value).toLowerCase() === text.toLowerCase();
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^\s+/.exec(rest)?.[0];
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const { token, length } = tokenAt(rest);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function tokenAt(rest: string): { readonly token: Token; readonly length: number } {
  const [first] = rest;
  if (first === "(" || first === ")") return { token: { kind: first, text: first }, length: 1 };
  const operator = OPERATORS.find((own) => rest.startsWith(own));
  if (operator !== undefined) {
    return { token: { kind: "operator", text: operator }, length: operator.length };
  }
  if (first === '"') {
    const end = rest.indexOf('"', 1);
    if (end < 0) throw new FilterError(l10n.t("A quotation mark is not closed."));
    return {
      token: { kind: "word", text: rest.slice(1, end), isQuoted: true },
      length: end + 1,
    };
  }
  // Environment names contain slashes; metric names contain dots.
  const word = /^[^\s()<>=:!"]+|^!/.exec(rest)?.[0] ?? rest.slice(0, 1);
  return { token: { kind: "word", text: word, isQuoted: false }, length: word.length };
}

/** Validates the rows of a table: each becomes a question with its answer, or an error with line and column. */

import type { ColumnsConfig } from "../../../core/config/fields/schema.ts";
import type { Json } from "../../../core/json.ts";
import { MAX_CHOICES } from "./graders/choice.ts";
import type { Grader } from "./graders/grader.ts";
import { normalize } from "./graders/normalize.ts";
import type { DataTable, RowFault, TableRow } from "./table.ts";

export interface DatasetRow {
  readonly question: string;
  readonly answer: Json;
  /** Empty if there is none. */
  readonly system: string;
  readonly choices: readonly string[] | null;
  /** Null if the file has no such column. */
  readonly split: string | null;
}

export interface CheckedRows {
  readonly rows: readonly DatasetRow[];
  /** In file order. */
  readonly faults: readonly RowFault[];
}

const MAX_CHARACTERS = 100_000;
const SPLIT_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** An unusable value, with the reason as the end of a sentence. */
class Unusable {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Checks every row, so that all errors are reported at once. */
export function checkRows(table: DataTable, names: ColumnsConfig, grader: Grader): CheckedRows {
  const missing = missingColumns(table, names);
  if (missing.length > 0) return { rows: [], faults: [...table.faults, ...missing] };
  const rows: DatasetRow[] = [];
  const faults = [...table.faults];
  const earlier = new Map<string, { readonly row: DatasetRow; readonly line: number }>();
  for (const each of table.rows) {
    const add = (column: string | null, message: string): void => {
      faults.push({ line: each.line, column, message });
    };
    const row = readRow(each, table, names, grader, add);
    if (row === null) continue;
    const key = JSON.stringify([questionKey(row.question), row.system, row.choices]);
    const twin = earlier.get(key);
    if (twin === undefined) earlier.set(key, { row, line: each.line });
    else if (!hasSameAnswer(twin.row, row, grader)) {
      add(names.answer, `differs from the answer to the same question in row ${twin.line}`);
    } else if (twin.row.split !== row.split) {
      add(names.split, `puts the question of row ${twin.line} into another split`);
    }
    rows.push(row);
  }
  if (rows.length === 0 && faults.length === 0) {
    faults.push({ line: null, column: null, message: "has no rows" });
  }
  return { rows, faults: faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)) };
}

/** True if each of the two answers is right for the other, as `1` and `1.0` are for `number`. */
function hasSameAnswer(one: DatasetRow, other: DatasetRow, grader: Grader): boolean {
  const text = ({ answer }: DatasetRow): string =>
    typeof answer === "string" ? answer : JSON.stringify(answer);
  if (text(one) === text(other)) return true;
  return grader.isRight(text(one), other) && grader.isRight(text(other), one);
}

/** Equal for questions that differ only in case, spacing, and Unicode form. */
export function questionKey(question: string): string {
  return normalize(question, false);
}

/** Reports no missing columns without rows, because the file then has another error. */
function missingColumns({ columns, rows }: DataTable, names: ColumnsConfig): readonly RowFault[] {
  if (rows.length === 0) return [];
  const known = [...columns].slice(0, 20).map((name) => JSON.stringify(name.slice(0, 50)));
  return Object.entries(names).flatMap(([role, name]) => {
    const isNeeded = role === "question" || role === "answer" || name !== role;
    if (!isNeeded || columns.has(name)) return [];
    const message = `has no column ${JSON.stringify(name)} for the ${role}; it has ${known.join(", ")}. Name it in \`columns.${role}\``;
    return [{ line: null, column: null, message }];
  });
}

function readRow(
  { values }: TableRow,
  { columns }: DataTable,
  names: Readonly<Record<keyof ColumnsConfig, string>>,
  grader: Grader,
  add: (column: string, message: string) => void,
): DatasetRow | null {
  let isSound = true;
  const take = <Role extends keyof ColumnsConfig, Value>(
    role: Role,
    read: (value: unknown) => Value | Unusable,
    fallback: Value,
  ): Value => {
    const name = names[role];
    const value = read(Object.hasOwn(values, name) ? values[name] : undefined);
    if (!(value instanceof Unusable)) return value;
    add(name, value.message);
    isSound = false;
    return fallback;
  };
  const question = take("question", readText, "");
  const answer = take("answer", grader.takesJson ? readJson : readAnswer, "");
  const system = take("system", (value) => (isAbsent(value) ? "" : readText(value)), "");
  const choices = take("choices", (value) => (isAbsent(value) ? null : readChoices(value)), null);
  const hasSplits = columns.has(names.split);
  const split = take("split", (value) => (hasSplits ? readSplit(value) : null), null);
  if (!isSound) return null;
  const fault = grader.fault({ answer, choices });
  if (fault === null) return { question, answer, system, choices, split };
  add(names.answer, fault);
  return null;
}

/** Optional values may be missing; in CSV they are empty strings. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function readText(value: unknown): string | Unusable {
  if (typeof value !== "string") return new Unusable(describeOther(value));
  if (value.trim() === "") return new Unusable("is empty");
  return textFault(value) ?? value;
}

function textFault(text: string): Unusable | null {
  if (text.length > MAX_CHARACTERS) {
    return new Unusable(`has ${text.length} characters; at most ${MAX_CHARACTERS} are allowed`);
  }
  if (LONE_SURROGATE.test(text)) return new Unusable("has half of a surrogate pair");
  return text.includes("\0") ? new Unusable("has a null character") : null;
}

function describeOther(value: unknown): string {
  if (value === undefined) return "is missing";
  if (value === null) return "is null";
  if (Array.isArray(value)) return "is a list; expected text";
  return typeof value === "object"
    ? "is an object; expected text"
    : `is a ${typeof value}; expected text`;
}

/** A scalar answer. */
function readAnswer(value: unknown): Json | Unusable {
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(Number(value)) < 1e21) {
    return new Unusable("has more digits than a number keeps: write it as text, in quotes");
  }
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) {
    return value;
  }
  return readText(value);
}

/** Any JSON value. */
function readJson(value: unknown): Json | Unusable {
  if (value === undefined || value === "") return new Unusable("is missing");
  const text = JSON.stringify(value);
  // Values from a data file came from JSON or are of JSON's types.
  return textFault(text) ?? (value as Json);
}

function readChoices(value: unknown): readonly string[] | Unusable {
  const list = typeof value === "string" ? parseList(value) : value;
  if (!Array.isArray(list)) return new Unusable("is not a list; in CSV, write it as JSON");
  if (list.length < 2) return new Unusable("has fewer than two choices");
  if (list.length > MAX_CHOICES) {
    return new Unusable(`has ${list.length} choices; at most ${MAX_CHOICES} are allowed`);
  }
  const choices: string[] = [];
  for (const [index, each] of list.entries()) {
    const text = typeof each === "number" ? String(each) : readText(each);
    if (text instanceof Unusable) return new Unusable(`choice ${index + 1} ${text.message}`);
    const twin = choices.findIndex((other) => questionKey(other) === questionKey(text));
    if (twin >= 0) return new Unusable(`choices ${twin + 1} and ${index + 1} are the same`);
    choices.push(text);
  }
  return choices;
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readSplit(value: unknown): string | Unusable {
  const text = readText(value);
  if (text instanceof Unusable || SPLIT_NAME.test(text)) return text;
  return new Unusable("is not the name of a split: use letters, digits, `_`, `.` and `-`");
}

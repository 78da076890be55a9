/** What can be wrong with a configuration, where, and how that is printed. */

import { formatKey } from "../../../shared/format.ts";
import type { KeyPath } from "./keyPath.ts";
import type { Remedy } from "./remedy.ts";
import type { Position, Span } from "./span.ts";

/** One code a rule, the same in the terminal and in the editor. */
export type RuleCode =
  /** Syntax: what the parser refuses, equal keys. */
  | "TRL100"
  /** Keys: unknown, missing. */
  | "TRL110"
  | "TRL111"
  /** Values: wrong type or form, out of range, not an allowed word, number or boolean written as text. */
  | "TRL120"
  | "TRL121"
  | "TRL122"
  | "TRL123"
  /** Written out though it is the default; a key that another one has replaced. */
  | "TRL124"
  | "TRL125"
  /** Several keys: too few rollouts of a group left, reward bounds, token budgets, sampling off policy, loss parameters. */
  | "TRL200"
  | "TRL201"
  | "TRL202"
  | "TRL203"
  | "TRL204"
  /** Several keys: no end, load on the host, learning rate, size of a step, two starts, folder of the runs. */
  | "TRL205"
  | "TRL206"
  | "TRL207"
  | "TRL208"
  | "TRL209"
  | "TRL210"
  /** Several keys: evaluation on what is trained on, an address that is not used, a name for what is not reported. */
  | "TRL211"
  | "TRL213"
  | "TRL214"
  /** The table of models: what the service trains, with how much context; what a model's chat format can do. */
  | "TRL215"
  | "TRL216"
  /** Several keys: an order or a share of tasks that the run does not follow; settings that take from `refill` what it is for. */
  | "TRL217"
  | "TRL218"
  /** Several keys: a budget in USD without prices. */
  | "TRL219"
  /** Several keys: a best checkpoint without the evaluation that chooses it. */
  | "TRL220"
  /** Several keys: a server of an environment's own that says neither where it is nor how it is started, or both in conflict. */
  | "TRL221"
  /** Several keys: a dataset without its file, or settings of a dataset elsewhere. */
  | "TRL223"
  /** Secrets: a variable of a session that is to be one, without it; one that is looked up and set nowhere. */
  | "TRL224"
  /** Several keys: rewards by turn of an environment that combines its rewards otherwise than by their sum, or a discount of rewards that are not taken by turn. */
  | "TRL225"
  /** Several keys: supervised fine-tuning without its data, a source that is none, settings that it does not read. */
  | "TRL226"
  /** Several keys: a teacher that is none, or reads other tokens; a reference that is not set. */
  | "TRL227"
  /** Several keys: an adapter that changes nothing. */
  | "TRL228"
  /** Several keys: stages that do not follow one another. */
  | "TRL229"
  /** Several keys: a notification without one place to go to, or with a key in its address. */
  | "TRL230"
  /** Several keys: settings that an agent cannot have, or does not follow. */
  | "TRL231"
  /** Several keys: a variable of an agent that the trainer sets. */
  | "TRL232"
  /** A file that is trained on: a row of a dataset or of demonstrations, or that it cannot be read; the text itself never has it. */
  | "TRL222"
  /** What services offer: environment, split, model, rank or loss, checkpoint, secret that an environment asks for. */
  | "TRL300"
  | "TRL301"
  | "TRL302"
  | "TRL303"
  | "TRL304"
  /** A secret written into the file. */
  | "TRL400"
  /** A value that something beside the file hides. */
  | "TRL500";

export type Severity = "error" | "warning" | "info" | "hint";

export interface RelatedLocation {
  readonly path: KeyPath;
  readonly span: Span;
}

export interface Problem {
  /** Only an error keeps a run from starting. */
  readonly severity: Severity;
  readonly code: RuleCode;
  /** What is wrong and what to do about it, as sentences. */
  readonly message: string;
  /** Keys from the root to the place at fault; empty for the file as a whole. */
  readonly path: KeyPath;
  /** Null when the file has no such place. */
  readonly at: Position | null;
  readonly span: Span | null;
  /** Other places that the rule looked at. */
  readonly related: readonly RelatedLocation[];
  readonly remedies: readonly Remedy[];
  /** How the place is drawn beside its mark. */
  readonly tag?: "unnecessary" | "deprecated";
  /** The override that set the value at fault, as `key=value`; absent when the file did. */
  readonly override?: string;
}

/** A problem with its place in words: a file with line and column, or a flag. */
export type PlacedProblem = Pick<Problem, "severity" | "message" | "path"> & {
  readonly place: string;
  /** Absent where no rule has found it. */
  readonly code?: RuleCode | undefined;
};

/** `flag` is that of the override that set the value at fault, if one did. */
export function placeProblem(problem: Problem, path: string, flag = "--overrides"): PlacedProblem {
  const { at, override } = problem;
  if (override !== undefined) return { ...problem, place: `${flag} ${override}` };
  return { ...problem, place: at === null ? path : `${path}:${at.line}:${at.column}` };
}

/**
 * One line for a terminal and its problem matcher: `path:line:column: error: TRL110 message (key)`, or with
 * `--overrides key=value` as the place.
 */
export function describeProblem(problem: Problem, path: string): string {
  return problemLine(placeProblem(problem, path));
}

/** As {@link describeProblem}. */
export function problemLine({ place, severity, code, message, path }: PlacedProblem): string {
  const rule = code === undefined ? "" : `${code} `;
  const key = path.length === 0 ? "" : ` (${formatKey(path)})`;
  const line = `${place}: ${severity}: ${rule}${message}${key}`;
  // Keys may hold anything, and a line must stay one.
  return line.replace(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");
}

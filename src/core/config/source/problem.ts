/** Problems of a configuration: their codes, locations, and how they are printed. */

import { formatKey } from "../../../shared/format.ts";
import type { KeyPath } from "./keyPath.ts";
import type { Remedy } from "./remedy.ts";
import type { Position, Span } from "./span.ts";

/** One code per rule, the same in the terminal and in the editor. */
export type RuleCode =
  /** Syntax: rejected by the parser, or duplicate keys. */
  | "TRL100"
  /** Keys: unknown, or missing. */
  | "TRL110"
  | "TRL111"
  /** Values: wrong type or form, out of range, not an allowed word, number or boolean written as text. */
  | "TRL120"
  | "TRL121"
  | "TRL122"
  | "TRL123"
  /** Values equal to the default; deprecated keys. */
  | "TRL124"
  | "TRL125"
  /** Several keys: too few rollouts left in a group, reward bounds, token limits, off-policy sampling, loss parameters. */
  | "TRL200"
  | "TRL201"
  | "TRL202"
  | "TRL203"
  | "TRL204"
  /** Several keys: no end, load on the computer, learning rate, step size, two starting points, folder of the runs. */
  | "TRL205"
  | "TRL206"
  | "TRL207"
  | "TRL208"
  | "TRL209"
  | "TRL210"
  /** Several keys: evaluating on training data, an unused address, names for reporting that is not turned on. */
  | "TRL211"
  | "TRL213"
  | "TRL214"
  /** The model table: what the service trains and with how much context; what a model's chat format can do. */
  | "TRL215"
  | "TRL216"
  /** Several keys: task order or weights that the run ignores; settings that defeat `refill`. */
  | "TRL217"
  | "TRL218"
  /** Several keys: a cost limit without prices. */
  | "TRL219"
  /** Several keys: a best checkpoint without an evaluation to choose it. */
  | "TRL220"
  /** Several keys: an environment's own server without an address or command, or with conflicting ones. */
  | "TRL221"
  /** Several keys: a dataset without its file, or dataset settings in another environment. */
  | "TRL223"
  /** Secrets: a session variable that needs a secret that is not set, or that would store a key with the run. */
  | "TRL224"
  /** Several keys: `credit: reward_to_go` with a `reward_reduction` other than `sum`, or `discount` without `reward_to_go`. */
  | "TRL225"
  /** Several keys: supervised fine-tuning without data, an invalid source, settings that have no effect. */
  | "TRL226"
  /** Several keys: an invalid teacher, a teacher with another tokenizer, a reference that is not set. */
  | "TRL227"
  /** Several keys: an adapter that trains no layers. */
  | "TRL228"
  /** Several keys: stages that cannot follow one another. */
  | "TRL229"
  /** Several keys: a notification without exactly one destination, or with a key in its address. */
  | "TRL230"
  /** Several keys: agent settings that are invalid or have no effect. */
  | "TRL231"
  /** Several keys: an agent variable that the trainer sets itself. */
  | "TRL232"
  /** Training data: unreadable files or invalid rows of datasets and demonstrations; never raised for the configuration's text alone. */
  | "TRL222"
  /** What services offer: environment, split, model with its rank and loss, checkpoint, a secret that an environment needs. */
  | "TRL300"
  | "TRL301"
  | "TRL302"
  | "TRL303"
  | "TRL304"
  /** A secret written in the file. */
  | "TRL400"
  /** A value that an override replaces. */
  | "TRL500";

export type Severity = "error" | "warning" | "info" | "hint";

export interface RelatedLocation {
  readonly path: KeyPath;
  readonly span: Span;
}

export interface Problem {
  /** Only errors prevent a run from starting. */
  readonly severity: Severity;
  readonly code: RuleCode;
  /** What is wrong and what to do about it, in sentences. */
  readonly message: string;
  /** Path of the key at fault; empty for the file as a whole. */
  readonly path: KeyPath;
  /** Null when the file has no such key. */
  readonly at: Position | null;
  readonly span: Span | null;
  /** Other locations that are part of the problem. */
  readonly related: readonly RelatedLocation[];
  readonly remedies: readonly Remedy[];
  /** Extra styling for the text at fault. */
  readonly tag?: "unnecessary" | "deprecated";
  /** The override that set the value at fault, as `key=value`; absent when it is from the file. */
  readonly override?: string;
}

/** A problem whose location is text: a file with line and column, or a flag. */
export type PlacedProblem = Pick<Problem, "severity" | "message" | "path"> & {
  readonly place: string;
  /** Absent when the problem does not come from a rule. */
  readonly code?: RuleCode | undefined;
};

/** `flag` is the name of the flag shown for problems of overrides. */
export function placeProblem(problem: Problem, path: string, flag = "--overrides"): PlacedProblem {
  const { at, override } = problem;
  if (override !== undefined) return { ...problem, place: `${flag} ${override}` };
  return { ...problem, place: at === null ? path : `${path}:${at.line}:${at.column}` };
}

/**
 * One line for the terminal and its problem matcher: `path:line:column: error: TRL110 message (key)`, with `--overrides key=value` as the
 * location of an override.
 */
export function describeProblem(problem: Problem, path: string): string {
  return problemLine(placeProblem(problem, path));
}

/** Same format as {@link describeProblem}. */
export function problemLine({ place, severity, code, message, path }: PlacedProblem): string {
  const rule = code === undefined ? "" : `${code} `;
  const key = path.length === 0 ? "" : ` (${formatKey(path)})`;
  const line = `${place}: ${severity}: ${rule}${message}${key}`;
  // Keys can contain any character, but the output must stay on one line.
  return line.replace(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");
}

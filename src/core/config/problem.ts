/** What can be wrong with a configuration, where, and how that is printed. */

import type { Position } from "./yamlSource.ts";

export type ProblemCode =
  | "syntax"
  | "empty"
  | "unknown-key"
  | "missing-key"
  | "invalid-value"
  | "conflict"
  | "advice";

export interface Problem {
  readonly severity: "error" | "warning";
  readonly code: ProblemCode;
  /** What is wrong and what to do about it, as sentences. */
  readonly message: string;
  /** Keys from the root to the place at fault; empty for the file as a whole. */
  readonly path: readonly string[];
  /** Null when the file has no such place. */
  readonly at: Position | null;
  /** The override that set the value at fault, as `key=value`; absent when the file did. */
  readonly override?: string;
}

function placeOf({ at, override }: Problem, path: string): string {
  if (override !== undefined) return `--overrides ${override}`;
  return at === null ? path : `${path}:${at.line}:${at.column}`;
}

/** The key path with dots, as {@link Problem.path} is shown and as errors carry it. */
function keyOf(path: readonly string[]): string {
  return path.join(".");
}

/** One line for a terminal: `path:line:column: error: message (key)`, or with `--overrides key=value` as the place. */
export function describeProblem(problem: Problem, path: string): string {
  const place = placeOf(problem, path);
  const key = problem.path.length === 0 ? "" : ` (${keyOf(problem.path)})`;
  return `${place}: ${problem.severity}: ${problem.message}${key}`;
}

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
}

/** The key path with dots, as {@link Problem.path} is shown and as errors carry it. */
function keyOf(path: readonly string[]): string {
  return path.join(".");
}

/** One line for a terminal: `path:line:column: error: message (key)`. */
export function describeProblem(problem: Problem, path: string): string {
  const place = problem.at === null ? path : `${path}:${problem.at.line}:${problem.at.column}`;
  const key = problem.path.length === 0 ? "" : ` (${keyOf(problem.path)})`;
  return `${place}: ${problem.severity}: ${problem.message}${key}`;
}

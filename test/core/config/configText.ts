/** Configuration texts for tests: a complete minimal file, and ways to extend it. */

import type { Config } from "../../../src/core/config/fields/schema.ts";
import { type ParseResult, parseConfig } from "../../../src/core/config/parse.ts";
import { describeProblem } from "../../../src/core/config/source/problem.ts";

const MINIMAL = `model_name: Qwen/Qwen3-8B
batch_size: 4
environments:
  Owner/Game:
    num_rollouts: 4
    splits:
      train:
`;

/** The minimal file followed by these top-level lines. */
export function textWith(...lines: readonly string[]): string {
  return MINIMAL + lines.join("\n");
}

/** The minimal file with these lines added to its environment. */
export function textWithEnvironment(...lines: readonly string[]): string {
  return MINIMAL.replace(
    "    splits:",
    `${lines.map((line) => `    ${line}`).join("\n")}\n    splits:`,
  );
}

export function parse(text: string): ParseResult {
  return parseConfig(text, { path: "run.yaml" });
}

/** The configuration of a valid text. */
export function configIn(text: string): Config {
  const result = parse(text);
  if (!result.ok) throw new Error(messagesIn(text).join("\n"));
  return result.config;
}

/** All problems and warnings of a text, as the terminal prints them. */
export function messagesIn(text: string): readonly string[] {
  const result = parse(text);
  const problems = result.ok ? result.warnings : result.problems;
  return problems.map((problem) => describeProblem(problem, "run.yaml"));
}

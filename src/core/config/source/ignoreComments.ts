/** Comments that suppress a rule: `# tinker-rl-ignore TRL207` on the same line or the line before. */

import type { Problem } from "./problem.ts";

const COMMENT = /#\s*tinker-rl-ignore((?:[\s,]+TRL\d{3})+)/;
const MAX_LINE = 2000;

/** The problems that no comment in `text` suppresses. Errors cannot be suppressed by default. */
export function withoutIgnored(
  problems: readonly Problem[],
  text: string,
  canIgnore: (problem: Problem) => boolean = ({ severity }) => severity !== "error",
): readonly Problem[] {
  if (!text.includes("tinker-rl-ignore")) return problems;
  const codesByLine = text.split("\n").map(ignoredCodes);
  return problems.filter((problem) => {
    const line = problem.at?.line;
    if (line === undefined || !canIgnore(problem)) return true;
    const beside = codesByLine[line - 1] ?? [];
    const before = codesByLine[line - 2] ?? [];
    return !beside.includes(problem.code) && !before.includes(problem.code);
  });
}

function ignoredCodes(line: string): readonly string[] {
  return COMMENT.exec(line.slice(0, MAX_LINE))?.[1]?.match(/TRL\d{3}/g) ?? [];
}

/** What the program of an agent printed, as lines: of many the last, where the reason of an end stands. */

import { plural } from "../../shared/format.ts";

const SHOWN = 20;

/** Of an output that is not empty. */
export function printedLines(output: string): readonly string[] {
  const lines = output.trim().split("\n");
  const left = lines.length - SHOWN;
  if (left <= 0) return lines;
  const note = plural(
    left,
    "… {0} line left out; tinker-rl show --json has it",
    "… {0} lines left out; tinker-rl show --json has them",
  );
  return [note, ...lines.slice(-SHOWN)];
}

/** The grid of a sweep: the keys that vary, and the values of each. */

import { parseAssignment } from "../config/overrides.ts";
import { splitValues } from "../config/overrideWords.ts";
import type { PlacedProblem } from "../config/source/problem.ts";

/** A key that varies. */
export interface GridKey {
  /** As an override names it: keys joined with dots, names with dots in quotes. */
  readonly key: string;
  /** Each as the override gives it, which reads it as YAML. */
  readonly values: readonly string[];
}

export type Grid = readonly GridKey[];

/** A problem that only the grid has; `text` is what was given for a key, none = the grid as a whole. */
export function gridProblem(text: string | null, message: string): PlacedProblem {
  const place = text === null ? "--grid" : `--grid ${text}`;
  return { severity: "error", place, message, path: [] };
}

/** Reads `key=value,value` each. */
export function parseGrid(texts: readonly string[]): {
  readonly grid: Grid;
  readonly problems: readonly PlacedProblem[];
} {
  const grid: GridKey[] = [];
  const problems: PlacedProblem[] = [];
  for (const text of texts) {
    const assignment = parseAssignment(text);
    if (assignment === null) {
      problems.push(gridProblem(text, "it is not KEY=VALUE,VALUE."));
      continue;
    }
    const key = assignment.prefix.slice(0, -1);
    const values = splitValues(assignment.value);
    if (values.includes("")) {
      problems.push(gridProblem(text, `${key} has an empty value next to a comma.`));
    } else if (grid.some((other) => other.key === key)) {
      problems.push(gridProblem(text, `${key} already has a --grid. Add the values there.`));
    } else grid.push({ key, values });
  }
  return { grid, problems };
}

export function countCombinations(grid: Grid): number {
  return grid.reduce((product, { values }) => product * values.length, 1);
}

/** All combinations as `key=value` for each key; the values of the last key change first. */
export function combinationsOf(grid: Grid): readonly (readonly string[])[] {
  return grid.reduce<readonly (readonly string[])[]>(
    (shorter, { key, values }) =>
      shorter.flatMap((settings) => values.map((value) => [...settings, `${key}=${value}`])),
    [[]],
  );
}

/** The grid of a sweep: the varied keys and their values. */

import { parseAssignment } from "../config/overrides.ts";
import { splitValues } from "../config/overrideWords.ts";
import type { PlacedProblem } from "../config/source/problem.ts";

/** A varied key. */
export interface GridKey {
  /** Key as in an override: parts joined with dots, and names that contain dots in quotes. */
  readonly key: string;
  /** Values as in an override, which parses them as YAML. */
  readonly values: readonly string[];
}

export type Grid = readonly GridKey[];

/** A problem of the grid. `text` is the value given for a key; null = the whole grid. */
export function gridProblem(text: string | null, message: string): PlacedProblem {
  const place = text === null ? "--grid" : `--grid ${text}`;
  return { severity: "error", place, message, path: [] };
}

/** Parses `key=value,value` texts. */
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

/** All combinations as `key=value` for each key. The last key varies fastest. */
export function combinationsOf(grid: Grid): readonly (readonly string[])[] {
  return grid.reduce<readonly (readonly string[])[]>(
    (shorter, { key, values }) =>
      shorter.flatMap((settings) => values.map((value) => [...settings, `${key}=${value}`])),
    [[]],
  );
}

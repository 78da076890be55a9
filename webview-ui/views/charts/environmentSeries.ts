/** The environments of a run and the looks of their lines. */

import type { ColumnStore } from "../../charts/columns.ts";
import type { ColorName } from "../../charts/drawing/palette.ts";

/** Colors of environments in a run with several; blue is the overall mean. */
const COLORS: readonly ColorName[] = ["orange", "green", "purple", "yellow", "red"];
/** Distinguishable without color. */
const DASHES: readonly (readonly number[])[] = [
  [6, 3],
  [2, 3],
  [9, 3, 2, 3],
  [14, 4],
  [4, 6],
  [9, 3, 2, 3, 2, 3],
  [1, 6],
  [14, 4, 4, 4],
];

/** The look of the environment at an index: the first eight differ in dashes, the first forty in dashes or color. */
export function environmentLook(index: number): {
  readonly color: ColorName;
  readonly dash: readonly number[];
} {
  return {
    color: COLORS[index % COLORS.length] ?? "orange",
    dash: DASHES[index % DASHES.length] ?? [6, 3],
  };
}

/** Short names as in the metrics; empty for a run with one environment. */
export function environmentNames({ names }: Pick<ColumnStore, "names">): readonly string[] {
  const found = names.flatMap((name) => {
    const own = /^rollout\/env\/(.+)\/reward\/mean$/.exec(name)?.[1];
    return own === undefined ? [] : [own];
  });
  return found.length < 2 ? [] : found;
}

/** The line styles of compared runs, by number. */

import type { SeriesLook } from "../charts/drawing/chartData.ts";
import type { ColorName } from "../charts/drawing/palette.ts";

const COLORS: readonly ColorName[] = ["blue", "orange", "green", "purple", "red", "yellow"];
const DASHES: readonly (readonly number[] | undefined)[] = [
  undefined,
  [8, 4],
  [2, 3],
  [12, 3, 2, 3],
  [5, 2],
  [12, 3, 2, 3, 2, 3],
];

/** Looks 0 to 11 are all different; any six consecutive ones differ in both color and dashes. */
export function runLook(look: number): SeriesLook {
  const color = COLORS[look % COLORS.length] ?? "blue";
  const round = Math.floor(look / COLORS.length);
  const dash = DASHES[(look + round) % DASHES.length];
  return { look: "line", color, dash };
}

/** A look for each line: the one it had if possible, and in different colors as long as there are enough. */
export function assignLooks(before: readonly (number | undefined)[]): readonly number[] {
  const taken: number[] = [];
  const mayShareColor = before.length > COLORS.length;
  const isFree = (look: number): boolean =>
    taken.every((other) => other !== look && (mayShareColor || !hasSameColor(other, look)));
  const kept = before.map((look) => {
    if (look === undefined || !isFree(look)) return undefined;
    taken.push(look);
    return look;
  });
  return kept.map((look) => {
    if (look !== undefined) return look;
    let free = 0;
    while (!isFree(free)) free += 1;
    taken.push(free);
    return free;
  });
}

function hasSameColor(one: number, other: number): boolean {
  return one % COLORS.length === other % COLORS.length;
}

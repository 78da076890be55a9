/** How a run is drawn everywhere: in its colour, and with dashes of its own for those who do not see colours. */

import type { ColourName } from "../controls/palette.ts";
import type { SeriesLook } from "../controls/seriesLook.ts";

const COLOURS: readonly ColourName[] = ["blue", "orange", "green", "purple", "red", "yellow"];
const DASHES: readonly (readonly number[] | undefined)[] = [
  undefined,
  [8, 4],
  [2, 3],
  [12, 3, 2, 3],
  [5, 2],
  [12, 3, 2, 3, 2, 3],
];

/** The looks from 0 to 11 all differ, and any six that follow each other differ in both. */
export function runLook(look: number): SeriesLook {
  const colour = COLOURS[look % COLOURS.length] ?? "blue";
  const round = Math.floor(look / COLOURS.length);
  const dash = DASHES[(look + round) % DASHES.length];
  return { look: "line", colour, dash };
}

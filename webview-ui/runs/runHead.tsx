/** A run's name after its swatch, for table heads. */

import type { SeriesLook } from "../charts/drawing/chartData.ts";
import type { ColorName } from "../charts/drawing/palette.ts";
import { MiddleCut } from "../controls/middleCut.tsx";
import { Swatch } from "../controls/swatch.tsx";
import { visibleLine } from "../text/visible.ts";
import type { RunsProps } from "./runsModel.ts";

interface RunHeadProps extends RunsProps {
  readonly run: { readonly id: string; readonly name: string };
}

export function RunHead({ runs, run: { id, name } }: RunHeadProps) {
  return (
    <span class="named-run">
      <Swatch {...runLook(runs.lookOf(id) ?? 0)} />
      <MiddleCut text={visibleLine(name)} />
    </span>
  );
}

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

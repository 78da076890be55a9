/** How a series is drawn, on its chart and beside its name. */

import type { ColourName } from "./palette.ts";

export interface SeriesLook {
  readonly look: "line" | "faint" | "band" | "outer-band" | "sign";
  readonly colour: ColourName;
  /** Lengths of dashes and gaps, so that colour is not the only difference. */
  readonly dash?: readonly number[] | undefined;
  /** Which of the signs of evaluations. */
  readonly sign?: number;
}

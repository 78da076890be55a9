/** The data of a line chart. */

import type { Range } from "../../../src/shared/chartScale.ts";
import { formatTick } from "../../../src/shared/formatTick.ts";
import { formatXTick } from "../format.ts";
import { tickSteps } from "../ticks.ts";
import type { XAxis } from "../xAxis.ts";
import type { ChartMark } from "./chartMarks.ts";
import type { ColorName } from "./palette.ts";

export interface ChartSeries {
  readonly key: string;
  readonly label: string;
  readonly values: Float64Array;
  readonly color: ColorName;
  /** Opacity, 0 to 1; 0 draws nothing and is used for the edges of bands. */
  readonly share: number;
  readonly width: number;
  /** Dash pattern, so that color is not the only difference. */
  readonly dash?: readonly number[] | undefined;
  /** Label at its right end. */
  readonly endLabel?: string | undefined;
}

/** A filled area between two series. */
export interface ChartBand {
  readonly upper: string;
  readonly lower: string;
  readonly color: ColorName;
  readonly share: number;
}

/** A band with its edges, which are invisible series. */
export interface DrawnBand {
  readonly edges: readonly ChartSeries[];
  readonly band: ChartBand;
}

/** `key` identifies the band within its chart. */
export function bandBetween(
  key: string,
  { high, low }: { readonly high: Float64Array; readonly low: Float64Array },
  { color, share }: Pick<ChartBand, "color" | "share">,
): DrawnBand {
  const edge = (side: string, values: Float64Array): ChartSeries => {
    return { key: `${key}-${side}`, label: key, values, color, share: 0, width: 0 };
  };
  const [upper, lower] = [edge("upper", high), edge("lower", low)];
  return { edges: [upper, lower], band: { upper: upper.key, lower: lower.key, color, share } };
}

export interface ChartData {
  /** Ascending; as long as every series. */
  readonly xs: Float64Array;
  readonly series: readonly ChartSeries[];
  readonly bands: readonly ChartBand[];
  readonly marks: readonly ChartMark[];
  readonly xRange: Range;
  readonly yRange: Range;
  readonly isLog: boolean;
  /** True if the vertical axis has ticks at whole numbers only. */
  readonly isWhole?: boolean | undefined;
  /** Allowed tick increments of the horizontal axis; null = any. */
  readonly xSteps: readonly number[] | null;
  /** `step` is the distance between ticks, 0 if it varies. */
  readonly formatX: (value: number, step: number) => string;
  readonly formatY: (value: number, step: number) => string;
}

/** Tick increments and label formats of a chart's axes. */
export function axesOver(axis: XAxis): Pick<ChartData, "xSteps" | "formatX" | "formatY"> {
  return {
    xSteps: tickSteps(axis),
    formatX: (value, step) => formatXTick(axis, value, step),
    formatY: formatTick,
  };
}

export const EMPTY_CHART: ChartData = {
  xs: new Float64Array(),
  series: [],
  bands: [],
  marks: [],
  isLog: false,
  xSteps: null,
  xRange: [0, 1],
  yRange: [0, 1],
  formatX: String,
  formatY: String,
};

export interface SeriesLook {
  readonly look: "line" | "faint" | "band" | "outer-band" | "symbol";
  readonly color: ColorName;
  /** Dash pattern, so that color is not the only difference. */
  readonly dash?: readonly number[] | undefined;
  /** Index of the marker symbol of an evaluation. */
  readonly symbol?: number;
}

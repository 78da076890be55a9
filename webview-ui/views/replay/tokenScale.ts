/** Color scales of tokens. */

import type { TokenWindow } from "../../../src/shared/dashboardTypes.ts";
import { formatMeasure, formatSigned } from "../../../src/shared/format.ts";
import type { ShownTokenColor } from "../../model/viewState.ts";

/** Levels of a scale in each direction. */
const LEVELS = 4;
/** Ratios are shown by their logarithm; the scale spans at least 1/2 to 2. */
const MIN_LOG_RATIO = Math.log(2);

export type TokenRanges = TokenWindow["ranges"];

export interface TokenScale {
  /** NaN if unknown. */
  readonly value: (index: number) => number;
  /** -4 to 4 on a diverging scale, 0 to 4 on others; null if the value is unknown. */
  readonly level: (index: number) => number | null;
  readonly format: (value: number) => string;
  /** Lowest, middle (if there is one), and highest. */
  readonly ticks: readonly string[];
  readonly isDiverging: boolean;
}

/** Common ranges, so that a color means the same number in each rollout. */
export function widestRanges(all: readonly TokenRanges[]): TokenRanges {
  return {
    logprobLow: Math.min(...all.map((own) => own.logprobLow)),
    advantageSize: Math.max(...all.map((own) => own.advantageSize)),
    differenceSize: Math.max(...all.map((own) => own.differenceSize)),
    trainerLow: Math.min(...all.map((own) => own.trainerLow)),
  };
}

/** False for the loss of examples that were never trained. */
export function hasNumbersFor(
  color: ShownTokenColor,
  { ranges }: Pick<TokenWindow, "ranges">,
): boolean {
  return color !== "loss" || ranges.trainerLow < 0;
}

export function tokenScale(color: ShownTokenColor, window: TokenWindow): TokenScale {
  const { samplerLogprobs, trainerLogprobs, advantages, ranges } = window;
  const sampler = (index: number): number => samplerLogprobs[index] ?? Number.NaN;
  const difference = (index: number): number =>
    (trainerLogprobs[index] ?? Number.NaN) - sampler(index);
  switch (color) {
    case "logprob":
      // Unlikely tokens are strongest, because readers look for surprises.
      return fromZero(sampler, Math.min(ranges.logprobLow, -1e-6));
    case "loss":
      return fromZero(
        (index) => -(trainerLogprobs[index] ?? Number.NaN),
        Math.max(-ranges.trainerLow, 1e-6),
      );
    case "advantage":
      return diverging(
        (index) => advantages[index] ?? Number.NaN,
        ranges.advantageSize,
        (value) => formatSigned(value, 3),
      );
    case "difference":
      return diverging(difference, ranges.differenceSize, (value) => formatMeasure(value));
    case "ratio": {
      const size = Math.max(ranges.differenceSize, MIN_LOG_RATIO);
      return {
        value: (index) => Math.exp(difference(index)),
        level: levelOf((index) => difference(index) / size, -LEVELS),
        format: (value) => value.toPrecision(4),
        ticks: [formatMeasure(Math.exp(-size)), "1", formatMeasure(Math.exp(size))],
        isDiverging: true,
      };
    }
  }
}

function fromZero(value: (index: number) => number, end: number): TokenScale {
  return {
    value,
    level: levelOf((index) => value(index) / end, 0),
    format: formatMeasure,
    ticks: ["0", formatMeasure(end)],
    isDiverging: false,
  };
}

function diverging(
  value: (index: number) => number,
  size: number,
  format: (value: number) => string,
): TokenScale {
  const end = size > 0 ? size : 1;
  return {
    value,
    level: levelOf((index) => value(index) / end, -LEVELS),
    format,
    ticks: [format(-end), "0", format(end)],
    isDiverging: true,
  };
}

function levelOf(share: (index: number) => number, least: number): TokenScale["level"] {
  return (index) => {
    const own = share(index);
    if (Number.isNaN(own)) return null;
    return Math.max(least, Math.min(LEVELS, Math.round(own * LEVELS)));
  };
}

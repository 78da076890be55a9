/** Summarizes a series in words. */

import * as l10n from "@vscode/l10n";
import { NO_BEST, withReward } from "../../src/shared/bestReward.ts";
import { formatCount, formatReward, plural } from "../../src/shared/format.ts";
import { trendOf } from "../../src/shared/trend.ts";
import type { TrendPoint } from "../../src/shared/trendPoint.ts";
import { trendWord } from "../../src/shared/trendText.ts";
import { formatValue } from "./format.ts";

/** Steps count from 0; NaN where a step has no value. */
interface Series {
  readonly values: Float64Array;
  readonly steps: Float64Array;
}

/** Latest, highest and trend of a metric; empty without known values. */
export function summarize({ values, steps }: Series): string {
  let highest = -1;
  let latest = -1;
  for (const [row, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    latest = row;
    if (highest < 0 || value > (values[highest] ?? Number.NaN)) highest = row;
  }
  if (latest < 0) return "";
  const trend = trendOf(Array.from(values, (value, row) => ({ step: steps[row] ?? row, value })));
  return l10n.t(
    "Latest {0}, highest {1} at step {2}, {3}.",
    formatValue(values[latest]),
    formatValue(values[highest]),
    formatCount((steps[highest] ?? 0) + 1),
    trendWord(trend),
  );
}

/** Latest reward and best recent mean; `points` are the points of the reward's trend. */
export function summarizeReward(values: Float64Array, points: readonly TrendPoint[]): string {
  const last = values.findLast((value) => !Number.isNaN(value));
  if (last === undefined) return "";
  const latest = formatReward(last);
  const { recent, best } = points.reduce(
    (before, { value, step }) => withReward(before, value, step),
    NO_BEST,
  );
  if (best === null) return l10n.t("Latest {0}.", latest);
  return plural(
    recent.length,
    "Latest {1}, best {2} at step {3}.",
    "Latest {1}, best {0}-step mean {2} at step {3}.",
    latest,
    formatReward(best.value),
    formatCount(best.step),
  );
}

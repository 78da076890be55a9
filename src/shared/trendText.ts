/** A trend in words, the same in trees, charts, terminals and answers of tools. */

import * as l10n from "@vscode/l10n";
import { formatCount, formatReward, plural } from "./format.ts";
import type { Trend } from "./trend.ts";

/** One word or few, for lists: `rising`. */
export function trendWord({ direction }: Trend): string {
  const words = {
    rising: l10n.t("rising"),
    flat: l10n.t("flat"),
    falling: l10n.t("falling"),
    unclear: l10n.t("too early to tell"),
  };
  return words[direction];
}

/** For the end of a line; nothing where nothing moves. */
export function trendArrow(trend: Trend): string {
  if (trend.direction === "rising") return " ▲";
  return trend.direction === "falling" ? " ▼" : "";
}

/** The trend of a reward as a sentence without a period: `Falling since step 5: was 0.72, now 0.23`. */
export function rewardTrendText(trend: Trend): string {
  if (trend.direction === "unclear") {
    const { groups, steps } = trend;
    return groups === null
      ? plural(steps, "Too early to tell ({0} step)", "Too early to tell ({0} steps)")
      : plural(groups, "Too early to tell ({0} group)", "Too early to tell ({0} groups)");
  }
  const { direction, since, steps, was, now } = trend;
  if (direction === "rising") {
    return plural(
      steps,
      "Learning: {1} → {2} in {0} step",
      "Learning: {1} → {2} in {0} steps",
      formatReward(was),
      formatReward(now),
    );
  }
  if (direction === "flat") return plural(steps, "Flat for {0} step", "Flat for {0} steps");
  return l10n.t(
    "Falling since step {0}: was {1}, now {2}",
    formatCount(since + 1),
    formatReward(was),
    formatReward(now),
  );
}

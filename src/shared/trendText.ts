/** Trends as text, the same in trees, charts, terminals and tool answers. */

import * as l10n from "@vscode/l10n";
import type { Trend } from "./trend.ts";

/** A short label for lists: `rising`. */
export function trendWord({ direction }: Trend): string {
  const words = {
    rising: l10n.t("rising"),
    flat: l10n.t("flat"),
    falling: l10n.t("falling"),
    unclear: l10n.t("too early to tell"),
  };
  return words[direction];
}

/** A suffix for the end of a line; empty if nothing moves. */
export function trendArrow(trend: Trend): string {
  if (trend.direction === "rising") return " ▲";
  return trend.direction === "falling" ? " ▼" : "";
}

/** A trend in words, the same in trees, charts, terminals and answers of tools. */

import * as l10n from "@vscode/l10n";
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

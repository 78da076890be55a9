/** What Weights & Biases has not received from an ended run. */

import * as l10n from "@vscode/l10n";
import type { PendingReports } from "../../core/runs/pendingReports.ts";
import { plural } from "../../shared/format.ts";

/** What is pending and how to send it; null if nothing is. */
export function wandbText({
  rows,
  isSummaryMissing,
}: Pick<PendingReports, "rows" | "isSummaryMissing">): string | null {
  if (rows > 0) {
    return plural(
      rows,
      "{0} row of metrics to send; resume the run to send it",
      "{0} rows of metrics to send; resume the run to send them",
    );
  }
  return isSummaryMissing ? l10n.t("the summary is not sent; resume the run to send it") : null;
}

/** Which rollouts the Trajectories view shows, and in which order. */

import * as l10n from "@vscode/l10n";
import type { RolloutSummary } from "../../core/runFolder/reader.ts";
import { formatReward } from "../../shared/format.ts";
import { isFailedOutcome } from "../../shared/outcome.ts";

export type TreeFilter =
  | { readonly kind: "reward"; readonly from: number; readonly to: number }
  | { readonly kind: "stop"; readonly stop: string }
  | { readonly kind: "failed" }
  | { readonly kind: "excluded" }
  | { readonly kind: "tool errors" };

export type RolloutOrder = "number" | "reward" | "advantage" | "tokens" | "turns";

/** True for a rollout that the filter lets through; null lets all. */
export function isShown(rollout: RolloutSummary, filter: TreeFilter | null): boolean {
  switch (filter?.kind) {
    case undefined:
      return true;
    case "reward":
      return (
        rollout.reward !== null && rollout.reward >= filter.from && rollout.reward <= filter.to
      );
    case "stop":
      return rollout.stop === filter.stop;
    case "failed":
      return isFailedOutcome(rollout);
    case "excluded":
      return rollout.score?.trainingUse.startsWith("excluded:") === true;
    case "tool errors":
      return rollout.failedToolCalls > 0;
  }
}

/** The filter in words, for the line above the view. */
export function describeFilter(filter: TreeFilter): string {
  switch (filter.kind) {
    case "reward":
      return l10n.t("reward from {0} to {1}", formatReward(filter.from), formatReward(filter.to));
    case "stop":
      return l10n.t("rollouts that ended by {0}", filter.stop.replaceAll("_", " "));
    case "failed":
      return l10n.t("failed rollouts");
    case "excluded":
      return l10n.t("rollouts that were not trained on");
    case "tool errors":
      return l10n.t("rollouts with failed tool calls");
  }
}

/** Rollouts of one group in the wanted order; equal ones keep theirs. */
export function inOrder(
  rollouts: readonly RolloutSummary[],
  order: RolloutOrder,
): readonly RolloutSummary[] {
  if (order === "number") return rollouts;
  const value = (each: RolloutSummary): number => {
    const found = order === "advantage" ? each.score?.advantage : each[order];
    return found ?? Number.NEGATIVE_INFINITY;
  };
  return rollouts.toSorted((a, b) => value(b) - value(a));
}

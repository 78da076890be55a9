/** Draws the end of a run, and where the user may go from there. */

import type { ProgressEvent } from "../../core/training/run/progress.ts";
import type { UsedTotal } from "../../core/usage/prices.ts";
import { mean } from "../../core/util/stats.ts";
import { formatCost, formatReward, formatSigned, plural } from "../../shared/format.ts";
import { l10n } from "../../shared/l10n.ts";
import { commandLine, type Invocation, shortPath } from "./invocation.ts";
import { BLANK, type Line, labelled, styled } from "./line.ts";

/** First and last steps whose rewards are compared at the end. */
const COMPARED_STEPS = 5;

/** Where a run lies, and how to go on with it and to look into it. */
export function nextStepLines(
  folder: string,
  canResume: boolean,
  invocation: Invocation,
): readonly Line[] {
  const path = shortPath(folder, invocation.cwd);
  const lines: Line[] = [labelled(l10n.t("run folder"), path)];
  if (invocation.program === null) {
    if (canResume) lines.push(labelled(l10n.t("go on"), l10n.t("Tinker RL: Resume Run")));
    return [...lines, labelled(l10n.t("look into it"), l10n.t("Tinker RL: Open Dashboard"))];
  }
  if (canResume) lines.push(labelled(l10n.t("go on"), commandLine(invocation, "resume", path)));
  lines.push(labelled(l10n.t("look into it"), commandLine(invocation, "show", path)));
  return lines;
}

/** How a run ended, and what came of it. */
export function endLines(
  event: Extract<ProgressEvent, { kind: "ended" }>,
  invocation: Invocation,
): readonly Line[] {
  const { outcome, step, rewards, reason, used } = event;
  const title =
    outcome === "done"
      ? styled("good", plural(step, "done after {0} step", "done after {0} steps"))
      : styled(
          "warning",
          plural(step, "stopped and saved after {0} step", "stopped and saved after {0} steps"),
        );
  const comparison = rewardComparison(rewards);
  return [
    BLANK,
    [title],
    ...(reason === null ? [] : [[reason]]),
    ...(comparison === null ? [] : [labelled(l10n.t("mean reward"), comparison)]),
    ...usedLines(used),
    // In an editor a finished run offers no resume of its own.
    ...nextStepLines(event.folder, outcome !== "done" || invocation.program !== null, invocation),
    ...(outcome === "done" && reason === null
      ? [[styled("quiet", l10n.t("To continue a finished run, raise max_steps or num_epochs."))]]
      : []),
  ];
}

/** `$4.56, 1.2M tokens`; without prices the tokens alone. */
export function usedLines({ costUsd, tokens }: UsedTotal): readonly Line[] {
  if (tokens === 0) return [];
  const counted = plural(tokens, "{0} token", "{0} tokens");
  if (costUsd === null) return [labelled(l10n.t("used"), counted)];
  return [labelled(l10n.t("cost"), `${formatCost(costUsd)}, ${counted}`)];
}

/** `0.21 → 0.86 (+0.65), first 5 steps against last 5`; fewer steps than twice as many are halved. */
function rewardComparison(rewards: readonly (number | null)[]): string | null {
  const count = Math.min(COMPARED_STEPS, Math.floor(rewards.length / 2));
  if (count === 0) return null;
  const first = meanOf(rewards.slice(0, count));
  const last = meanOf(rewards.slice(-count));
  if (first === null || last === null) return null;
  const change = formatSigned(last - first);
  const range =
    count === 1
      ? l10n.t("first step, last step")
      : l10n.t("first {0} steps, last {0} steps", count);
  return `${formatReward(first)} → ${formatReward(last)}  ${change}  (${range})`;
}

function meanOf(rewards: readonly (number | null)[]): number | null {
  return mean(rewards.filter((reward) => reward !== null));
}

/** Formats the end of a run, with next steps for the user. */

import * as l10n from "@vscode/l10n";
import { runSentence } from "../../core/runs/runSentence.ts";
import type { ProgressEvent } from "../../core/training/run/progress.ts";
import type { UsedTotal } from "../../core/usage/prices.ts";
import { formatCost, plural } from "../../shared/format.ts";
import { commandLine, type Invocation, shortPath } from "./invocation.ts";
import { BLANK, type Line, labelled, quietLine, styled } from "./line.ts";

/** The run's location, and commands to resume and inspect it. */
export function nextStepLines(
  folder: string,
  canResume: boolean,
  invocation: Invocation,
): readonly Line[] {
  const path = shortPath(folder, invocation.cwd);
  const lines: Line[] = [labelled(l10n.t("run folder"), path)];
  if (invocation.program === null) {
    if (canResume) lines.push(labelled(l10n.t("resume"), l10n.t("Tinker RL: Resume Run")));
    return [...lines, labelled(l10n.t("inspect it"), l10n.t("Tinker RL: Open Dashboard"))];
  }
  const { resume = ["resume", path] } = invocation;
  if (canResume) lines.push(labelled(l10n.t("resume"), commandLine(invocation, ...resume)));
  lines.push(labelled(l10n.t("inspect it"), commandLine(invocation, "show", path)));
  return lines;
}

/** How a run ended, and its results. */
export function endLines(
  event: Extract<ProgressEvent, { kind: "ended" }>,
  invocation: Invocation,
): readonly Line[] {
  const { outcome, step, trend, fit, reason, used } = event;
  // Evaluations are already printed above.
  const sentence = runSentence({ trend, heldOut: [], fit });
  // In an editor, and for a stage, a finished run has no resume command of its own.
  const isResumed = invocation.program !== null && invocation.resume === undefined;
  const label = fit === null ? l10n.t("reward") : l10n.t("learning");
  const title =
    outcome === "done"
      ? styled("good", plural(step, "done after {0} step", "done after {0} steps"))
      : styled(
          "warning",
          plural(step, "stopped and saved after {0} step", "stopped and saved after {0} steps"),
        );
  return [
    BLANK,
    [title],
    ...(reason === null ? [] : [[reason]]),
    ...(sentence === null ? [] : [labelled(label, sentence)]),
    ...usedLines(used),
    ...nextStepLines(event.folder, outcome !== "done" || isResumed, invocation),
    ...(outcome === "done" && reason === null && isResumed
      ? [quietLine(l10n.t("To continue a finished run, raise max_steps or num_epochs."))]
      : []),
  ];
}

/** `$4.56, 1.2M tokens`; only tokens if prices are unknown. */
export function usedLines({ costUsd, tokens }: UsedTotal): readonly Line[] {
  if (tokens === 0) return [];
  const counted = plural(tokens, "{0} token", "{0} tokens");
  if (costUsd === null) return [labelled(l10n.t("used"), counted)];
  return [labelled(l10n.t("cost"), `${formatCost(costUsd)}, ${counted}`)];
}

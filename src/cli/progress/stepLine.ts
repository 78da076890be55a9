/** Formats finished steps, and step counts. Pure. */

import * as l10n from "@vscode/l10n";
import type { ProgressEvent } from "../../core/training/run/progress.ts";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatMeasure,
  formatReward,
  plural,
  sparkline,
} from "../../shared/format.ts";
import { type Line, type LinePiece, lineWidth, styled } from "../terminal/line.ts";
import { type ProgressModel, SPARKLINE_STEPS } from "./progressModel.ts";

type StepFinished = Extract<ProgressEvent, { kind: "step-finished" }>;

/**
 * Includes all parts if they fit; otherwise drops the tokens per second, then the sparkline, then the ETA. Every part has a fixed width, so
 * that the lines of a run align.
 */
export function stepLine(
  event: StepFinished,
  model: ProgressModel,
  layout: { readonly width: number; readonly isLive: boolean },
): Line {
  const spark: Line = layout.isLive ? [" ", sparkPiece(model)] : [];
  const throughput: Line = [`  ${throughputText(event, model).padStart(12)}`];
  const { costUsd } = event.used;
  const cost: Line = costUsd === null ? [] : [`  ${formatCost(costUsd).padStart(7)}`];
  const eta: Line =
    event.etaS === null || event.etaS === 0
      ? []
      : [`  ${l10n.t("ETA {0}", formatDuration(event.etaS))}`];
  const untrained: Line =
    event.untrainedTokens === 0
      ? []
      : [`  ${plural(event.untrainedTokens, "{0} token untrained", "{0} tokens untrained")}`];
  const agents = plural(event.failedAgents, "{0} agent failed", "{0} agents failed");
  const failed: Line = [
    ...(model.failed === 0 ? [] : [styled("warning", `  ${l10n.t("{0} failed", model.failed)}`)]),
    ...(event.failedAgents === 0 ? [] : [styled("warning", `  ${agents}`)]),
    ...(event.crashed === 0
      ? []
      : [styled("warning", `  ${l10n.t("{0} crashed", event.crashed)}`)]),
  ];
  const head: Line = stepPieces(event);
  const rest: Line = measurePieces(event);
  const candidates: readonly Line[] = [
    [...head, ...spark, ...rest, ...throughput, ...cost, ...eta, ...untrained],
    [...head, ...spark, ...rest, ...throughput, ...cost, ...eta],
    [...head, ...spark, ...rest, ...cost, ...eta],
    [...head, ...rest, ...cost, ...eta],
    [...head, ...rest, ...cost],
  ];
  const fitting = candidates.find((line) => lineWidth([...line, ...failed]) <= layout.width);
  return [...(fitting ?? candidates.at(-1) ?? head), ...failed];
}

/** The line for a step of supervised fine-tuning. */
export function batchLine(event: Extract<ProgressEvent, { kind: "batch-finished" }>): Line {
  const { step, totalSteps, loss, heldOutLoss, examples, totalS, etaS, used } = event;
  const width = formatCount(totalSteps ?? 9999).length;
  const count = formatCount(step + 1).padStart(width);
  const total = ofTotal({ totalSteps, isTotalAtMost: false });
  return [
    l10n.t("step {0}", `${count}${total}`),
    `  ${l10n.t("loss {0}", "")}`,
    styled("strong", formatMeasure(loss).padStart(6)),
    `  ${plural(examples, "{0} example", "{0} examples")}`,
    `  ${formatDuration(totalS).padStart(5)}`,
    ...(used.costUsd === null ? [] : [`  ${formatCost(used.costUsd).padStart(7)}`]),
    ...(etaS === null || etaS === 0 ? [] : [`  ${l10n.t("ETA {0}", formatDuration(etaS))}`]),
    ...(heldOutLoss === null
      ? []
      : [`  ${l10n.t("held-out loss {0}", formatMeasure(heldOutLoss))}`]),
  ];
}

function stepPieces(event: StepFinished): Line {
  const { step, totalSteps, rewardMean } = event;
  const width = formatCount(totalSteps ?? 9999).length;
  const count = formatCount(step + 1).padStart(width);
  return [
    l10n.t("step {0}", `${count}${ofTotal(event)}`),
    `  ${l10n.t("reward")} `,
    styled("strong", formatReward(rewardMean).padStart(5)),
  ];
}

function measurePieces(event: StepFinished): Line {
  const { loss, trainedGroups, groups, totalS } = event;
  const all = formatCount(groups);
  const counts = `${formatCount(trainedGroups).padStart(all.length)}/${all}`;
  const trained = `  ${l10n.t("groups {0}", counts)}`;
  return [
    `  ${l10n.t("loss {0}", formatMeasure(loss).padStart(5))}`,
    trainedGroups === 0 ? styled("warning", trained) : trained,
    `  ${formatDuration(totalS).padStart(5)}`,
  ];
}

function sparkPiece({ recentRewards, rewardRange }: ProgressModel): LinePiece {
  return styled("accent", sparkline(recentRewards, rewardRange).padEnd(SPARKLINE_STEPS));
}

/** Rollouts that are sampled ahead continue during the whole step. */
function throughputText(
  { sampledTokens, rolloutS, totalS }: StepFinished,
  { stepsAhead }: ProgressModel,
): string {
  const seconds = stepsAhead === 0 ? rolloutS : totalS;
  return seconds > 0 ? l10n.t("{0} tok/s", formatCount(sampledTokens / seconds)) : "";
}

/** Counted from 1, followed by the total. */
export function stepCount(step: number, model: ProgressModel): string {
  return `${formatCount(step + 1)}${ofTotal(model)}`;
}

/** `/40`, or `/≤40` if that is an upper bound; empty for an endless run. */
function ofTotal({
  totalSteps,
  isTotalAtMost,
}: Pick<ProgressModel, "totalSteps" | "isTotalAtMost">): string {
  if (totalSteps === null) return "";
  const total = formatCount(totalSteps);
  return isTotalAtMost ? `/≤${total}` : `/${total}`;
}

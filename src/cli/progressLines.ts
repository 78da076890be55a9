/** Draws a run's progress: the lines that stay for each event, and the live line of what is under way. Pure. */

import { assertNever } from "../core/errors.ts";
import type { ProgressEvent } from "../core/training/progress.ts";
import { mean } from "../core/util/stats.ts";
import {
  formatCount,
  formatDuration,
  formatMeasure,
  formatQuantity,
  formatReward,
  formatSigned,
  progressBar,
  sparkline,
} from "../shared/format.ts";
import { alarmLines, alarmOverLine } from "./alarmLines.ts";
import { evaluationLines, evaluationTitle } from "./evaluationLines.ts";
import { commandLine, type Invocation, shortPath } from "./invocation.ts";
import { BLANK, type Line, lineWidth, type Piece, styled } from "./line.ts";
import { type ProgressModel, SPARKLINE_STEPS } from "./progressModel.ts";

export interface Layout {
  /** Code points in a row; Infinity when lines are not seen in a window. */
  readonly width: number;
  /** True when a live line shows what is under way; lines that stay then leave it out. */
  readonly isLive: boolean;
  readonly invocation: Invocation;
}

type EventOf<Kind extends ProgressEvent["kind"]> = Extract<ProgressEvent, { kind: Kind }>;

const BAR_WIDTH = 16;
/** First and last steps whose rewards are compared at the end. */
const COMPARED_STEPS = 5;

/** The lines that stay for `event`; `model` is the state after it. */
export function eventLines(
  event: ProgressEvent,
  model: ProgressModel,
  layout: Layout,
): readonly Line[] {
  switch (event.kind) {
    case "preparing":
      return layout.isLive ? [] : [[styled("quiet", `preparing: ${event.what}`)]];
    case "started":
      return headerLines(event, layout.invocation);
    case "warning":
      return warningLines(event.message);
    case "notice":
      return [[styled("quiet", event.message)]];
    case "reporting":
      return event.isOver || layout.isLive ? [] : [reportingLine(event.waiting)];
    case "step-finished":
      return [stepLine(event, model, layout)];
    case "alarm":
      return alarmLines(event, model.folder, layout.invocation);
    case "alarm-over":
      return [alarmOverLine(event.title)];
    case "evaluating":
      return layout.isLive ? [] : [evaluatingLine(event.rollouts)];
    case "evaluated":
      return [
        [styled("strong", evaluationTitle(event.step))],
        ...evaluationLines(event.results, model.hasComparison ? model.baseline : null),
      ];
    case "checkpoint":
      return checkpointLines(event);
    case "uploading":
      return uploadLines(event, layout);
    case "ended":
      return endLines(event, layout.invocation);
    case "paused":
      return [[styled("warning", `paused before step ${event.step + 1}`)]];
    case "continued":
      return [[styled("quiet", `going on with step ${event.step + 1}`)]];
    case "retuned":
      return [[styled("accent", `from step ${event.step + 1} on: new ${event.keys.join(", ")}`)]];
    case "step-started":
    case "rollout-finished":
    case "training":
      return [];
    default:
      return assertNever(event);
  }
}

/** What is under way, for the live line; null when nothing is. */
export function liveLine({ activity, totalSteps }: ProgressModel): Line | null {
  switch (activity.kind) {
    case "idle":
      return null;
    case "preparing":
      return [styled("quiet", `preparing: ${activity.what}`)];
    case "paused":
      return [styled("warning", `paused before step ${stepCount(activity.step, totalSteps)}`)];
    case "uploading":
      return uploadingLine(activity.waiting);
    case "reporting":
      return reportingLine(activity.waiting);
    case "rollouts": {
      const { step, done, total, rewardMean, failed } = activity;
      if (step === null && done === 0) return evaluatingLine(total);
      const line: Piece[] = [
        step === null ? "evaluating" : `step ${stepCount(step, totalSteps)}`,
        styled("accent", `  ${progressBar(total === 0 ? 0 : done / total, BAR_WIDTH)}`),
        `  ${formatCount(done)} of ${formatQuantity(total, "rollout")}`,
      ];
      if (rewardMean !== null) line.push(`  reward ${formatReward(rewardMean)}`);
      if (failed > 0) line.push(styled("warning", `  ${failed} failed`));
      return line;
    }
    case "training": {
      const amount = `${formatQuantity(activity.datums, "datum")}, ${formatQuantity(activity.tokens, "token")}`;
      return [`step ${stepCount(activity.step, totalSteps)}  training ${amount}`];
    }
    default:
      return assertNever(activity);
  }
}

function evaluatingLine(rollouts: number): Line {
  return [styled("quiet", `evaluating ${formatQuantity(rollouts, "rollout")} …`)];
}

function uploadingLine(waiting: number): Line {
  return [styled("quiet", `uploading ${formatQuantity(waiting, "rollout")} to OpenReward …`)];
}

function reportingLine(waiting: number): Line {
  const what = waiting === 0 ? "the end of the run" : formatQuantity(waiting, "row");
  return [styled("quiet", `sending ${what} to Weights & Biases …`)];
}

function uploadLines({ waiting, isOver }: EventOf<"uploading">, layout: Layout): readonly Line[] {
  if (!isOver) return layout.isLive ? [] : [uploadingLine(waiting)];
  if (waiting === 0) return [[styled("quiet", "all rollouts are uploaded to OpenReward")]];
  const left = `${formatQuantity(waiting, "rollout")} not uploaded to OpenReward yet`;
  return [[styled("warning", left), "; the next resume of the run does it"]];
}

/** Where a run lies, and how to go on with it and to look into it. */
export function nextStepLines(
  folder: string,
  canResume: boolean,
  invocation: Invocation,
): readonly Line[] {
  const path = shortPath(folder, invocation.cwd);
  const lines: Line[] = [labelled("run folder", path)];
  if (invocation.program === null) {
    if (canResume) lines.push(labelled("go on", "Tinker RL: Resume Run"));
    return [...lines, labelled("look into it", "Tinker RL: Open Dashboard")];
  }
  if (canResume) lines.push(labelled("go on", commandLine(invocation, "resume", path)));
  lines.push(labelled("look into it", commandLine(invocation, "show", path)));
  return lines;
}

function headerLines(event: EventOf<"started">, { cwd }: Invocation): readonly Line[] {
  const { totalSteps, groupsPerStep, step } = event;
  const steps = totalSteps === null ? "steps without end" : formatQuantity(totalSteps, "step");
  const start = step === 0 ? "" : `, resumed at step ${step + 1}`;
  return [
    labelled("run", event.name, "strong"),
    labelled("model", event.model),
    labelled("environments", event.environments.join(", ")),
    labelled("plan", `${steps} of ${formatQuantity(groupsPerStep, "group")}${start}`),
    labelled("run folder", shortPath(event.folder, cwd)),
    BLANK,
  ];
}

/** Warnings about a configuration name their place and their severity themselves. */
function warningLines(message: string): readonly Line[] {
  if (message.includes(": warning: ")) return [[message]];
  return [[styled("warning", "warning:"), ` ${message}`]];
}

function labelled(label: string, text: string, style?: "strong"): Line {
  return [styled("quiet", label.padEnd(14)), style === undefined ? text : styled(style, text)];
}

/** Rolling saves replace each other, often at every step, and are only for a resume. */
function checkpointLines({ name, checkpointKind, step }: EventOf<"checkpoint">): readonly Line[] {
  if (checkpointKind === "rolling") return [];
  return [
    [styled("quiet", `saved ${name} (${checkpointKind}) after ${formatQuantity(step, "step")}`)],
  ];
}

/**
 * All parts where they fit; else without the tokens per second, then without the sparkline, then without the time left.
 * Every part has a fixed width, so that the lines of a run stand in columns.
 */
function stepLine(event: EventOf<"step-finished">, model: ProgressModel, layout: Layout): Line {
  const spark: Line = layout.isLive ? [" ", sparkPiece(model)] : [];
  const throughput: Line = [`  ${throughputText(event).padStart(12)}`];
  const eta: Line =
    event.etaS === null || event.etaS === 0 ? [] : [`  ETA ${formatDuration(event.etaS)}`];
  const failed: Line = model.failed === 0 ? [] : [styled("warning", `  ${model.failed} failed`)];
  const head: Line = stepPieces(event);
  const rest: Line = measurePieces(event);
  const candidates: readonly Line[] = [
    [...head, ...spark, ...rest, ...throughput, ...eta],
    [...head, ...spark, ...rest, ...eta],
    [...head, ...rest, ...eta],
    [...head, ...rest],
  ];
  const fitting = candidates.find((line) => lineWidth([...line, ...failed]) <= layout.width);
  return [...(fitting ?? candidates.at(-1) ?? head), ...failed];
}

function stepPieces({ step, totalSteps, rewardMean }: EventOf<"step-finished">): Line {
  const width = String(totalSteps ?? 9999).length;
  const count = `step ${String(step + 1).padStart(width)}`;
  return [
    totalSteps === null ? count : `${count}/${totalSteps}`,
    "  reward ",
    styled("strong", formatReward(rewardMean).padStart(5)),
  ];
}

function measurePieces(event: EventOf<"step-finished">): Line {
  const { loss, trainedGroups, groups, totalS } = event;
  const width = String(groups).length;
  const trained = `  groups ${String(trainedGroups).padStart(width)}/${groups}`;
  return [
    `  loss ${formatMeasure(loss).padStart(5)}`,
    trainedGroups === 0 ? styled("warning", trained) : trained,
    `  ${formatDuration(totalS).padStart(5)}`,
  ];
}

function sparkPiece({ recentRewards, rewardRange }: ProgressModel): Piece {
  return styled("accent", sparkline(recentRewards, rewardRange).padEnd(SPARKLINE_STEPS));
}

function throughputText({ sampledTokens, rolloutS }: EventOf<"step-finished">): string {
  return rolloutS > 0 ? `${formatCount(sampledTokens / rolloutS)} tok/s` : "";
}

function stepCount(step: number, totalSteps: number | null): string {
  return totalSteps === null ? String(step + 1) : `${step + 1}/${totalSteps}`;
}

function endLines(event: EventOf<"ended">, invocation: Invocation): readonly Line[] {
  const { outcome, step, rewards } = event;
  const steps = formatQuantity(step, "step");
  const title =
    outcome === "done"
      ? styled("good", `done after ${steps}`)
      : styled("warning", `stopped and saved after ${steps}`);
  const comparison = rewardComparison(rewards);
  return [
    BLANK,
    [title],
    ...(comparison === null ? [] : [labelled("mean reward", comparison)]),
    // In an editor a finished run offers no resume of its own.
    ...nextStepLines(event.folder, outcome !== "done" || invocation.program !== null, invocation),
    ...(outcome === "done"
      ? [[styled("quiet", "To continue a finished run, raise max_steps or num_epochs.")]]
      : []),
  ];
}

/** `0.21 → 0.86 (+0.65), first 5 steps against last 5`; fewer steps than twice as many are halved. */
function rewardComparison(rewards: readonly (number | null)[]): string | null {
  const count = Math.min(COMPARED_STEPS, Math.floor(rewards.length / 2));
  if (count === 0) return null;
  const first = meanOf(rewards.slice(0, count));
  const last = meanOf(rewards.slice(-count));
  if (first === null || last === null) return null;
  const change = formatSigned(last - first);
  const range = count === 1 ? "first step, last step" : `first ${count} steps, last ${count} steps`;
  return `${formatReward(first)} → ${formatReward(last)}  ${change}  (${range})`;
}

function meanOf(rewards: readonly (number | null)[]): number | null {
  return mean(rewards.filter((reward) => reward !== null));
}

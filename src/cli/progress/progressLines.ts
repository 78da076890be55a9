/** Formats a run's progress: permanent lines for events, and the live line of the current activity. Pure. */

import * as l10n from "@vscode/l10n";
import { assertNever } from "../../core/errors.ts";
import type { ProgressEvent } from "../../core/training/run/progress.ts";
import { formatCount, formatReward, plural } from "../../shared/format.ts";
import { alarmLines, alarmOverLine } from "../terminal/alarmLines.ts";
import { endLines } from "../terminal/endLines.ts";
import { evaluationLines, evaluationTitle } from "../terminal/evaluationLines.ts";
import { type Invocation, shortPath } from "../terminal/invocation.ts";
import { BLANK, type Line, type LinePiece, labelled, quietLine, styled } from "../terminal/line.ts";
import type { ProgressModel } from "./progressModel.ts";
import { batchLine, stepCount, stepLine } from "./stepLine.ts";

export interface Layout {
  /** Code points per row; Infinity if the output is not a terminal. */
  readonly width: number;
  /** True if a live line shows progress, which permanent lines then omit. */
  readonly isLive: boolean;
  readonly invocation: Invocation;
}

type EventOf<Kind extends ProgressEvent["kind"]> = Extract<ProgressEvent, { kind: Kind }>;

const BAR_WIDTH = 16;

/** The permanent lines for `event`; `model` is the state after it. */
export function eventLines(
  event: ProgressEvent,
  model: ProgressModel,
  layout: Layout,
): readonly Line[] {
  switch (event.kind) {
    case "preparing":
      return layout.isLive ? [] : [quietLine(l10n.t("preparing: {0}", event.what))];
    case "started":
      return headerLines(event, layout.invocation);
    case "evaluation-started":
      return evaluationHeader(event, layout.invocation);
    case "evaluation-ended":
      return event.outcome === "done"
        ? []
        : [
            BLANK,
            [styled("warning", l10n.t("stopped; the same command continues the evaluation"))],
          ];
    case "warning":
      return warningLines(event.message);
    case "notice":
      return [quietLine(event.message)];
    case "reporting":
      return event.isOver || layout.isLive ? [] : [reportingLine(event.waiting)];
    case "step-finished":
      return [stepLine(event, model, layout)];
    case "batch-finished":
      return [batchLine(event)];
    case "alarm":
      return alarmLines(event, model.folder, layout.invocation);
    case "alarm-over":
      return [alarmOverLine(event.title)];
    case "evaluating":
      return layout.isLive ? [] : [evaluatingLine(event.rollouts)];
    case "evaluated":
      return [
        [styled("strong", evaluationTitle(event.step, event.model))],
        ...evaluationLines(event.results, event.baseline),
      ];
    case "checkpoint":
      return checkpointLines(event);
    case "uploading":
      return uploadLines(event, layout);
    case "ended":
      return endLines(event, layout.invocation);
    case "paused":
      return [[styled("warning", l10n.t("paused before step {0}", event.step + 1))]];
    case "continued":
      return [quietLine(l10n.t("continuing with step {0}", event.step + 1))];
    case "settings-changed":
      return [[styled("accent", settingsChangedText(event))]];
    case "step-started":
    case "rollout-finished":
    case "evaluating-beside":
    case "training":
      return [];
    default:
      return assertNever(event);
  }
}

/** The live line of the current activity and of a concurrent evaluation; null if there is neither. */
export function liveLine(model: ProgressModel): Line | null {
  const line = activityLine(model);
  if (model.evaluatedBeside === null) return line;
  const { done, total } = model.evaluatedBeside;
  const beside = l10n.t("evaluating {0} of {1}", formatCount(done), formatCount(total));
  return line === null ? quietLine(beside) : [...line, styled("quiet", `  ${beside}`)];
}

function activityLine(model: ProgressModel): Line | null {
  const { activity } = model;
  switch (activity.kind) {
    case "idle":
      return null;
    case "preparing":
      return quietLine(l10n.t("preparing: {0}", activity.what));
    case "paused":
      return [styled("warning", l10n.t("paused before step {0}", stepCount(activity.step, model)))];
    case "uploading":
      return uploadingLine(activity.waiting);
    case "reporting":
      return reportingLine(activity.waiting);
    case "rollouts": {
      const { step, done, total, rewardMean, failed } = activity;
      if (step === null && done === 0) return evaluatingLine(total);
      const line: LinePiece[] = [
        step === null ? l10n.t("evaluating") : l10n.t("step {0}", stepCount(step, model)),
        styled("accent", `  ${progressBar(total === 0 ? 0 : done / total)}`),
        `  ${plural(total, "{1} of {0} rollout", "{1} of {0} rollouts", formatCount(done))}`,
      ];
      if (rewardMean !== null) line.push(`  ${l10n.t("reward {0}", formatReward(rewardMean))}`);
      if (failed > 0) line.push(styled("warning", `  ${l10n.t("{0} failed", failed)}`));
      return line;
    }
    case "training": {
      const datums = plural(activity.datums, "training {0} datum", "training {0} datums");
      const tokens = plural(activity.tokens, "{0} token", "{0} tokens");
      const step = l10n.t("step {0}", stepCount(activity.step, model));
      return [`${step}  ${datums}, ${tokens}`];
    }
    default:
      return assertNever(activity);
  }
}

function settingsChangedText({ step, keys }: EventOf<"settings-changed">): string {
  return l10n.t("from step {0} on: new {1}", step + 1, keys.join(", "));
}

function evaluatingLine(rollouts: number): Line {
  return quietLine(plural(rollouts, "evaluating {0} rollout …", "evaluating {0} rollouts …"));
}

function uploadingLine(waiting: number): Line {
  return quietLine(
    plural(
      waiting,
      "uploading {0} rollout to OpenReward …",
      "uploading {0} rollouts to OpenReward …",
    ),
  );
}

function reportingLine(waiting: number): Line {
  const text =
    waiting === 0
      ? l10n.t("sending the end of the run to Weights & Biases …")
      : plural(
          waiting,
          "sending {0} row to Weights & Biases …",
          "sending {0} rows to Weights & Biases …",
        );
  return quietLine(text);
}

function uploadLines({ waiting, isOver }: EventOf<"uploading">, layout: Layout): readonly Line[] {
  if (!isOver) return layout.isLive ? [] : [uploadingLine(waiting)];
  if (waiting === 0) return [quietLine(l10n.t("all rollouts are uploaded to OpenReward"))];
  const left = plural(
    waiting,
    "{0} rollout not uploaded to OpenReward yet",
    "{0} rollouts not uploaded to OpenReward yet",
  );
  return [[styled("warning", left), `; ${l10n.t("the next resume of the run uploads them")}`]];
}

function headerLines(event: EventOf<"started">, { cwd }: Invocation): readonly Line[] {
  const { examples, groupsPerStep, stepsAhead, step, stopAtStep } = event;
  const steps = plannedSteps(event);
  const plan =
    examples === undefined
      ? plural(groupsPerStep, "{1} of {0} group", "{1} of {0} groups", steps)
      : plural(groupsPerStep, "{1} of {0} example", "{1} of {0} examples", steps);
  const ahead =
    stepsAhead === 0
      ? ""
      : `, ${plural(stepsAhead, "sampled {0} step ahead", "sampled {0} steps ahead")}`;
  const start = step === 0 ? "" : `, ${l10n.t("resumed at step {0}", step + 1)}`;
  const stop = stopAtStep === null ? "" : `, ${l10n.t("stops after step {0}", stopAtStep)}`;
  return [
    labelled(l10n.t("run"), styled("strong", event.name)),
    labelled(l10n.t("model"), event.model),
    ...(examples === undefined
      ? [labelled(l10n.t("environments"), event.environments.join(", "))]
      : [labelled(l10n.t("examples"), examplesText(examples))]),
    labelled(l10n.t("plan"), `${plan}${ahead}${start}${stop}`),
    labelled(l10n.t("run folder"), shortPath(event.folder, cwd)),
    BLANK,
  ];
}

function examplesText({ trained, heldOut }: NonNullable<EventOf<"started">["examples"]>): string {
  const count = formatCount(trained);
  return heldOut === 0 ? count : l10n.t("{0}, and {1} held out", count, formatCount(heldOut));
}

function evaluationHeader(
  { folder, models, name }: EventOf<"evaluation-started">,
  { cwd }: Invocation,
): readonly Line[] {
  return [
    labelled(l10n.t("evaluation"), styled("strong", name)),
    labelled(l10n.t("models"), models.join(", ")),
    labelled(l10n.t("folder"), shortPath(folder, cwd)),
    BLANK,
  ];
}

function plannedSteps({ totalSteps, isTotalAtMost }: EventOf<"started">): string {
  if (totalSteps === null) return l10n.t("no limit of steps");
  return isTotalAtMost
    ? plural(totalSteps, "at most {0} step", "at most {0} steps")
    : plural(totalSteps, "{0} step", "{0} steps");
}

/** Warnings about a configuration already contain location and severity. */
function warningLines(message: string): readonly Line[] {
  if (message.includes(": warning: ")) return [[message]];
  return [[styled("warning", l10n.t("warning:")), ` ${message}`]];
}

/** Rolling saves replace each other, often every step, and serve only a resume. */
function checkpointLines({ name, checkpointKind, step }: EventOf<"checkpoint">): readonly Line[] {
  if (checkpointKind === "rolling") return [];
  return [
    quietLine(
      plural(
        step,
        "saved {1} ({2}) after {0} step",
        "saved {1} ({2}) after {0} steps",
        name,
        checkpointKind,
      ),
    ),
  ];
}

/** A bar that is filled to `share`, 0 to 1. */
function progressBar(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR_WIDTH);
  return "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
}

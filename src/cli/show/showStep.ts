/** One step of a run: its rollouts as a table, or those of a group turn by turn. */

import * as l10n from "@vscode/l10n";
import { stepPaths } from "../../core/runFolder/files/layout.ts";
import { isSupervised } from "../../core/runFolder/metrics/fitMetrics.ts";
import type { RolloutList, RolloutSummary } from "../../core/runFolder/reader.ts";
import { mean } from "../../core/util/stats.ts";
import { formatCount, formatReward, plural } from "../../shared/format.ts";
import { BLANK, heading, type Line, quietLine } from "../terminal/line.ts";
import { type RolloutCells, rolloutTable, trainingUseLegend } from "./rolloutTable.ts";
import { newestRows, notFoundError, type ShowContext, showCommand } from "./showContext.ts";
import { replayLines } from "./showRollout.ts";
import { tokenLines } from "./showTokens.ts";

/** The rollouts of a step. `step` counts from 1. */
export async function* showStep(context: ShowContext, step: number): AsyncGenerator<Line, void> {
  const { rollouts, omission } = await requireStep(context, step);
  const { index: file } = stepPaths(context.folder, step - 1);
  const { rows, note } = newestRows(rollouts, file);
  const last = (await context.reader.metrics()).at(-1);
  yield stepHeading(rollouts, step, isSupervised(last));
  yield* [...note, ...rolloutRows(rows, context.width)];
  if (omission !== null) yield quietLine(omission);
  yield* legendLines(rollouts);
  const example = rollouts.find(({ tokenData }) => tokenData.length > 0) ?? rollouts[0];
  if (example === undefined) return;
  const { group, rollout } = example;
  const flags = ["--step", `${step}`, "--group", `${group + 1}`, "--rollout", `${rollout + 1}`];
  yield* [BLANK, quietLine(l10n.t("Look closer:")), showCommand(context, ...flags)];
  if (example.tokenData.length > 0) yield showCommand(context, ...flags, "--tokens");
}

/** Like {@link showStep}, without hints on where to look next. */
export function stepTable(
  rollouts: readonly RolloutSummary[],
  step: number,
  { areExamples, width }: { readonly areExamples: boolean; readonly width: number },
): readonly Line[] {
  return [
    stepHeading(rollouts, step, areExamples),
    ...rolloutRows(rollouts, width),
    ...legendLines(rollouts),
  ];
}

function stepHeading(
  rollouts: readonly RolloutSummary[],
  step: number,
  areExamples: boolean,
): Line {
  if (areExamples) {
    const examples = plural(rollouts.length, "{0} example", "{0} examples");
    return heading(l10n.t("step {0}: {1}", step, examples));
  }
  const groups = new Set(rollouts.map(({ group }) => group)).size;
  const rewards = rollouts.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const failed = rollouts.length - rewards.length;
  const amounts = [
    l10n.t(
      "{0} in {1}",
      plural(rollouts.length, "{0} rollout", "{0} rollouts"),
      plural(groups, "{0} group", "{0} groups"),
    ),
    ...(failed === 0 ? [] : [l10n.t("{0} failed", formatCount(failed))]),
  ].join(", ");
  return heading(
    l10n.t("step {0}: {1}, mean reward {2}", step, amounts, formatReward(mean(rewards))),
  );
}

function rolloutRows(rows: readonly RolloutSummary[], width: number): readonly Line[] {
  return rolloutTable([l10n.t("group"), l10n.t("rollout")], rows.map(toRow), width);
}

function legendLines(rollouts: readonly RolloutSummary[]): readonly Line[] {
  const uses = rollouts.flatMap(({ score }) => (score === null ? [] : [score.trainingUse]));
  const legend = trainingUseLegend(uses);
  return legend.length === 0 ? [] : [BLANK, ...legend];
}

/** The rollouts of a group, or one of them. All numbers count from 1. */
export async function* showGroup(
  context: ShowContext,
  wanted: {
    readonly step: number;
    readonly group: number;
    /** Null = all. */
    readonly rollout: number | null;
    readonly wantsTokens: boolean;
  },
): AsyncGenerator<Line, void> {
  const { step, group, rollout, wantsTokens } = wanted;
  const { rollouts: inStep } = await requireStep(context, step);
  const chosen = chooseRollouts(inStep, { step, group, rollout });
  for (const [index, summary] of chosen.entries()) {
    if (index > 0) yield* [BLANK, BLANK];
    const number = summary.rollout + 1;
    const title = l10n.t("step {0}, group {1}, rollout {2}", step, group, number);
    yield* await rolloutLines(context, summary, title);
    if (wantsTokens) yield* tokenLines(context, summary);
  }
}

/** The rollouts of a group, or one of them; numbers count from 1. @throws AppError `no-such-number` */
export function chooseRollouts(
  inStep: readonly RolloutSummary[],
  {
    step,
    group,
    rollout,
  }: { readonly step: number; readonly group: number; readonly rollout: number | null },
): readonly RolloutSummary[] {
  const inGroup = inStep.filter((summary) => summary.group + 1 === group);
  if (inGroup.length === 0) {
    const groups = [...new Set(inStep.map((summary) => summary.group + 1))];
    throw notFoundError(`group ${group} in step ${step}`, "Its groups", groups);
  }
  const chosen = inGroup.filter(
    (summary) => (rollout ?? summary.rollout + 1) === summary.rollout + 1,
  );
  if (chosen.length === 0) {
    const rollouts = inGroup.map((summary) => summary.rollout + 1);
    throw notFoundError(
      `rollout ${rollout ?? ""} in group ${group} of step ${step}`,
      "Its rollouts",
      rollouts,
    );
  }
  return chosen;
}

/** A rollout turn by turn. */
export async function rolloutLines(
  { reader, width }: ShowContext,
  summary: RolloutSummary,
  title: string,
): Promise<readonly Line[]> {
  const record = await reader.body(summary);
  if (record === null)
    return [heading(title), quietLine(l10n.t("Its record is not complete on disk."))];
  return replayLines(record, { title, score: summary.score, width });
}

/** `step` counts from 1. @throws AppError `no-such-number` for a step without rollouts */
export async function requireStep(
  { reader }: Pick<ShowContext, "reader">,
  step: number,
): Promise<RolloutList> {
  const list = step < 1 ? null : await reader.rolloutList(step - 1);
  if (list !== null && list.rollouts.length > 0) return list;
  const steps = await reader.steps();
  const existing = steps.map((each) => each + 1);
  throw notFoundError(`step ${step}`, "Steps that have rollouts", existing);
}

function toRow(summary: RolloutSummary): RolloutCells {
  return { ...summary, key: [String(summary.group + 1), String(summary.rollout + 1)] };
}

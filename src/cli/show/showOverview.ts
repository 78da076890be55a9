/** A run's overview: state, steps, evaluations and checkpoints. */

import * as l10n from "@vscode/l10n";
import * as z from "zod";
import { type FiringAlarm, firingAlarms } from "../../core/alarms/alarmEvents.ts";
import { firingAfter } from "../../core/alarms/alarmFacts.ts";
import { ALARMS } from "../../core/alarms/alarmTable.ts";
import { parseAssignment } from "../../core/config/overrides.ts";
import { readCheckpoints } from "../../core/runFolder/checkpointLog.ts";
import { readEvaluations } from "../../core/runFolder/evaluationLog.ts";
import { type RunEvent, readEvents } from "../../core/runFolder/events.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { readResolvedConfig } from "../../core/runFolder/files/wholeFiles.ts";
import { isSupervised, storedFit } from "../../core/runFolder/metrics/fitMetrics.ts";
import { groupCounts } from "../../core/runFolder/metrics/groupMetrics.ts";
import {
  flattenMetrics,
  type MetricsRow,
  metricAt,
} from "../../core/runFolder/metrics/metricsTree.ts";
import {
  environmentReward,
  rewardedEnvironments,
} from "../../core/runFolder/metrics/rewardedEnvironments.ts";
import { rewardPoint } from "../../core/runFolder/metrics/trendMetrics.ts";
import { usageOfRow } from "../../core/runFolder/metrics/usageOfRow.ts";
import { readPriceFile } from "../../core/runFolder/priceFile.ts";
import { type Liveness, phaseOf, readRunFile } from "../../core/runFolder/runFile.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";
import { changedSettingLines, readChangedSettings } from "../../core/runFolder/settingEvents.ts";
import { readTrainingTemperatures } from "../../core/runFolder/trainingTemperatures.ts";
import { readUsage } from "../../core/runFolder/usageLog.ts";
import { pendingReports } from "../../core/runs/pendingReports.ts";
import { completedSteps } from "../../core/runs/runList.ts";
import { type HeldOutReward, heldOutRewards, runSentence } from "../../core/runs/runSentence.ts";
import { SERVICES } from "../../core/services.ts";
import { waitingUploads } from "../../core/tracking/openreward/uploadLog.ts";
import { costOf, usedTotal } from "../../core/usage/prices.ts";
import {
  addTokens,
  countTokens,
  NO_RUN_USAGE,
  type TokenUsage,
} from "../../core/usage/tokenUsage.ts";
import { readOverrides } from "../../node/startConfig.ts";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatExact,
  formatKey,
  formatMeasure,
  formatReward,
  plural,
} from "../../shared/format.ts";
import { hasEnded } from "../../shared/hasEnded.ts";
import { phaseTexts } from "../../shared/phaseTexts.ts";
import type { RunFile } from "../../shared/runFile.ts";
import { trendOf } from "../../shared/trend.ts";
import { checkpointLines } from "../checkpoints/checkpointLines.ts";
import { alarmLines, INDENT } from "../terminal/alarmLines.ts";
import { usedLines } from "../terminal/endLines.ts";
import { commandLine, shortPath } from "../terminal/invocation.ts";
import {
  BLANK,
  heading,
  type Line,
  type LinePiece,
  labelled,
  quietLine,
  styled,
} from "../terminal/line.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import { wandbText } from "../terminal/wandbText.ts";
import { kindsLine } from "./billedLines.ts";
import { livenessIn, newestRows, type ShowContext, showCommand } from "./showContext.ts";
import { comparedEvaluations } from "./showEvaluation.ts";

/** The most environments that fit in the table next to the other columns. */
const MAX_ENVIRONMENTS = 4;

export async function* showOverview(context: ShowContext): AsyncGenerator<Line, void> {
  const { fileSystem, folder, reader, width } = context;
  const rows = await reader.metrics();
  yield* await stateLines(context);
  const evaluations = await readEvaluations(fileSystem, folder);
  const trainedAt = await readTrainingTemperatures(fileSystem, folder);
  yield* sentenceLines(rows, heldOutRewards(evaluations, trainedAt));
  yield* await usageLines(context, rows.at(-1));
  yield* queueLines(rows.at(-1));
  yield* await firingLines(context, rows.at(-1));
  yield BLANK;
  if (rows.length === 0) yield quietLine(l10n.t("No step is complete yet."));
  else {
    const { rows: shown, note } = newestRows(rows, runPaths(folder).metrics);
    const environments = rewardedEnvironments(shown).slice(0, MAX_ENVIRONMENTS);
    const table = isSupervised(rows.at(-1))
      ? tableLines(batchColumns(), shown.map(batchCells), width)
      : tableLines(
          stepColumns(environments),
          shown.map((row) => stepCells(row, environments)),
          width,
        );
    yield* [...note, ...table];
  }
  const compared = comparedEvaluations(evaluations, folder);
  if (compared.length > 0) yield* [BLANK, ...compared];
  const checkpoints = checkpointLines(
    await readCheckpoints(fileSystem, folder),
    context.clock.now(),
  );
  if (checkpoints.length > 0) yield* [BLANK, heading(l10n.t("checkpoints")), ...checkpoints];
  yield* await closerLines(context, rows, compared.length > 0);
}

/** A sentence about the mean reward or the loss. */
function sentenceLines(
  rows: readonly MetricsRow[],
  heldOut: readonly HeldOutReward[],
): readonly Line[] {
  const points = rows.flatMap((row) => rewardPoint(row) ?? []);
  const trend = points.length === 0 ? null : trendOf(points);
  const last = rows.at(-1);
  const fit = last === undefined ? null : storedFit((name) => metricAt(last, name));
  const sentence = runSentence({ trend, heldOut, fit });
  const label = fit === null ? l10n.t("reward") : l10n.t("learning");
  return sentence === null ? [] : [labelled(label, sentence)];
}

async function stateLines(context: ShowContext): Promise<readonly Line[]> {
  const { fileSystem, folder } = context;
  const run = await readRunFile(fileSystem, folder);
  const model = await readRunModel(fileSystem, folder);
  const lines: Line[] = [];
  if (run !== null) {
    const attempt = run.attempt === 1 ? "" : `, ${l10n.t("attempt {0}", run.attempt)}`;
    lines.push(labelled(l10n.t("run"), styled("strong", run.name)));
    lines.push(labelled(l10n.t("state"), `${describeState(run, livenessIn(context))}${attempt}`));
  }
  if (model !== null) lines.push(labelled(l10n.t("model"), model.model_name));
  if (run !== null) lines.push(labelled(l10n.t("configuration"), run.configPath));
  const changed = changedSettingLines(await readChangedSettings(fileSystem, folder));
  lines.push(...changed.map((text, i) => labelled(i === 0 ? l10n.t("changed") : "", text)));
  lines.push(...(await markLines(context)));
  const waiting = await waitingUploads(fileSystem, folder);
  if (waiting !== null) lines.push(labelled("OpenReward", uploadPiece(waiting)));
  if (run?.phase === "done") {
    const steps = await completedSteps(fileSystem, folder);
    const unsent = wandbText(await pendingReports(fileSystem, folder, steps));
    if (unsent !== null) lines.push(labelled(SERVICES.wandb.label, styled("warning", unsent)));
  }
  return lines;
}

/** The user's tags and note, and the number of starred rollouts. */
async function markLines({ reader }: ShowContext): Promise<readonly Line[]> {
  const { run, rollouts } = await reader.marks();
  const starred = rollouts.filter(({ mark }) => mark.star).length;
  return [
    ...(run.tags.length === 0 ? [] : [labelled(l10n.t("tags"), run.tags.join(", "))]),
    ...(run.note === "" ? [] : [labelled(l10n.t("note"), run.note)]),
    ...(starred === 0
      ? []
      : [labelled(l10n.t("starred"), plural(starred, "{0} rollout", "{0} rollouts"))]),
  ];
}

/** What the run has used: cost and tokens of each kind, including discarded ones. */
async function usageLines(
  { fileSystem, folder }: ShowContext,
  last: MetricsRow | undefined,
): Promise<readonly Line[]> {
  const { training: cumulative, evaluation } = await readUsage(fileSystem, folder);
  // A standalone evaluation has no rows.
  const usage = last === undefined ? NO_RUN_USAGE : usageOfRow(last);
  if (usage === null) return [];
  const all = { ...usage, cumulative, evaluation };
  const prices = (await readPriceFile(fileSystem, folder))?.prices ?? null;
  const priced = (tokens: TokenUsage): string => {
    const counted = plural(countTokens(tokens), "{0} token", "{0} tokens");
    return prices === null ? counted : `${formatCost(costOf(tokens, prices))}, ${counted}`;
  };
  const total = addTokens(all.cumulative, all.evaluation);
  if (countTokens(total) === 0) return [];
  const lines = [...usedLines(usedTotal(all, prices)), kindsLine(total)];
  if (countTokens(all.discarded) > 0)
    lines.push(labelled(l10n.t("discarded"), priced(all.discarded)));
  if (countTokens(all.evaluation) > 0)
    lines.push(labelled(l10n.t("evaluations"), priced(all.evaluation)));
  return lines;
}

/** How far ahead the run samples, as of the last step; empty on-policy. */
function queueLines(last: MetricsRow | undefined): readonly Line[] {
  if (last === undefined) return [];
  const flat = flattenMetrics(last);
  const count = (name: string) => formatCount(Number(flat[name] ?? 0));
  const issued = flat["async/queue_depth"];
  if (typeof issued !== "number") return [];
  const groups = plural(
    issued,
    "{0} group in the queue before step {1}, {2} of them ended",
    "{0} groups in the queue before step {1}, {2} of them ended",
    String(last.step + 1),
    count("async/queue_ready"),
  );
  const lag = l10n.t("staleness {0}", formatExact(Number(flat["async/staleness/mean"] ?? 0)));
  return [labelled(l10n.t("sampled ahead"), `${groups}; ${lag}`)];
}

/** Alarms firing after the last step, each as reported when it started. */
async function firingLines(
  context: ShowContext,
  last: MetricsRow | undefined,
): Promise<readonly Line[]> {
  const { fileSystem, folder, invocation } = context;
  const firing = last === undefined ? new Set() : firingAfter(last);
  if (firing.size === 0) return [];
  const events: RunEvent[] = [];
  for await (const event of readEvents(fileSystem, folder)) events.push(event);
  const file = await readRunFile(fileSystem, folder);
  const isOver = file !== null && hasEnded(phaseOf(file, livenessIn(context)));
  const lines: Line[] = [];
  for (const alarm of firingAlarms((id) => firing.has(id), events, file?.ending)) {
    lines.push(
      BLANK,
      heading(l10n.t("{0}, since step {1}", ALARMS[alarm.id].title, alarm.step + 1)),
      ...alarmLines(alarm, isOver ? null : folder, invocation),
      ...(file === null ? [] : await goBackLines(context, alarm, file)),
    );
  }
  return lines;
}

/** The command that restarts from the checkpoint before a fall, with the run's overrides and the suggested settings. */
async function goBackLines(
  { fileSystem, folder, invocation }: ShowContext,
  { goBackTo, edits }: FiringAlarm,
  { configPath }: RunFile,
): Promise<readonly Line[]> {
  if (goBackTo === undefined) return [];
  const begun = startedFrom.safeParse(await readResolvedConfig(fileSystem, folder)).data;
  const own = [
    // A run can either start from weights or resume, not both.
    ...(begun?.init_from == null ? [] : ["init_from=null"]),
    `resume_from=${goBackTo}`,
    ...edits.map(({ path, value }) => `${formatKey(path)}=${String(value)}`),
  ];
  const keyOf = (text: string): string => parseAssignment(text)?.prefix ?? text;
  const replaced = new Set(own.map(keyOf));
  const given = await readOverrides(fileSystem, folder);
  const overrides = [...given.filter((text) => !replaced.has(keyOf(text))), ...own];
  const file = shortPath(configPath, invocation.cwd);
  const command = commandLine(invocation, "train", file, ...overrides.map((text) => `--${text}`));
  return [[INDENT, styled("quiet", l10n.t("go back: {0}", command))]];
}

const startedFrom = z.object({ init_from: z.string().nullish() });

function uploadPiece(waiting: number): LinePiece {
  if (waiting === 0) return l10n.t("all rollouts are uploaded");
  return styled(
    "warning",
    plural(
      waiting,
      "{0} rollout to upload; resume the run to upload it",
      "{0} rollouts to upload; resume the run to upload them",
    ),
  );
}

function describeState(file: RunFile, liveness: Liveness): string {
  const state = phaseTexts()[phaseOf(file, liveness)];
  if (hasEnded(file.phase)) return state;
  const age = formatDuration(Math.max(0, liveness.nowMs - file.heartbeatAtMs) / 1000);
  return l10n.t("{0}, last heartbeat {1} ago", state, age);
}

function stepCells(metrics: MetricsRow, environments: readonly string[]): readonly LinePiece[] {
  const flat = flattenMetrics(metrics);
  const number = (name: string): number | null => {
    const value = flat[name];
    return typeof value === "number" ? value : null;
  };
  const { all: groups, compared: trained } = groupCounts(number);
  const groupSize = number("group/size/mean");
  const rollouts = (groupSize ?? 0) * (number("group/size/count") ?? 0);
  const failed =
    groupSize === null
      ? (number("num_errors") ?? 0)
      : Math.round(rollouts) - (number("rollout/reward/count") ?? 0);
  const responses = Math.round(
    (number("rollout/response_tokens/mean") ?? 0) * (number("rollout/response_tokens/count") ?? 0),
  );
  const seconds = number("time/total_s");
  return [
    String(metrics.step + 1),
    styled("strong", formatReward(number("rollout/reward/mean"))),
    ...environments.map((name) => formatReward(number(environmentReward(name)))),
    formatReward(number("rollout/reward/std")),
    trained === 0 && groups > 0
      ? styled("warning", `${trained}/${groups}`)
      : `${trained}/${groups}`,
    formatMeasure(number("loss")),
    failed === 0 ? "" : styled("warning", formatCount(failed)),
    formatCount(responses),
    seconds === null ? "" : formatDuration(seconds),
  ];
}

function batchCells(metrics: MetricsRow): readonly LinePiece[] {
  const number = (name: string): number | null => metricAt(metrics, name);
  const heldOut = number("held_out/loss");
  const seconds = number("time/total_s");
  return [
    String(metrics.step + 1),
    styled("strong", formatMeasure(number("loss"))),
    heldOut === null ? "" : formatMeasure(heldOut),
    formatCount(number("num_examples") ?? 0),
    formatCount(number("train/action_tokens") ?? 0),
    seconds === null ? "" : formatDuration(seconds),
  ];
}

async function closerLines(
  context: ShowContext,
  rows: readonly MetricsRow[],
  hasEvaluations: boolean,
): Promise<readonly Line[]> {
  const complete = rows.at(-1)?.step;
  const step = complete ?? (await context.reader.steps()).at(-1);
  const lines: Line[] = [];
  if (step !== undefined) {
    const flags = ["--step", String(step + 1)];
    lines.push(showCommand(context, ...flags));
    const isWhole = complete !== undefined;
    if (isWhole) lines.push(showCommand(context, ...flags, "--group", "1", "--rollout", "1"));
  }
  if (hasEvaluations) lines.push(showCommand(context, "--eval"));
  return lines.length === 0 ? [] : [BLANK, quietLine(l10n.t("Look closer:")), ...lines];
}

function stepColumns(environments: readonly string[]): readonly Column[] {
  return [
    { title: l10n.t("step"), align: "right" },
    { title: l10n.t("reward"), align: "right" },
    ...environments.map((title): Column => ({ title, align: "right" })),
    { title: l10n.t("std"), align: "right" },
    { title: l10n.t("groups trained"), align: "right" },
    { title: l10n.t("loss"), align: "right" },
    { title: l10n.t("failed"), align: "right" },
    { title: l10n.t("tokens sampled"), align: "right" },
    { title: l10n.t("time"), align: "right" },
  ];
}

function batchColumns(): readonly Column[] {
  return [
    { title: l10n.t("step"), align: "right" },
    { title: l10n.t("loss"), align: "right" },
    { title: l10n.t("held-out loss"), align: "right" },
    { title: l10n.t("examples"), align: "right" },
    { title: l10n.t("tokens learned"), align: "right" },
    { title: l10n.t("time"), align: "right" },
  ];
}

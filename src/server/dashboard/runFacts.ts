/** The small facts about a run for the dashboard, from a follower and the files in its folder. */

import * as z from "zod";
import { type FiringAlarm, firingIn } from "../../core/alarms/alarmEvents.ts";
import { alarmEvidence } from "../../core/alarms/alarmEvidence.ts";
import { ALARMS } from "../../core/alarms/alarmTable.ts";
import { editsTitle } from "../../core/alarms/formatSettingChange.ts";
import { DEMO } from "../../core/config/editing/completion/templates.ts";
import type { FileSystem } from "../../core/ports.ts";
import {
  type CheckpointEntry,
  kindsOf,
  usableCheckpoints,
} from "../../core/runFolder/checkpointLog.ts";
import type { RunEvent } from "../../core/runFolder/events.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import {
  MAX_BYTES,
  readIfReadable,
  readResolvedConfig,
} from "../../core/runFolder/files/wholeFiles.ts";
import type { RunFollower } from "../../core/runFolder/follower.ts";
import { storedFit } from "../../core/runFolder/metrics/fitMetrics.ts";
import { storedTrend, trendOfColumns } from "../../core/runFolder/metrics/trendMetrics.ts";
import { type Liveness, phaseOf } from "../../core/runFolder/runFile.ts";
import {
  type TrainingTemperatures,
  trainingTemperatures,
} from "../../core/runFolder/trainingTemperatures.ts";
import { addUsed, type LaterUsage } from "../../core/runs/laterUsage.ts";
import { NOTHING_PENDING, pendingReports } from "../../core/runs/pendingReports.ts";
import { usedBy } from "../../core/runs/runList.ts";
import { heldOutRewards, runSentence } from "../../core/runs/runSentence.ts";
import type { RunFacts } from "../../shared/dashboardMessages.ts";
import type {
  AlarmView,
  CheckpointView,
  EventView,
  RunCondition,
  RunView,
} from "../../shared/dashboardTypes.ts";
import { groupBy } from "../../shared/groupBy.ts";
import { endedBadly, endedEarly, hasEnded } from "../../shared/hasEnded.ts";
import type { RunEnding, RunFile } from "../../shared/runFile.ts";

/** Maximum number of events sent; more for the kinds that charts draw or use to place steps in time. */
const MAX_EVENTS = 300;
const MAX_DRAWN_EVENTS = 2_000;
const DRAWN_EVENTS: ReadonlySet<string> = new Set([
  "run-started",
  "alarm",
  "settings-changed",
  "environment-code-changed",
  "run-paused",
  "run-continued",
  "capacity-paused",
]);
const MAX_ALARM_TEXT = 1_000;
const MAX_ENDING_TEXT = 4_000;
const MAX_CODE = 100;
const ABSOLUTE_PATH = /(?<![\w.~/\\-])(?:\/|[A-Za-z]:\\)[^\s'"`,;:()]+/g;
const MAX_CHECKPOINTS = 500;

const resolvedConfig = z.object({
  method: z.string().nullish().catch(null),
  max_steps: z.number().nullish().catch(null),
});

/** Configuration values needed for a run's facts. */
export interface ConfigFacts {
  /** Null = no limit. */
  readonly maxSteps: number | null;
  /** True for the unmodified local demo configuration without overrides. */
  readonly isDemo: boolean;
  readonly isSupervised: boolean;
  readonly trainedAt: TrainingTemperatures;
}

export interface RunFactsOptions {
  readonly id: string;
  readonly name: string;
  readonly follower: RunFollower;
  readonly fileSystem: FileSystem;
  readonly liveness: Liveness;
  /** Null = the configuration is unknown. */
  readonly configFacts: ConfigFacts | null;
  readonly evaluated: RunView["evaluated"];
  readonly laterUsage: LaterUsage;
  readonly shortenPath: (path: string) => string;
}

/** The run's state, judged from its folder. Metrics without a `run.json` come from another program. */
async function runState({
  fileSystem,
  follower,
  liveness,
}: RunFactsOptions): Promise<RunCondition> {
  if (follower.runFile !== null) return phaseOf(follower.runFile, liveness);
  if (follower.metrics.latestStep === null) return "unknown";
  const { runFile } = runPaths(follower.folder);
  const size = await fileSystem.within(follower.folder).size(runFile);
  return size === null ? "foreign" : "unknown";
}

/** From the resolved configuration; null if it cannot be read. */
export async function readConfigFacts(
  fileSystem: FileSystem,
  folder: string,
): Promise<ConfigFacts | null> {
  const files = fileSystem.within(folder);
  const stored = await readResolvedConfig(files, folder);
  const config = resolvedConfig.safeParse(stored).data;
  if (config === undefined) return null;
  const written = await readIfReadable(files, runPaths(folder).config, MAX_BYTES.config);
  return {
    maxSteps: config.max_steps ?? null,
    isDemo: written === DEMO && (await files.size(runPaths(folder).overrides)) === null,
    isSupervised: config.method === "sft",
    trainedAt: trainingTemperatures(stored),
  };
}

export async function gatherFacts(
  options: RunFactsOptions,
): Promise<Omit<RunFacts, "runs" | "rolloutSteps" | "evaluatedSteps" | "marks">> {
  const { follower } = options;
  return {
    run: await runView(options),
    events: eventViews(follower.events),
    checkpoints: checkpointViews(follower.checkpoints, options.liveness.nowMs),
    evaluations: follower.evaluations.map(({ step, model, results }) => ({
      step,
      results,
      model: model && { name: model.name },
    })),
  };
}

function eventViews(events: readonly RunEvent[]): readonly EventView[] {
  const reported = events.filter(({ level }) => level !== "debug");
  const drawn = reported.filter(({ kind }) => DRAWN_EVENTS.has(kind)).slice(-MAX_DRAWN_EVENTS);
  const sent = new Set([...drawn, ...reported.slice(-MAX_EVENTS)]);
  return reported
    .filter((event) => sent.has(event))
    .map(({ timeMs, attempt, step, level, kind, message }) => {
      return { timeMs, attempt, step, level, kind, message: message.slice(0, 2_000) };
    });
}

async function runView(options: RunFactsOptions): Promise<RunView> {
  const { id, name, follower } = options;
  const files = options.fileSystem.within(follower.folder);
  const file = follower.runFile;
  const state = await runState(options);
  const completedSteps = (follower.metrics.latestStep ?? -1) + 1;
  const total = totalSteps(follower) ?? options.configFacts?.maxSteps ?? null;
  const isAtEnd = state === "done" && total !== null && completedSteps >= total;
  const left = isAtEnd
    ? await pendingReports(files, follower.folder, completedSteps)
    : NOTHING_PENDING;
  const hasWork = !isAtEnd || left.isSummaryMissing || left.rollouts + left.rows > 0;
  const hasState = (await files.size(runPaths(follower.folder).state)) !== null;
  return {
    id,
    name,
    state,
    attempt: file?.attempt ?? 1,
    supersededAttempts: await follower.supersededAttempts(),
    evaluatedModels: evaluatedModels(file),
    demoConfig: options.configFacts?.isDemo === true ? demoConfig(file) : null,
    examples: examplesOf(options, { state, completedSteps }),
    completedSteps,
    totalSteps: total,
    evaluated: options.evaluated,
    used: await used(options, { steps: completedSteps, hasEnded: hasEnded(state) }),
    isControllable: file !== null && file.control !== null && !hasEnded(state),
    isResumable: hasState && hasEnded(state) && hasWork,
    ending: endedEarly(state) ? endingView(options) : null,
    problem: follower.problem === null ? null : withShortPaths(follower.problem, options),
    trainedAt: evaluatedTemperatures(options),
    sentence: sentenceOf(options, state),
    alarms: firingIn(follower).map(alarmView),
  };
}

/** A file opened for reading appears as a finished run without steps. */
function examplesOf(
  { configFacts }: RunFactsOptions,
  { state, completedSteps }: Pick<RunView, "state" | "completedSteps">,
): RunView["examples"] {
  if (configFacts?.isSupervised !== true) return null;
  return state === "done" && completedSteps === 0 ? "read" : "trained";
}

function evaluatedTemperatures(options: RunFactsOptions): RunView["trainedAt"] {
  const { evaluations } = options.follower;
  const names = evaluations.flatMap(({ results }) => results.map((result) => result.environment));
  const trainedAt = temperaturesOf(options);
  return Object.fromEntries([...new Set(names)].map((name) => [name, trainedAt(name)]));
}

function temperaturesOf({ configFacts }: RunFactsOptions): TrainingTemperatures {
  return configFacts?.trainedAt ?? trainingTemperatures(undefined);
}

/** Uses the trend stored with the last step; metrics from another program have none. */
function sentenceOf(options: RunFactsOptions, state: RunCondition): string | null {
  const { metrics, evaluations, runFile } = options.follower;
  if (runFile?.evaluation !== undefined) return null;
  const latest = (name: string): number | null => metrics.latest(name);
  const trend = storedTrend(latest) ?? trendOfColumns(metrics);
  // The reason it ended says more than "too early to tell".
  const isTold = trend?.direction !== "unclear" || !endedBadly(state);
  const heldOut = heldOutRewards(evaluations, temperaturesOf(options));
  return runSentence({ trend: isTold ? trend : null, heldOut, fit: storedFit(latest) });
}

/** Usage after the last row is read only if the run has ended, or if there is an evaluation after the last step. */
async function used(
  { laterUsage, follower: { evaluations, metrics } }: RunFactsOptions,
  { steps, hasEnded }: { readonly steps: number; readonly hasEnded: boolean },
): Promise<RunView["used"]> {
  const row = usedBy((name) => metrics.latest(name));
  const isLater = hasEnded || (evaluations.at(-1)?.step ?? -1) >= steps;
  return isLater ? addUsed(row, await laterUsage.read(steps)) : row;
}

function evaluatedModels(file: RunFile | null): number | null {
  return file?.evaluation?.models.length ?? null;
}

/** Null for a standalone evaluation, which trains nothing. */
function demoConfig(file: RunFile | null): string | null {
  if (file === null || file.evaluation !== undefined) return null;
  return file.configPath.replace(/^.*[/\\]/, "");
}

function alarmView({ id, severity, step, seen, meaning, edits }: FiringAlarm): AlarmView {
  const { metric, steps, madeBy } = alarmEvidence(id);
  return {
    title: ALARMS[id].title,
    metric,
    steps,
    isOfRollouts: madeBy !== null,
    id,
    severity,
    step,
    seen: seen.slice(0, MAX_ALARM_TEXT),
    meaning: meaning.slice(0, MAX_ALARM_TEXT),
    fix: edits.length === 0 ? null : editsTitle(edits).slice(0, MAX_ALARM_TEXT),
  };
}

function endingView(options: RunFactsOptions): RunEnding | null {
  const ending = options.follower.runFile?.ending;
  if (ending === undefined) return null;
  const message = withShortPaths(ending.message.slice(0, MAX_ENDING_TEXT), options);
  return { code: ending.code.slice(0, MAX_CODE), message };
}

/** Shortens absolute paths in messages, which the page must not see. */
function withShortPaths(text: string, { follower, shortenPath }: RunFactsOptions): string {
  const own = [follower.folder, follower.runFile?.configPath].filter((path) => path !== undefined);
  const named = own.reduce((shown, path) => shown.replaceAll(path, shortenPath(path)), text);
  return named.replace(ABSOLUTE_PATH, (path) => shortenPath(path));
}

/** Derived from the reported fraction done, which covers epochs as well as `max_steps`. */
function totalSteps({ metrics }: RunFollower): number | null {
  const done = metrics.latest("progress/done_frac");
  const step = metrics.latestStep;
  return done === null || done <= 0 || step === null ? null : Math.round((step + 1) / done);
}

/** Newest first. One save can count as several kinds. */
function checkpointViews(
  entries: readonly CheckpointEntry[],
  nowMs: number,
): readonly CheckpointView[] {
  const lines = groupBy(entries, ({ name }) => name);
  return usableCheckpoints(entries, nowMs)
    .toReversed()
    .slice(0, MAX_CHECKPOINTS)
    .map((entry) => ({
      name: entry.name,
      step: entry.step,
      kind: kindsOf(entry, lines.get(entry.name) ?? []).join(", "),
      best: entry.best ?? null,
      statePath: entry.state_path,
      samplerPath: entry.sampler_path,
      expiresAt: entry.expires_at,
      createdAt: entry.created_at,
      reward: entry.metrics["rollout/reward/mean"] ?? null,
    }));
}

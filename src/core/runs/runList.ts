/** Lists the runs in a folder with their progress. */

import { hasEnded } from "../../shared/hasEnded.ts";
import type { RunFile, RunPhase } from "../../shared/runFile.ts";
import type { EvaluatedReward } from "../../shared/sweepResult.ts";
import type { Trend } from "../../shared/trend.ts";
import { firingAfter } from "../alarms/alarmFacts.ts";
import type { AlarmId } from "../config/fields/schema.ts";
import { errorMessage, isAppError } from "../errors.ts";
import type { FileSystem, FolderFiles } from "../ports.ts";
import { readCheckpoints } from "../runFolder/checkpointLog.ts";
import { readEvaluations } from "../runFolder/evaluationLog.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { type Fit, storedFit } from "../runFolder/metrics/fitMetrics.ts";
import { type MetricsRow, metricAt } from "../runFolder/metrics/metricsTree.ts";
import { storedTrend } from "../runFolder/metrics/trendMetrics.ts";
import { usageOfRow } from "../runFolder/metrics/usageOfRow.ts";
import { isAnyRow, isMetricsRow } from "../runFolder/reader.ts";
import {
  newestUnexpired,
  type RecordedSaves,
  type ResumePoint,
  recordedSaves,
  resumePoints,
} from "../runFolder/resumePoints.ts";
import { type Liveness, phaseOf, readRunFile } from "../runFolder/runFile.ts";
import { readStates, type StoredStates } from "../runFolder/state.ts";
import { readTrainingTemperatures } from "../runFolder/trainingTemperatures.ts";
import { type UsedTotal, usedTotal } from "../usage/prices.ts";
import { lastLines, parseJsonLines } from "../util/jsonl.ts";
import { Limiter } from "../util/limiter.ts";
import { addUsed, laterUsage } from "./laterUsage.ts";
import { NOTHING_PENDING, type PendingReports, pendingReports } from "./pendingReports.ts";
import { evaluatedRewards, type HeldOutReward, heldOutRewards } from "./runSentence.ts";

export interface ListedRun {
  readonly name: string;
  readonly folder: string;
  /** `interrupted` = its trainer no longer exists without an end; `unreadable` = from another version, or damaged; `foreign` = another program's. */
  readonly phase: RunPhase | "interrupted" | "unreadable" | "foreign";
  /** Completed steps. */
  readonly steps: number;
  /** Null = endless, or not known. */
  readonly totalSteps: number | null;
  /** Mean reward of the last step. */
  readonly reward: number | null;
  /** What its steps and its evaluations have used; null where that is not known. */
  readonly used: UsedTotal | null;
  /** Mean rewards of the last steps, at most ten, oldest first. */
  readonly recentRewards: readonly (number | null)[];
  /** The trend of the mean reward as the last step stored it; null if it stored none. */
  readonly trend: Trend | null;
  /** How far a supervised run has come; null for another. */
  readonly fit: Fit | null;
  /** Of the newest evaluation; empty without one. */
  readonly heldOut: readonly HeldOutReward[];
  /** Mean rewards of its evaluations of tasks that it does not train on, those at the temperature of training first. */
  readonly evaluated: readonly EvaluatedReward[];
  /** Those that fire after the last step. */
  readonly alarms: readonly AlarmId[];
  /** Reports that a resume would send; only for a run that is done. */
  readonly pendingReports: PendingReports;
  /** Start of its last attempt, milliseconds since the Unix epoch. */
  readonly startedAtMs: number | null;
  /** Completed steps that a resume would run again; null when there is nothing to resume from. */
  readonly repeats: number | null;
  /** Null when the save that a resume would begin with does not expire, and when there is none. */
  readonly expiry: StateExpiry | null;
  /** As in `run.json`; null when it cannot be read. */
  readonly file: RunFile | null;
  /** The parts that cannot be read, in sentences for people; null when there are none. */
  readonly problem: string | null;
}

/** The end of the newest save of a run. */
export interface StateExpiry {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** As `repeats`, from then on. */
  readonly repeats: number | null;
}

/** The part that follows from the last rows of metrics. */
type RowFacts = Pick<
  ListedRun,
  "steps" | "totalSteps" | "reward" | "used" | "recentRewards" | "trend" | "fit" | "alarms"
>;
type Progress = RowFacts & Pick<ListedRun, "heldOut" | "evaluated" | "pendingReports" | "problem">;

interface CachedProgress {
  readonly version: string;
  readonly progress: Progress;
  readonly saves: RecordedSaves;
}

/** By folder: what was read last, so that files are not parsed again while nothing is added. */
export type ProgressCache = Map<string, CachedProgress>;

/** Longer than ten rows of metrics, and than any single one. */
const TAIL_BYTES = 256 * 1024;
const RECENT_STEPS = 10;
/** Folders that are read at once: a disk answers several questions in hardly more time than one. */
const READ_AT_ONCE = 16;
const LINE_FEED = 0x0a;

/** The runs directly in `parent`, the newest first; none when it does not exist. @throws AppError `file-unreadable` */
export async function listRuns(
  fileSystem: FileSystem,
  parent: string,
  liveness: Liveness,
  known: ProgressCache = new Map(),
): Promise<readonly ListedRun[]> {
  const reading = new Limiter(READ_AT_ONCE);
  const found = (await fileSystem.list(parent)).map((name) =>
    reading.run(() => readRun(fileSystem, { name, folder: `${parent}/${name}` }, liveness, known)),
  );
  const runs = (await Promise.all(found)).filter((run) => run !== null);
  return runs.sort((a, b) => (b.startedAtMs ?? 0) - (a.startedAtMs ?? 0));
}

/** One run of a list; null for anything that is not a run. @throws AppError `file-unreadable` */
export async function readRun(
  fileSystem: FileSystem,
  named: Pick<ListedRun, "name" | "folder">,
  liveness: Liveness,
  known: ProgressCache = new Map(),
): Promise<ListedRun | null> {
  const nothing = {
    steps: 0,
    totalSteps: null,
    reward: null,
    used: null,
    recentRewards: [],
    trend: null,
    fit: null,
    heldOut: [],
    evaluated: [],
    alarms: [],
    pendingReports: NOTHING_PENDING,
    startedAtMs: null,
    repeats: null,
    expiry: null,
    file: null,
  };
  const files = fileSystem.within(named.folder);
  const unreadable = (error: unknown): ListedRun => {
    return { ...named, ...nothing, phase: "unreadable", problem: errorMessage(error) };
  };
  try {
    // Links beside the run folders are no runs.
    if ((await fileSystem.size(runPaths(named.folder).runFile)) === null) return null;
    const file = await readRunFile(files, named.folder);
    if (file === null) return null;
    const phase = phaseOf(file, liveness);
    const { progress, saves } = await readCached(files, named.folder, { ...file, phase }, known);
    const { states, problem } = await readableStates(files, named.folder);
    const problems = [progress.problem, problem].filter((found) => found !== null);
    return {
      ...named,
      ...progress,
      file,
      phase,
      startedAtMs: file.startedAtMs,
      ...resumeCost(resumePoints(states, saves, liveness.nowMs), progress.steps, liveness.nowMs),
      problem: problems.length === 0 ? null : problems.join(" "),
    };
  } catch (error) {
    // A plain file beside the run folders.
    if (isAppError(error, "file-unreadable") && (await isFile(fileSystem, named.folder)))
      return null;
    // A run that cannot be read must not hide the others.
    return unreadable(error);
  }
}

async function isFile(fileSystem: FileSystem, path: string): Promise<boolean> {
  return fileSystem.list(path).then(
    () => false,
    () => true,
  );
}

/** The total of steps that the run's last row implies. */
export function totalSteps(row: MetricsRow | undefined): number | null {
  const done = row === undefined ? null : metricAt(row, "progress/done_frac");
  return row === undefined || done === null || done <= 0 ? null : Math.round((row.step + 1) / done);
}

export function usedBy(row: MetricsRow | undefined): UsedTotal | null {
  const usage = row === undefined ? null : usageOfRow(row);
  if (row === undefined || usage === null) return null;
  const steps = metricAt(row, "cost/cumulative_usd");
  const evaluations = metricAt(row, "cost/evaluation_usd") ?? 0;
  const { tokens } = usedTotal(usage, null);
  return { tokens, costUsd: steps === null ? null : steps + evaluations };
}

async function readCached(
  fileSystem: FolderFiles,
  folder: string,
  { runId, generation, phase }: Pick<RunFile, "runId" | "generation"> & Pick<ListedRun, "phase">,
  known: ProgressCache,
): Promise<CachedProgress> {
  const { metrics: path, checkpoints, evaluations } = runPaths(folder);
  const size = (await fileSystem.size(path)) ?? 0;
  const saved = (await fileSystem.size(checkpoints)) ?? 0;
  const evaluated = (await fileSystem.size(evaluations)) ?? 0;
  // Within a generation files only grow.
  const version = `${runId} ${generation} ${phase} ${size} ${saved} ${evaluated}`;
  const before = known.get(folder);
  if (before?.version === version) return before;
  const { rows, problem } = await lastRows(fileSystem, path, size);
  const facts = rowFacts(rows);
  const { steps, used } = facts;
  // While a run plays, its next row counts it.
  const isLater = evaluated > 0 || hasEnded(phase);
  const progress = {
    ...facts,
    used: isLater ? addUsed(used, await laterUsage(fileSystem, folder, steps)) : used,
    ...(evaluated > 0 ? await readHeldOut(fileSystem, folder) : { heldOut: [], evaluated: [] }),
    pendingReports:
      phase === "done" ? await pendingReports(fileSystem, folder, steps) : NOTHING_PENDING,
    problem,
  };
  const now = { version, progress, saves: await newestSaves(fileSystem, folder) };
  known.set(folder, now);
  return now;
}

async function readHeldOut(
  fileSystem: FolderFiles,
  folder: string,
): Promise<Pick<ListedRun, "heldOut" | "evaluated">> {
  const trainedAt = await readTrainingTemperatures(fileSystem, folder);
  const evaluations = await readEvaluations(fileSystem, folder);
  return {
    heldOut: heldOutRewards(evaluations, trainedAt),
    evaluated: evaluatedRewards(evaluations, trainedAt),
  };
}

/** What the last rows of metrics say. */
export function rowFacts(rows: readonly MetricsRow[]): RowFacts {
  const last = rows.at(-1);
  const recentRewards = rows.map((row) => metricAt(row, "rollout/reward/mean"));
  return {
    steps: (last?.step ?? -1) + 1,
    totalSteps: totalSteps(last),
    reward: recentRewards.at(-1) ?? null,
    used: usedBy(last),
    recentRewards,
    trend: last === undefined ? null : storedTrend((name) => metricAt(last, name)),
    fit: last === undefined ? null : storedFit((name) => metricAt(last, name)),
    alarms: last === undefined ? [] : [...firingAfter(last)],
  };
}

/** Up to the newest save without expiry: a resume never needs an older one. */
async function newestSaves(fileSystem: FolderFiles, folder: string): Promise<RecordedSaves> {
  const { points, expiries } = recordedSaves(await readCheckpoints(fileSystem, folder));
  const last = points.findIndex(({ expiresAtMs }) => expiresAtMs === null);
  return { points: last === -1 ? points : points.slice(0, last + 1), expiries };
}

/** By the rows of metrics. @throws AppError `file-unreadable` */
export async function completedSteps(fileSystem: FolderFiles, folder: string): Promise<number> {
  const path = runPaths(folder).metrics;
  const { rows } = await lastRows(fileSystem, path, (await fileSystem.size(path)) ?? 0);
  return (rows.at(-1)?.step ?? -1) + 1;
}

/** The end of the file is enough, however long the run was. */
export async function lastRows(
  fileSystem: FolderFiles,
  path: string,
  size: number,
): Promise<{ readonly rows: readonly MetricsRow[]; readonly problem: string | null }> {
  if (size === 0) return { rows: [], problem: null };
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = await fileSystem.readRange(path, start, size - start);
  // The tail begins somewhere in a line.
  const whole = start === 0 ? tail : tail.subarray(tail.indexOf(LINE_FEED) + 1);
  const lines = parseJsonLines(lastLines(whole, 2 * RECENT_STEPS));
  const found = lines.map(({ value }) => value).filter(isAnyRow);
  const rows = found.filter(isMetricsRow);
  const isValid = found.length > 0 || !whole.includes(LINE_FEED);
  return {
    rows: rows.slice(-RECENT_STEPS),
    problem: isValid ? null : "metrics.jsonl is damaged: its last lines cannot be read.",
  };
}

async function readableStates(fileSystem: FolderFiles, folder: string): Promise<StoredStates> {
  try {
    return await readStates(fileSystem, folder);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { states: [], problem: error.message };
  }
}

function resumeCost(
  points: readonly ResumePoint[],
  steps: number,
  nowMs: number,
): Pick<ListedRun, "repeats" | "expiry"> {
  const repeatsFrom = (point: ResumePoint | null): number | null =>
    point === null ? null : Math.max(0, steps - point.state.step);
  const newest = newestUnexpired(points, nowMs);
  const repeats = repeatsFrom(newest);
  const atMs = newest?.expiresAtMs ?? null;
  if (atMs === null) return { repeats, expiry: null };
  const later = repeatsFrom(newestUnexpired(points, atMs));
  // Where an older save serves as well, nothing is lost.
  return { repeats, expiry: later === repeats ? null : { atMs, repeats: later } };
}

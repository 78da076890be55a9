/** Lists the runs in a folder with their progress. */

import { hasEnded } from "../../shared/hasEnded.ts";
import { filesId, type RunFile, type RunPhase } from "../../shared/runFile.ts";
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
import { decidingReward, storedTrend } from "../runFolder/metrics/trendMetrics.ts";
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
import type { UsedTotal } from "../usage/prices.ts";
import { TOKEN_KINDS } from "../usage/tokenUsage.ts";
import { lastLines, parseJsonLines } from "../util/jsonl.ts";
import { Limiter } from "../util/limiter.ts";
import { addUsed, laterUsage } from "./laterUsage.ts";
import { NOTHING_PENDING, type PendingReports, pendingReports } from "./pendingReports.ts";
import { evaluatedRewards, type HeldOutReward, heldOutRewards } from "./runSentence.ts";

export interface ListedRun {
  readonly name: string;
  readonly folder: string;
  /** `interrupted` = its trainer is gone without an end; `unreadable` = another version or damaged; `foreign` = another program's run. */
  readonly phase: RunPhase | "interrupted" | "unreadable" | "foreign";
  /** Completed steps. */
  readonly steps: number;
  /** Null = endless or unknown. */
  readonly totalSteps: number | null;
  /** Mean reward of the last step; null if fewer than 90% of its rollouts are scored. */
  readonly reward: number | null;
  /** Usage of its steps and evaluations; null if unknown. */
  readonly used: UsedTotal | null;
  /** The same of the last steps, at most ten, oldest first. */
  readonly recentRewards: readonly (number | null)[];
  /** Trend of the mean reward as stored by the last step; null if none was stored. */
  readonly trend: Trend | null;
  /** Loss progress of a supervised run; otherwise null. */
  readonly fit: Fit | null;
  /** Results of the newest evaluation; empty if there is none. */
  readonly heldOut: readonly HeldOutReward[];
  /** Mean rewards of evaluations on tasks that it does not train on. Those at the training temperature are first. */
  readonly evaluated: readonly EvaluatedReward[];
  /** Alarms after the last step. */
  readonly alarms: readonly AlarmId[];
  /** Reports that a resume would send. Only for completed runs. */
  readonly pendingReports: PendingReports;
  /** Start of its last attempt, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number | null;
  /** Completed steps that a resume would repeat; null if there is nothing to resume from. */
  readonly repeats: number | null;
  /** Null if the save that a resume would use does not expire, or if there is none. */
  readonly expiry: StateExpiry | null;
  /** From `run.json`; null if it cannot be read. */
  readonly file: RunFile | null;
  /** Names the parts that cannot be read, as sentences; null if everything can be read. */
  readonly problem: string | null;
}

/** Expiration of a run's newest save. */
export interface StateExpiry {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** `repeats` after the expiration. */
  readonly repeats: number | null;
}

/** Facts from the last rows of metrics. */
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

/** By folder: what was last read, so that unchanged files are not parsed again. */
export type ProgressCache = Map<string, CachedProgress>;

/** Longer than ten rows of metrics, and than any single row. */
const TAIL_BYTES = 256 * 1024;
const RECENT_STEPS = 10;
/** Maximum number of folders read in parallel, because a disk handles several requests in hardly more time than one. */
const READ_AT_ONCE = 16;
const LINE_FEED = 0x0a;

/** The runs directly in `parent`, newest first; empty if it does not exist. @throws AppError `file-unreadable` */
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

/** One run of a list; null if it is not a run. @throws AppError `file-unreadable` */
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
    // Links next to the run folders are not runs.
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
    // A plain file next to the run folders.
    if (isAppError(error, "file-unreadable") && (await isFile(fileSystem, named.folder)))
      return null;
    // An unreadable run must not hide the others.
    return unreadable(error);
  }
}

async function isFile(fileSystem: FileSystem, path: string): Promise<boolean> {
  return fileSystem.list(path).then(
    () => false,
    () => true,
  );
}

/** Total number of steps, derived from the run's last row. */
export function totalSteps(row: MetricsRow | undefined): number | null {
  const done = row === undefined ? null : metricAt(row, "progress/done_frac");
  return row === undefined || done === null || done <= 0 ? null : Math.round((row.step + 1) / done);
}

/** Usage as of a row, whose metrics `metric` returns; null if the row has no totals. */
export function usedBy(metric: (name: string) => number | null): UsedTotal | null {
  const counts = ["cumulative", "evaluation"].flatMap((part) =>
    TOKEN_KINDS.map((kind) => metric(`tokens/${part}/${kind}`)),
  );
  if (counts.includes(null)) return null;
  const tokens = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const steps = metric("cost/cumulative_usd");
  const evaluations = metric("cost/evaluation_usd") ?? 0;
  return { tokens, costUsd: steps === null ? null : steps + evaluations };
}

async function readCached(
  fileSystem: FolderFiles,
  folder: string,
  file: Pick<RunFile, "runId" | "generation"> & Pick<ListedRun, "phase">,
  known: ProgressCache,
): Promise<CachedProgress> {
  const { metrics: path, checkpoints, evaluations } = runPaths(folder);
  const size = (await fileSystem.size(path)) ?? 0;
  const saved = (await fileSystem.size(checkpoints)) ?? 0;
  const evaluated = (await fileSystem.size(evaluations)) ?? 0;
  const { phase } = file;
  const version = `${filesId(file)} ${phase} ${size} ${saved} ${evaluated}`;
  const before = known.get(folder);
  if (before?.version === version) return before;
  const { rows, problem } = await lastRows(fileSystem, path, size);
  const facts = rowFacts(rows);
  const { steps, used } = facts;
  // While a run is in progress, its next row will contain this usage.
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

/** Facts from the last rows of metrics. */
export function rowFacts(rows: readonly MetricsRow[]): RowFacts {
  const last = rows.at(-1);
  const recentRewards = rows.map(decidingReward);
  return {
    steps: (last?.step ?? -1) + 1,
    totalSteps: totalSteps(last),
    reward: recentRewards.at(-1) ?? null,
    used: last === undefined ? null : usedBy((name) => metricAt(last, name)),
    recentRewards,
    trend: last === undefined ? null : storedTrend((name) => metricAt(last, name)),
    fit: last === undefined ? null : storedFit((name) => metricAt(last, name)),
    alarms: last === undefined ? [] : [...firingAfter(last)],
  };
}

/** Up to the newest save that does not expire. A resume never needs an older one. */
async function newestSaves(fileSystem: FolderFiles, folder: string): Promise<RecordedSaves> {
  const { points, expiries } = recordedSaves(await readCheckpoints(fileSystem, folder));
  const last = points.findIndex(({ expiresAtMs }) => expiresAtMs === null);
  return { points: last === -1 ? points : points.slice(0, last + 1), expiries };
}

/** Derived from the rows of metrics. @throws AppError `file-unreadable` */
export async function completedSteps(fileSystem: FolderFiles, folder: string): Promise<number> {
  const path = runPaths(folder).metrics;
  const { rows } = await lastRows(fileSystem, path, (await fileSystem.size(path)) ?? 0);
  return (rows.at(-1)?.step ?? -1) + 1;
}

/** Reads only the end of the file, so that the time does not depend on the run's length. */
export async function lastRows(
  fileSystem: FolderFiles,
  path: string,
  size: number,
): Promise<{ readonly rows: readonly MetricsRow[]; readonly problem: string | null }> {
  if (size === 0) return { rows: [], problem: null };
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = await fileSystem.readRange(path, start, size - start);
  // The tail may begin in the middle of a line.
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
  // If an older save is just as good, nothing is lost.
  return { repeats, expiry: later === repeats ? null : { atMs, repeats: later } };
}

/** Finds the runs in a folder and what a list tells about each. */

import type { RunFile, RunPhase } from "../../shared/runFile.ts";
import { isAppError } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import type { FileSystem } from "../ports.ts";
import { parseJsonLines } from "../util/jsonl.ts";
import { runPaths } from "./layout.ts";
import { type LeftReports, leftReports, NOTHING_LEFT } from "./leftReports.ts";
import { flattenMetrics, type MetricsRow } from "./metricsTree.ts";
import { isRunInUse, type Liveness, readRunFile } from "./runFile.ts";
import { readState } from "./state.ts";

export interface ListedRun {
  readonly name: string;
  readonly folder: string;
  /** `interrupted` = its trainer is gone without an end; `unreadable` = from another version, or damaged. */
  readonly phase: RunPhase | "interrupted" | "unreadable";
  /** Completed steps. */
  readonly steps: number;
  /** Null = endless, or not known. */
  readonly totalSteps: number | null;
  /** Mean reward of the last step. */
  readonly reward: number | null;
  /** Mean rewards of the last steps, at most ten, oldest first. */
  readonly recentRewards: readonly (number | null)[];
  /** What a resume would send of a run that is done. */
  readonly left: LeftReports;
  /** Start of its last attempt, milliseconds since the Unix epoch. */
  readonly startedAtMs: number | null;
  /** Completed steps that a resume would run again; null when there is nothing to resume from. */
  readonly repeats: number | null;
  /** As in `run.json`; null when it cannot be read. */
  readonly file: RunFile | null;
}

/** What the last rows of metrics tell. */
type Progress = Pick<ListedRun, "steps" | "totalSteps" | "reward" | "recentRewards" | "left">;

/** By folder: what was read last, so that rows are not parsed again while none is added. */
export type KnownProgress = Map<string, { readonly version: string; readonly progress: Progress }>;

/** Longer than ten rows of metrics, and than any single one. */
const TAIL_BYTES = 256 * 1024;
const RECENT_STEPS = 10;
const ENDED: ReadonlySet<RunPhase> = new Set(["done", "failed", "stopped"]);

/** The runs directly in `parent`, the newest first; none when it does not exist. @throws AppError `file-unreadable` */
export async function listRuns(
  fileSystem: FileSystem,
  parent: string,
  liveness: Liveness,
  known: KnownProgress = new Map(),
): Promise<readonly ListedRun[]> {
  const runs: ListedRun[] = [];
  for (const name of await fileSystem.list(parent)) {
    const run = await readRun(fileSystem, { name, folder: `${parent}/${name}` }, liveness, known);
    if (run !== null) runs.push(run);
  }
  return runs.sort((a, b) => (b.startedAtMs ?? 0) - (a.startedAtMs ?? 0));
}

/** One run of a list; null for anything that is not a run. @throws AppError `file-unreadable` */
export async function readRun(
  fileSystem: FileSystem,
  place: Pick<ListedRun, "name" | "folder">,
  liveness: Liveness,
  known: KnownProgress = new Map(),
): Promise<ListedRun | null> {
  const nothing = {
    ...{ steps: 0, totalSteps: null, reward: null, recentRewards: [], left: NOTHING_LEFT },
    ...{ startedAtMs: null, repeats: null, file: null },
  };
  try {
    const file = await readRunFile(fileSystem, place.folder);
    if (file === null) return null;
    const progress = await readProgress(fileSystem, place.folder, file, known);
    return {
      ...place,
      ...progress,
      file,
      phase: phaseOf(file, liveness),
      startedAtMs: file.startedAtMs,
      repeats: await repeatedSteps(fileSystem, place.folder, progress.steps),
    };
  } catch (error) {
    if (isAppError(error, "run-file-invalid")) return { ...place, ...nothing, phase: "unreadable" };
    // A plain file beside the run folders.
    if (isAppError(error, "file-unreadable")) return null;
    throw error;
  }
}

function phaseOf(file: RunFile, liveness: Liveness): ListedRun["phase"] {
  return ENDED.has(file.phase) || isRunInUse(file, liveness) ? file.phase : "interrupted";
}

/** The run's plan, as its last row tells it. */
function totalSteps(row: MetricsRow | undefined): number | null {
  const done = row === undefined ? null : measure(row, "progress/done_frac");
  return row === undefined || done === null || done <= 0 ? null : Math.round((row.step + 1) / done);
}

function measure(row: MetricsRow, name: string): number | null {
  const value = flattenMetrics(row)[name];
  return typeof value === "number" ? value : null;
}

async function readProgress(
  fileSystem: FileSystem,
  folder: string,
  { runId, generation, phase }: RunFile,
  known: KnownProgress,
): Promise<Progress> {
  const path = runPaths(folder).metrics;
  const size = (await fileSystem.size(path)) ?? 0;
  // Within a generation files only grow.
  const version = `${runId} ${generation} ${phase} ${size}`;
  const before = known.get(folder);
  if (before?.version === version) return before.progress;
  const rows = await lastRows(fileSystem, path, size);
  const recentRewards = rows.map((row) => measure(row, "rollout/reward/mean"));
  const steps = (rows.at(-1)?.step ?? -1) + 1;
  const progress = {
    steps,
    totalSteps: totalSteps(rows.at(-1)),
    reward: recentRewards.at(-1) ?? null,
    recentRewards,
    left: phase === "done" ? await leftReports(fileSystem, folder, steps) : NOTHING_LEFT,
  };
  known.set(folder, { version, progress });
  return progress;
}

/** The end of the file is enough, however long the run was. */
async function lastRows(
  fileSystem: FileSystem,
  path: string,
  size: number,
): Promise<readonly MetricsRow[]> {
  if (size === 0) return [];
  const start = Math.max(0, size - TAIL_BYTES);
  const { lines } = parseJsonLines(await fileSystem.readRange(path, start, size - start));
  return lines
    .map(({ value }) => value)
    .filter(isMetricsRow)
    .slice(-RECENT_STEPS);
}

/** The program writes the rows itself; what is read of one is looked at again. */
function isMetricsRow(value: unknown): value is MetricsRow {
  return isJsonObject(value) && typeof value["step"] === "number";
}

async function repeatedSteps(
  fileSystem: FileSystem,
  folder: string,
  steps: number,
): Promise<number | null> {
  try {
    const state = await readState(fileSystem, folder);
    return state === null || state.last_checkpoint === null
      ? null
      : Math.max(0, steps - state.step);
  } catch (error) {
    if (isAppError(error, "state-too-new", "state-invalid")) return null;
    throw error;
  }
}

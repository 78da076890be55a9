/** Finds the runs in a folder and what a list tells about each. */

import type { RunFile, RunPhase } from "../../shared/runFile.ts";
import { errorMessage, isAppError } from "../errors.ts";
import type { FileSystem, FolderFiles } from "../ports.ts";
import { lastLines, parseJsonLines } from "../util/jsonl.ts";
import { runPaths } from "./layout.ts";
import { type LeftReports, leftReports, NOTHING_LEFT } from "./leftReports.ts";
import { flattenMetrics, type MetricsRow } from "./metricsTree.ts";
import { isMetricsRow } from "./reader.ts";
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
  /** What of it cannot be read, in sentences for people; null when nothing was found. */
  readonly problem: string | null;
}

/** What the last rows of metrics tell. */
type Progress = Pick<
  ListedRun,
  "steps" | "totalSteps" | "reward" | "recentRewards" | "left" | "problem"
>;

/** By folder: what was read last, so that rows are not parsed again while none is added. */
export type KnownProgress = Map<string, { readonly version: string; readonly progress: Progress }>;

/** Longer than ten rows of metrics, and than any single one. */
const TAIL_BYTES = 256 * 1024;
const RECENT_STEPS = 10;
const LINE_FEED = 0x0a;
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
  const files = fileSystem.within(place.folder);
  const unreadable = (error: unknown): ListedRun => {
    return { ...place, ...nothing, phase: "unreadable", problem: errorMessage(error) };
  };
  try {
    // Beside runs there may be links that have nothing to do with them.
    if ((await fileSystem.size(runPaths(place.folder).runFile)) === null) return null;
    const file = await readRunFile(files, place.folder);
    if (file === null) return null;
    const progress = await readProgress(files, place.folder, file, known);
    const resume = await resumePoint(files, place.folder, progress.steps);
    const problems = [progress.problem, resume.problem].filter((problem) => problem !== null);
    return {
      ...place,
      ...progress,
      file,
      phase: phaseOf(file, liveness),
      startedAtMs: file.startedAtMs,
      repeats: resume.repeats,
      problem: problems.length === 0 ? null : problems.join(" "),
    };
  } catch (error) {
    // A plain file beside the run folders.
    if (isAppError(error, "file-unreadable") && (await isFile(fileSystem, place.folder)))
      return null;
    // Whatever is wrong with one run, it hides no other.
    return unreadable(error);
  }
}

async function isFile(fileSystem: FileSystem, path: string): Promise<boolean> {
  return fileSystem.list(path).then(
    () => false,
    () => true,
  );
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
  fileSystem: FolderFiles,
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
  const { rows, problem } = await lastRows(fileSystem, path, size);
  const recentRewards = rows.map((row) => measure(row, "rollout/reward/mean"));
  const steps = (rows.at(-1)?.step ?? -1) + 1;
  const progress = {
    steps,
    totalSteps: totalSteps(rows.at(-1)),
    reward: recentRewards.at(-1) ?? null,
    recentRewards,
    left: phase === "done" ? await leftReports(fileSystem, folder, steps) : NOTHING_LEFT,
    problem,
  };
  known.set(folder, { version, progress });
  return progress;
}

/** The end of the file is enough, however long the run was. */
async function lastRows(
  fileSystem: FolderFiles,
  path: string,
  size: number,
): Promise<{ readonly rows: readonly MetricsRow[]; readonly problem: string | null }> {
  if (size === 0) return { rows: [], problem: null };
  const start = Math.max(0, size - TAIL_BYTES);
  const tail = await fileSystem.readRange(path, start, size - start);
  // The tail begins somewhere in a line.
  const whole = start === 0 ? tail : tail.subarray(tail.indexOf(LINE_FEED) + 1);
  const { lines } = parseJsonLines(lastLines(whole, 2 * RECENT_STEPS));
  const rows = lines.map(({ value }) => value).filter(isMetricsRow);
  const isSound = rows.length > 0 || !whole.includes(LINE_FEED);
  return {
    rows: rows.slice(-RECENT_STEPS),
    problem: isSound ? null : "metrics.jsonl is damaged: its last lines cannot be read.",
  };
}

/** How many steps a resume repeats, and why there can be none. */
async function resumePoint(
  fileSystem: FolderFiles,
  folder: string,
  steps: number,
): Promise<Pick<ListedRun, "repeats" | "problem">> {
  try {
    const state = await readState(fileSystem, folder);
    const isEmpty = state === null || state.last_checkpoint === null;
    return { repeats: isEmpty ? null : Math.max(0, steps - state.step), problem: null };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { repeats: null, problem: error.message };
  }
}

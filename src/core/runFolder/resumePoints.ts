/** The saves that a run can be resumed from: the newest, and older ones that are recorded. */

import { isAppError } from "../errors.ts";
import { isJsonObject } from "../json.ts";
import type { FolderFiles } from "../ports.ts";
import { appendCheckpoint, type CheckpointEntry, readCheckpoints } from "./checkpointLog.ts";
import { runPaths } from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";
import {
  parseRunState,
  type RunState,
  readStates,
  replaceStates,
  type SavedState,
} from "./state.ts";

export interface ResumePoint {
  /** Without the curriculum, unless it comes from `state.json`: see {@link wholeState}. */
  readonly state: SavedState | RunState;
  readonly statePath: string;
  /** When the service deletes it, in milliseconds since the Unix epoch; null = never. */
  readonly expiresAtMs: number | null;
}

/**
 * A run's saves by completed steps, newest first. Omits those recorded as deleted; whether the others still exist only the
 * service knows.
 * @throws AppError `state-format`; `state-invalid` if there are states but none can be read
 */
export async function readResumePoints(
  fileSystem: FolderFiles,
  folder: string,
  nowMs: number,
): Promise<readonly ResumePoint[]> {
  const recorded = recordedSaves(await readCheckpoints(fileSystem, folder));
  try {
    const { states } = await readStates(fileSystem, folder);
    return resumePoints(states, recorded, nowMs);
  } catch (error) {
    const points = resumePoints([], recorded, nowMs);
    if (isAppError(error, "state-invalid") && points.length > 0) return points;
    throw error;
  }
}

/** The point's state with its curriculum. */
export async function wholeState(
  fileSystem: FolderFiles,
  folder: string,
  { state, statePath }: ResumePoint,
): Promise<RunState> {
  let { curriculum }: Partial<RunState> = state;
  if (curriculum !== undefined) return { ...state, curriculum };
  for await (const { value } of readLines(fileSystem, runPaths(folder).checkpoints)) {
    if (!isJsonObject(value) || value["state_path"] !== statePath) continue;
    curriculum = parseRunState(value["state"])?.curriculum ?? curriculum;
  }
  return curriculum === undefined ? state : { ...state, curriculum };
}

/** What `checkpoints.jsonl` says about a run's saves, using the last line of each. */
export interface RecordedSaves {
  /** The saves whose line holds a full state to resume from, newest first, including expired ones. */
  readonly points: readonly ResumePoint[];
  /** Expiry by state path; null = never. */
  readonly expiries: ReadonlyMap<string, number | null>;
}

export function recordedSaves(entries: readonly CheckpointEntry[]): RecordedSaves {
  const points = new Map<string, ResumePoint>();
  const expiries = new Map<string, number | null>();
  const paths = new Map<string, string>();
  for (const { name, state, state_path, expires_at } of entries) {
    const statePath = state_path ?? paths.get(name);
    if (statePath === undefined) continue;
    paths.set(name, statePath);
    // A state that was deleted alone has expired, although the entry's sampler has not.
    const expiresAtMs =
      state_path === null ? 0 : expires_at === null ? null : Date.parse(expires_at);
    expiries.set(statePath, expiresAtMs);
    points.delete(statePath);
    if (state !== undefined) points.set(statePath, { state, statePath, expiresAtMs });
  }
  return { points: newestFirst([...points.values()]), expiries };
}

/** Like {@link readResumePoints}, for data that has already been read. */
export function resumePoints(
  states: readonly RunState[],
  recorded: RecordedSaves,
  nowMs: number,
): readonly ResumePoint[] {
  const points = new Map<string, ResumePoint>();
  for (const state of states) {
    if (state.last_checkpoint === null) continue;
    const { state_path: statePath, expires_at } = state.last_checkpoint;
    const own = expires_at === null ? null : Date.parse(expires_at);
    const changed = recorded.expiries.get(statePath);
    const expiresAtMs = changed === undefined ? own : changed;
    if (!points.has(statePath)) points.set(statePath, { state, statePath, expiresAtMs });
  }
  for (const point of recorded.points) {
    const { statePath, expiresAtMs } = point;
    if (expiresAtMs !== null && expiresAtMs <= nowMs) points.delete(statePath);
    else if (!points.has(statePath)) points.set(statePath, point);
  }
  return newestFirst([...points.values()]);
}

/** The first point that has not expired, as far as is known locally. */
export function newestUnexpired(points: readonly ResumePoint[], nowMs: number): ResumePoint | null {
  return points.find(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > nowMs) ?? null;
}

/** Going back to an older save. */
export interface Rewind {
  readonly point: ResumePoint;
  /** The newer saves, which the service no longer has. */
  readonly gone: readonly ResumePoint[];
  /** Number of steps that the run had completed. */
  readonly completed: number;
}

/**
 * Records that a run continues from `point` because the newer saves are gone. Their steps will be repeated, so they are not
 * looked for again. @throws AppError `disk`
 */
export async function rewindTo(
  fileSystem: FolderFiles,
  folder: string,
  { point, gone }: Pick<Rewind, "point" | "gone">,
  nowMs: number,
): Promise<void> {
  await replaceStates(fileSystem, folder, await wholeState(fileSystem, folder, point));
  const expires_at = new Date(nowMs).toISOString();
  const paths = new Set(gone.map(({ statePath }) => statePath));
  const entries = await readCheckpoints(fileSystem, folder);
  const last = new Map(entries.map((entry) => [entry.state_path, entry]));
  for (const [path, entry] of last) {
    if (path !== null && paths.has(path)) {
      await appendCheckpoint(fileSystem, folder, { ...entry, expires_at });
    }
  }
}

/** Keeps the order of equal steps. */
function newestFirst(points: readonly ResumePoint[]): readonly ResumePoint[] {
  return points.toSorted((a, b) => b.state.step - a.state.step);
}

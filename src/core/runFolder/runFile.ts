/** Reads `run.json` and decides whether a trainer still uses its folder. */

import * as z from "zod";
import { hasEnded } from "../../shared/hasEnded.ts";
import type { EvaluationPlan, RunFile, RunPhase, SweepMember } from "../../shared/runFile.ts";
import { AppError, absent } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";
import { runPaths } from "./files/layout.ts";
import { baseName, checkpointPath, storedId } from "./files/storedNames.ts";
import { MAX_BYTES } from "./files/wholeFiles.ts";

/** A trainer writes its heartbeat this often. */
export const HEARTBEAT_MS = 5_000;
/** A heartbeat that is further away than this, in the past or by a wrong clock in the future, says nothing of a living trainer. */
const STALE_HEARTBEAT_MS = 30_000;

export const runPhases = [
  "preparing",
  "running",
  "pausing",
  "paused",
  "finishing",
  "done",
  "failed",
  "stopped",
] as const satisfies readonly RunPhase[];

const wholeNumber = z.number().int().nonnegative();
/** Counts attempts and the like; bounded, so that it can always be raised. */
const smallNumber = wholeNumber.max(1_000_000);

/** More than any override has. */
const MAX_SETTING = 10_000;
/** More than a grid has keys. */
const MAX_SETTINGS = 100;

export const sweepMemberSchema: z.ZodType<SweepMember> = z
  .object({
    id: storedId,
    name: baseName,
    combination: smallNumber,
    combinations: smallNumber,
    settings: z.array(z.string().max(MAX_SETTING)).max(MAX_SETTINGS).readonly(),
  })
  .readonly();

/** More than anybody compares. */
const MAX_MODELS = 1_000;

const evaluationPlanSchema: z.ZodType<EvaluationPlan> = z
  .object({
    models: z
      .array(
        z
          .object({
            name: z.string().max(MAX_SETTING),
            path: checkpointPath.nullable(),
            step: wholeNumber,
          })
          .readonly(),
      )
      .max(MAX_MODELS)
      .readonly(),
    digest: z.string().max(MAX_SETTING),
  })
  .readonly();

export const runFileSchema: z.ZodType<RunFile> = z
  .object({
    schemaVersion: z.literal(1),
    runId: storedId,
    name: baseName,
    pid: wholeNumber,
    host: z.string(),
    owner: z.enum(["terminal", "editor"]),
    startedAtMs: z.number(),
    heartbeatAtMs: z.number(),
    generation: smallNumber,
    attempt: smallNumber,
    phase: z.enum(runPhases),
    configPath: z.string(),
    control: z.object({ address: z.string(), tokenPath: z.string() }).readonly().nullable(),
    ending: z.object({ code: z.string(), message: z.string() }).readonly().exactOptional(),
    sweep: sweepMemberSchema.exactOptional(),
    evaluation: evaluationPlanSchema.exactOptional(),
  })
  .readonly();

export interface Liveness {
  readonly nowMs: number;
  /** True when a process with this id exists, and also when nothing is known of it because it runs on another computer. */
  readonly isProcessAlive: (pid: number, host?: string) => boolean;
}

/**
 * The folder's `run.json`, or null when the folder has none.
 * @throws AppError `run-file-invalid` when it is not one this version can read.
 */
export async function readRunFile(
  fileSystem: FolderFiles,
  folder: string,
): Promise<RunFile | null> {
  const path = runPaths(folder).runFile;
  const text = await fileSystem.readText(path, MAX_BYTES.runFile).catch(absent(null));
  if (text === null) return null;
  const parsed = runFileSchema.safeParse(parseJson(text)?.value);
  if (parsed.success) return parsed.data;
  throw new AppError(
    "run-file-invalid",
    `${path} is damaged, or another version wrote it. Use the version that wrote it, or start a new run.`,
    { data: { path }, cause: parsed.error },
  );
}

/** @throws AppError `run-not-found` when the folder has none, and as {@link readRunFile} does */
export async function requireRunFile(fileSystem: FolderFiles, folder: string): Promise<RunFile> {
  const file = await readRunFile(fileSystem, folder);
  if (file !== null) return file;
  const isThere = (await fileSystem.size(folder)) !== null;
  const message = isThere
    ? `${folder} is not a run folder: run.json is missing. Choose a run folder; those of a sweep or of stages are beside its own folder.`
    : `${folder} does not exist. Choose a run folder.`;
  throw new AppError("run-not-found", message, { data: { folder } });
}

/** A process in messages: its number with the computer, because a folder may be shared. */
export function processText({ pid, host }: Pick<RunFile, "pid" | "host">): string {
  return `${pid} on ${host}`;
}

/** True while the trainer named in the file is alive and writes heartbeats. */
export function isRunInUse(file: RunFile, liveness: Liveness): boolean {
  return !hasEnded(file.phase) && isBeating(file, liveness);
}

/** The phase as it is shown: a trainer that no longer exists without an end has left its run interrupted. */
export function phaseOf(file: RunFile, liveness: Liveness): RunPhase | "interrupted" {
  return hasEnded(file.phase) || isRunInUse(file, liveness) ? file.phase : "interrupted";
}

/** True while the process that writes this heartbeat is alive and does so. */
export function isBeating(
  { heartbeatAtMs, pid, host }: Pick<RunFile, "heartbeatAtMs" | "pid" | "host">,
  { nowMs, isProcessAlive }: Liveness,
): boolean {
  return Math.abs(nowMs - heartbeatAtMs) < STALE_HEARTBEAT_MS && isProcessAlive(pid, host);
}

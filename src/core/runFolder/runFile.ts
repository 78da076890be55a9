/** Reads `run.json` and decides whether a trainer is still using its folder. */

import * as z from "zod";
import { hasEnded } from "../../shared/hasEnded.ts";
import {
  type EvaluationPlan,
  RUN_PHASES,
  type RunFile,
  type RunPhase,
  type SweepMember,
} from "../../shared/runFile.ts";
import { AppError, absent } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";
import { runPaths } from "./files/layout.ts";
import { baseName, checkpointPath, storedId } from "./files/storedNames.ts";
import { MAX_BYTES } from "./files/wholeFiles.ts";

/** How often a trainer writes its heartbeat. */
export const HEARTBEAT_MS = 5_000;
/** A heartbeat further away than this, in the past or (with a wrong clock) in the future, is not evidence of a living trainer. */
const STALE_HEARTBEAT_MS = 30_000;

const wholeNumber = z.number().int().nonnegative();
/** For attempts and the like; bounded, so that it can always be incremented. */
const smallNumber = wholeNumber.max(1_000_000);

/** Longer than any override. */
const MAX_SETTING = 10_000;
/** More than any grid has keys. */
const MAX_SETTINGS = 100;

export const sweepMemberSchema: z.ZodType<SweepMember> = z
  .object({
    id: storedId,
    name: baseName,
    combination: smallNumber,
    combinations: smallNumber,
    settings: z.array(z.string().max(MAX_SETTING)).max(MAX_SETTINGS).readonly(),
    left: z
      .object({
        step: wholeNumber,
        keys: z.array(z.string().max(MAX_SETTING)).max(MAX_SETTINGS).readonly(),
      })
      .readonly()
      .exactOptional(),
  })
  .readonly();

/** More than anyone compares. */
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
    phase: z.enum(RUN_PHASES),
    configPath: z.string(),
    control: z.object({ address: z.string(), tokenPath: z.string() }).readonly().nullable(),
    ending: z.object({ code: z.string(), message: z.string() }).readonly().exactOptional(),
    sweep: sweepMemberSchema.exactOptional(),
    evaluation: evaluationPlanSchema.exactOptional(),
  })
  .readonly();

export interface Liveness {
  readonly nowMs: number;
  /** True if a process with this id exists; also true for another host, where that is unknown. */
  readonly isProcessAlive: (pid: number, host?: string) => boolean;
}

/**
 * The folder's `run.json`, or null if it has none.
 * @throws AppError `run-file-invalid` if this version cannot read it
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

/** @throws AppError `run-not-found` if the folder has none, and like {@link readRunFile} */
export async function requireRunFile(fileSystem: FolderFiles, folder: string): Promise<RunFile> {
  const file = await readRunFile(fileSystem, folder);
  if (file !== null) return file;
  const isThere = (await fileSystem.size(folder)) !== null;
  const message = isThere
    ? `${folder} is not a run folder: run.json is missing. Choose a run folder; those of a sweep or of stages are beside its own folder.`
    : `${folder} does not exist. Choose a run folder.`;
  throw new AppError("run-not-found", message, { data: { folder } });
}

/** A process in messages: its id and the computer, because a folder may be shared. */
export function processText({ pid, host }: Pick<RunFile, "pid" | "host">): string {
  return `${pid} on ${host}`;
}

/** True while the trainer named in the file is alive and writing heartbeats. */
export function isRunInUse(file: RunFile, liveness: Liveness): boolean {
  return !hasEnded(file.phase) && isBeating(file, liveness);
}

/** The phase to show: a run whose trainer is gone without recording an end is `interrupted`. */
export function phaseOf(file: RunFile, liveness: Liveness): RunPhase | "interrupted" {
  return hasEnded(file.phase) || isRunInUse(file, liveness) ? file.phase : "interrupted";
}

/** True while the process that writes this heartbeat is alive and writing it. */
export function isBeating(
  { heartbeatAtMs, pid, host }: Pick<RunFile, "heartbeatAtMs" | "pid" | "host">,
  { nowMs, isProcessAlive }: Liveness,
): boolean {
  return Math.abs(nowMs - heartbeatAtMs) < STALE_HEARTBEAT_MS && isProcessAlive(pid, host);
}

/** The folder of an evaluation by itself: a new one beside the runs, or one in which the same evaluation was interrupted. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Config } from "../../core/config/fields/schema.ts";
import { redactSecrets } from "../../core/config/secretValues.ts";
import { isAppError } from "../../core/errors.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import { isRunInUse, readRunFile } from "../../core/runFolder/runFile.ts";
import { folderName, resumeRun, startRun } from "../../core/runFolder/runFolder.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import { waitingUploads } from "../../core/tracking/openreward/uploadLog.ts";
import { systemClock } from "../../node/clock.ts";
import { sha256 } from "../../node/hash.ts";
import { isProcessAlive } from "../../node/processes.ts";
import { runName, runParent } from "../../node/runPaths.ts";
import type { PlannedModel, RunOwner, SweepMember } from "../../shared/runFile.ts";
import type { LoadedConfig } from "../config/configFiles.ts";

export interface EvaluationFolderOptions {
  readonly fileSystem: FileSystem;
  readonly loaded: LoadedConfig;
  readonly models: readonly PlannedModel[];
  readonly owner: RunOwner;
  /** Where it is a stage; absent for an evaluation by itself. */
  readonly sweep?: SweepMember | undefined;
}

/** Name of the folder; a number is added when it is taken. */
export function evaluationName({ config, path }: Pick<LoadedConfig, "config" | "path">): string {
  return `${runName(config, path)}-evaluation`;
}

/**
 * The newest folder in which an evaluation of the same models with the same settings has not ended, or has rollouts left to upload; null
 * without.
 */
export async function unfinishedEvaluation({
  fileSystem,
  loaded: { config, path },
  models,
}: EvaluationFolderOptions): Promise<string | null> {
  const own = folderName(evaluationName({ config, path }));
  const parent = runParent(config, path);
  const digest = planDigest(models, config);
  const found: { readonly folder: string; readonly startedAtMs: number }[] = [];
  for (const each of await fileSystem.list(parent)) {
    if (!each.startsWith(own)) continue;
    const folder = `${parent}/${each}`;
    const file = await readRunFile(fileSystem.within(folder), folder).catch(ignoreUnreadable);
    if (file?.evaluation?.digest !== digest) continue;
    const isLeft = file.phase !== "done" || (await hasUploads(fileSystem.within(folder), folder));
    if (!isLeft) continue;
    const liveness = { nowMs: systemClock.now(), isProcessAlive };
    if (!isRunInUse(file, liveness)) found.push({ folder, startedAtMs: file.startedAtMs });
  }
  return found.sort((a, b) => b.startedAtMs - a.startedAtMs)[0]?.folder ?? null;
}

/** Claims the folder of an {@link unfinishedEvaluation}; null = a new one. @throws AppError `disk`, `folder-unsafe` */
export async function claimEvaluation(
  { fileSystem, loaded, models, owner, sweep }: EvaluationFolderOptions,
  folder: string | null,
): Promise<RunLease> {
  const { config, path: configPath } = loaded;
  const starter = { owner, configPath, pid: process.pid, host: hostname() };
  const ports = { fileSystem, clock: systemClock };
  if (folder === null) {
    const evaluation = { models, digest: planDigest(models, config) };
    const place = { parent: runParent(config, configPath), name: evaluationName(loaded) };
    return startRun(ports, { ...starter, ...place, runId: randomUUID(), evaluation, sweep });
  }
  // Nothing in it is of a later step than this.
  const step = Number.MAX_SAFE_INTEGER;
  return resumeRun({ ...ports, isProcessAlive }, { ...starter, folder, step });
}

function planDigest(models: readonly PlannedModel[], config: Config): string {
  // With another budget it continues.
  const budgets = { max_cost_usd: null, max_tokens_total: null, max_hours: null };
  return sha256(JSON.stringify([models, { ...redactSecrets(config), ...budgets }]));
}

async function hasUploads(files: FolderFiles, folder: string): Promise<boolean> {
  return ((await waitingUploads(files, folder)) ?? 0) > 0;
}

/** A folder that cannot be read is none to continue in. */
function ignoreUnreadable(error: unknown): null {
  if (isAppError(error)) return null;
  throw error;
}

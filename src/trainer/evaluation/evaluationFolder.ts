/** The folder of a standalone evaluation: a new one next to the runs, or one in which the same evaluation was interrupted. */

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
  /** Present if this is a stage; absent for a standalone evaluation. */
  readonly sweep?: SweepMember | undefined;
}

/** Folder name; a number is appended if it is taken. */
export function evaluationName({ config, path }: Pick<LoadedConfig, "config" | "path">): string {
  return `${runName(config, path)}-evaluation`;
}

/**
 * The newest folder with an unfinished evaluation of the same models and settings, or with rollouts left to upload; null if there is
 * none.
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

/** Claims the folder of an {@link unfinishedEvaluation}, or a new one if null. @throws AppError `disk`, `folder-unsafe` */
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
  // Keeps everything: nothing in the folder belongs to a later step.
  const step = Number.MAX_SAFE_INTEGER;
  return resumeRun({ ...ports, isProcessAlive }, { ...starter, folder, step });
}

function planDigest(models: readonly PlannedModel[], config: Config): string {
  // Budgets are ignored, so that raising one continues the evaluation.
  const budgets = { max_cost_usd: null, max_tokens_total: null, max_hours: null };
  return sha256(JSON.stringify([models, { ...redactSecrets(config), ...budgets }]));
}

async function hasUploads(files: FolderFiles, folder: string): Promise<boolean> {
  return ((await waitingUploads(files, folder)) ?? 0) > 0;
}

/** An unreadable folder cannot be continued. */
function ignoreUnreadable(error: unknown): null {
  if (isAppError(error)) return null;
  throw error;
}

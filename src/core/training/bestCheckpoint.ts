/** Marks the best checkpoint of a run by `save_best`, and deletes what was saved to be compared and lost. */

import { formatMeasure } from "../../shared/format.ts";
import { errorMessage, isAppError } from "../errors.ts";
import { bestChange } from "../runFolder/bestCheckpoint.ts";
import {
  appendCheckpoint,
  type CheckpointEntry,
  readCheckpoints,
} from "../runFolder/checkpointLog.ts";
import { readEvaluations } from "../runFolder/evaluationLog.ts";
import type { PlayContext } from "./run/context.ts";
import { report } from "./run/report.ts";

export class BestCheckpoint {
  #updating: Promise<void> = Promise.resolve();

  /** Call after each confirmed save and each evaluation, in any order. @throws AppError `disk` */
  update(context: PlayContext): Promise<void> {
    const { save_best: metric } = context.config;
    if (metric === null) return Promise.resolve();
    const updating = this.#updating.then(() => update(context, metric));
    this.#updating = updating.catch(() => undefined);
    return updating;
  }
}

async function update(context: PlayContext, metric: string): Promise<void> {
  const { ports, reporting, storage } = context;
  const { fileSystem, folder } = storage;
  const entries = await readCheckpoints(fileSystem, folder);
  const evaluations = await readEvaluations(fileSystem, folder);
  const nowMs = ports.clock.now();
  const { marked, unmarked, replaced } = bestChange(entries, evaluations, metric, nowMs);
  for (const entry of unmarked) await appendCheckpoint(fileSystem, folder, entry);
  if (marked?.best !== undefined) {
    await appendCheckpoint(fileSystem, folder, marked);
    const { name, step, best } = marked;
    await report(reporting, {
      ...{ step, level: "info", kind: "best-checkpoint" },
      message: `The best checkpoint so far is ${name}, after step ${step}: ${metric} is ${formatMeasure(best.value)}.`,
      data: { name, metric, value: best.value },
    });
  }
  // The mark is written first: a crash in between leaves a checkpoint too many, never one too few.
  const expires_at = new Date(nowMs).toISOString();
  for (const entry of replaced) {
    if (await isDeleted(context, entry)) {
      await appendCheckpoint(fileSystem, folder, { ...entry, expires_at });
    }
  }
}

/** False when the service could not delete it: the next save tries again. */
async function isDeleted(
  { services, reporting }: PlayContext,
  { state_path, sampler_path }: CheckpointEntry,
): Promise<boolean> {
  for (const path of [state_path, sampler_path]) {
    if (path === null) continue;
    try {
      await services.service.deleteCheckpoint(path);
    } catch (error) {
      if (isAppError(error, "tinker-not-found")) continue;
      reporting.log.warn("A checkpoint that is no longer the best was not deleted.", {
        path,
        reason: errorMessage(error),
      });
      return false;
    }
  }
  return true;
}

/** Marks the best checkpoint of a run by `save_best`, and deletes what was saved to be compared and lost. */

import { formatMeasure } from "../../shared/format.ts";
import { bestChange } from "../runFolder/bestCheckpoint.ts";
import {
  appendCheckpoint,
  type CheckpointEntry,
  readCheckpoints,
} from "../runFolder/checkpointLog.ts";
import { readEvaluations } from "../runFolder/evaluationLog.ts";
import type { PlayContext } from "./run/context.ts";
import { deleteSaved } from "./run/deleteSaved.ts";
import { report } from "./run/report.ts";

export class BestCheckpoint {
  #updating: Promise<void> = Promise.resolve();
  /** Names of those that are not deleted, because no session of this run saved them. */
  readonly #kept = new Set<string>();

  /** Call after each confirmed save and each evaluation, in any order. @throws AppError `disk` */
  update(context: PlayContext): Promise<void> {
    const { save_best: metric } = context.config;
    if (metric === null) return Promise.resolve();
    const updating = this.#updating.then(() => update(context, metric, this.#kept));
    this.#updating = updating.catch(() => undefined);
    return updating;
  }
}

async function update(context: PlayContext, metric: string, kept: Set<string>): Promise<void> {
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
      step,
      level: "info",
      kind: "best-checkpoint",
      message: `The best checkpoint so far is ${name}, after step ${step}: ${metric} is ${formatMeasure(best.value)}.`,
      data: { name, metric, value: best.value },
    });
  }
  // The mark is written first: a crash in between leaves a checkpoint too many, never one too few.
  const expires_at = new Date(nowMs).toISOString();
  for (const entry of replaced) {
    if (!kept.has(entry.name) && (await isDeleted(context, entry, kept))) {
      await appendCheckpoint(fileSystem, folder, { ...entry, expires_at });
    }
  }
}

/** False when the service could not delete it, then the next save tries again; or when it is not this run's. */
async function isDeleted(
  context: PlayContext,
  { name, step, state_path, sampler_path }: CheckpointEntry,
  kept: Set<string>,
): Promise<boolean> {
  const paths = [state_path, sampler_path].filter((path) => path !== null);
  const foreign = paths.filter((path) => !context.services.isOwn(path));
  if (foreign.length > 0) {
    kept.add(name);
    await report(context.reporting, {
      step,
      level: "warn",
      kind: "checkpoint-kept",
      message: `${name} is no longer the best checkpoint, but is kept: only the run folder says that this run saved ${foreign.join(" and ")}, which may belong to another run.`,
      data: { paths: foreign },
    });
    return false;
  }
  for (const path of paths) {
    const why = `${name} is no longer the best checkpoint`;
    if ((await deleteSaved(context, path, { step, why })) === "failed") return false;
  }
  return true;
}

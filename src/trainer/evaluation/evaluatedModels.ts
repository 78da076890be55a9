/** Which models to evaluate: checkpoints by path, run folders, and the base model. */

import { basename } from "node:path";
import type { Config } from "../../core/config/fields/schema.ts";
import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import {
  type CheckpointEntry,
  readCheckpoints,
  usableCheckpoints,
} from "../../core/runFolder/checkpointLog.ts";
import { readRunFile } from "../../core/runFolder/runFile.ts";
import { formatTinkerPath, parseTinkerPath } from "../../core/tinker/paths.ts";
import { stepOfCheckpoint } from "../../core/training/step/checkpointWriter.ts";
import { systemClock } from "../../node/clock.ts";
import { checkpointMissing, checkpointsAt, type NamedRun, namedRun } from "../../node/namedRun.ts";
import { isOfConfig } from "../../node/runFolder.ts";
import { firstRunPath } from "../../node/runPaths.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { PlannedModel } from "../../shared/runFile.ts";
import type { LoadedConfig } from "../config/configFiles.ts";

/** Name of the base model, whatever the configuration calls it. */
export const BASE = "base";

/** A model with a longer name that includes the run. */
interface NamedModel extends PlannedModel {
  readonly longName: string;
  /** Run folder, or run id of a checkpoint path; null for the base model. */
  readonly run: string | null;
  /** True if the run has another configuration. */
  readonly isOther: boolean;
}

/** The configuration that determines the evaluated tasks. */
interface EvaluatedBy extends Pick<LoadedConfig, "path"> {
  readonly config: Pick<Config, "model_name">;
}

/**
 * The models that `words` name, in order, without duplicates.
 * @throws AppError `checkpoint-not-found`, `model-not-known`, `bad-arguments`
 */
export async function evaluatedModels(
  fileSystem: FileSystem,
  words: readonly string[],
  loaded: EvaluatedBy,
): Promise<readonly PlannedModel[]> {
  const found = new Map<string, NamedModel>();
  for (const word of words) {
    const named = await evaluatedModel(fileSystem, word, loaded);
    found.set(named.path ?? BASE, named);
  }
  const runs = new Set([...found.values()].flatMap(({ run }) => run ?? []));
  const isLong = runs.size > 1 || [...found.values()].some(({ isOther }) => isOther);
  const models = [...found.values()].map(
    ({ longName, name, path, step }): PlannedModel => ({
      name: isLong ? longName : name,
      path,
      step,
    }),
  );
  const byName = groupBy(models, ({ name }) => name);
  return models.map((model) => {
    const isAlone = byName.get(model.name)?.length === 1;
    return isAlone ? model : { ...model, name: model.path ?? BASE };
  });
}

/** Evaluated by default: the base model, and the configuration's run if there is one. */
export async function defaultWords(
  fileSystem: FileSystem,
  { config, path }: Pick<LoadedConfig, "config" | "path">,
): Promise<readonly string[]> {
  const run = await namedRun(fileSystem, firstRunPath(config, path));
  return run === null ? [BASE] : [BASE, run.folder];
}

/** The folder of the first run among `words`, whose configuration can be used; null if there is none. */
export async function firstRunFolder(
  fileSystem: FileSystem,
  words: readonly string[],
): Promise<string | null> {
  for (const word of words) {
    const run = await namedRun(fileSystem, word);
    if (run !== null) return run.folder;
  }
  return null;
}

async function evaluatedModel(
  fileSystem: FileSystem,
  word: string,
  { config: { model_name: base }, path }: EvaluatedBy,
): Promise<NamedModel> {
  if (word === BASE || word === base) {
    return { name: BASE, longName: BASE, run: null, isOther: false, path: null, step: 0 };
  }
  if (word.startsWith("tinker://")) return checkpointAt(word);
  const run = await namedRun(fileSystem, word);
  if (run === null) {
    throw new AppError(
      "model-not-known",
      `${word} cannot be evaluated: it is neither a checkpoint (tinker://RUN/sampler_weights/NAME), nor a run folder, nor ${BASE} for ${base} (model_name). For another base model, set model_name.`,
    );
  }
  const saved = await checkpointOf(fileSystem, run);
  const file = await readRunFile(fileSystem.within(run.folder), run.folder);
  return { ...saved, isOther: file !== null && !isOfConfig({ file }, path) };
}

/** For a training state, uses the sampler weights saved under the same name. */
function checkpointAt(word: string): NamedModel {
  const { run, kind, name } = parseTinkerPath(word);
  const sampler = kind === "weights" ? "sampler_weights" : kind;
  const path = formatTinkerPath({ run, kind: sampler, name });
  const step = stepOfCheckpoint(path);
  const shortName = step === null ? name : stepName(step);
  return { name: shortName, longName: path, run, isOther: false, path, step: step ?? 0 };
}

function stepName(step: number): string {
  return `step ${step}`;
}

async function checkpointOf(
  fileSystem: FileSystem,
  run: NamedRun,
): Promise<Omit<NamedModel, "isOther">> {
  const { folder, step } = run;
  const entries = await readCheckpoints(fileSystem.within(folder), folder);
  const usable = usableCheckpoints(entries, systemClock.now()).filter(isSampled);
  const found = checkpointsAt(usable, step).at(-1);
  if (found === undefined) throw checkpointMissing(run, usable);
  const name = stepName(found.step);
  const longName = `${basename(folder)} ${name}`;
  return { name, longName, run: folder, path: found.sampler_path, step: found.step };
}

function isSampled(entry: CheckpointEntry): entry is CheckpointEntry & { sampler_path: string } {
  return entry.sampler_path !== null;
}

/** Resolves trained weights that a configuration refers to: a `tinker://` path, or a run in the form that {@link namedRun} reads. */

import { dirname, resolve } from "node:path";
import type { Config } from "../core/config/fields/schema.ts";
import { namedWeights } from "../core/config/rules/namedWeights.ts";
import { referencedStage } from "../core/config/rules/stageRules.ts";
import type { KeyPath } from "../core/config/source/keyPath.ts";
import { AppError, isAppError } from "../core/errors.ts";
import {
  type CheckpointEntry,
  newestWith,
  readCheckpoints,
  usableCheckpoints,
} from "../core/runFolder/checkpointLog.ts";
import { formatKey } from "../shared/format.ts";
import { systemClock } from "./clock.ts";
import { createFileSystem } from "./fileSystem.ts";
import { checkpointMissing, checkpointsAt, namedRun } from "./namedRun.ts";

interface Named {
  readonly given: string;
  /** The configuration key, for messages. */
  readonly key: string;
  /** The configuration file; folders are relative to it. */
  readonly configPath: string;
}

/**
 * Problems with the weights that a run refers to. `tinker://` paths are not checked, and weights of another stage exist only after that
 * stage.
 */
export async function weightsProblems(
  config: Config,
  configPath: string,
): Promise<readonly { readonly path: KeyPath; readonly error: AppError }[]> {
  const problems: { readonly path: KeyPath; readonly error: AppError }[] = [];
  for (const { path, given } of namedWeights(config)) {
    const isUnread = path[0] === "kl_reference" && config.kl_coef === 0;
    if (isUnread || referencedStage(given) !== null) continue;
    const named = { given, key: formatKey(path), configPath };
    try {
      await (path[0] === "init_from" ? statePathOf(named) : samplerPathOf(named));
    } catch (error) {
      if (!isAppError(error)) throw error;
      problems.push({ path, error });
    }
  }
  return problems;
}

/** Check before anything starts and before there is a folder. @throws AppError like {@link statePathOf} */
export async function requireWeights(config: Config, configPath: string): Promise<void> {
  const [first] = await weightsProblems(config, configPath);
  if (first !== undefined) throw first.error;
}

/** Weights to continue training from. @throws AppError `run-not-found`, `no-such-checkpoint` */
export async function statePathOf(named: Named): Promise<string> {
  if (named.given.startsWith("tinker:")) return named.given;
  const { state_path: path } = await newest(named, "state_path");
  return path ?? named.given;
}

/** Weights to sample from; for a training state path, the sampler weights saved with it. @throws like {@link statePathOf} */
export async function samplerPathOf(named: Named): Promise<string> {
  const { given } = named;
  if (given.startsWith("tinker:")) return given.replace("/weights/", "/sampler_weights/");
  const { sampler_path: path } = await newest(named, "sampler_path");
  return path ?? given;
}

async function newest(
  { given, key, configPath }: Named,
  kind: "state_path" | "sampler_path",
): Promise<CheckpointEntry> {
  const fileSystem = createFileSystem();
  const base = dirname(configPath);
  const place = { configPath: key };
  const run = await namedRun(fileSystem, given, base);
  if (run === null) {
    const message = `${key}: ${resolve(base, given)} is not the folder of a run. Name one, or a tinker:// path.`;
    throw new AppError("run-not-found", message, place);
  }
  const { folder, step } = run;
  const entries = await readCheckpoints(fileSystem.within(folder), folder);
  const usable = usableCheckpoints(entries, systemClock.now());
  const found = newestWith(checkpointsAt(usable, step), kind);
  if (found !== undefined) return found;
  const use = kind === "state_path" ? "to train on" : "to sample from";
  const saved = usable.filter((entry) => entry[kind] !== null);
  const { message } = checkpointMissing(run, saved, use);
  throw new AppError("no-such-checkpoint", `${key}: ${message}`, place);
}

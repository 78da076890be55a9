/** Trained weights by what a configuration says of them: a `tinker://` path, or the folder of a run, whose newest checkpoint counts. */

import { dirname, resolve } from "node:path";
import { AppError } from "../../core/errors.ts";
import {
  type CheckpointEntry,
  newestWith,
  readCheckpoints,
  usableCheckpoints,
} from "../../core/runFolder/checkpointLog.ts";
import { readRunFile } from "../../core/runFolder/runFile.ts";
import { systemClock } from "../../node/clock.ts";
import { createFileSystem } from "../../node/fileSystem.ts";

interface Named {
  readonly given: string;
  /** The key that names them, for messages. */
  readonly key: string;
  /** The configuration file, from which folders are resolved. */
  readonly configPath: string;
}

/** Weights to train on from. @throws AppError `run-not-found`, `no-such-checkpoint` */
export async function statePathOf(named: Named): Promise<string> {
  if (named.given.startsWith("tinker:")) return named.given;
  return (await newest(named, "state_path")).state_path;
}

/** Weights to sample from: of a path to train on from, those that were saved with it. @throws as {@link statePathOf} */
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
  const folder = resolve(dirname(configPath), given);
  const files = createFileSystem().within(folder);
  const place = { configPath: key };
  if ((await readRunFile(files, folder)) === null) {
    const message = `${key}: ${folder} is not the folder of a run. Name one, or a tinker:// path.`;
    throw new AppError("run-not-found", message, place);
  }
  const usable = usableCheckpoints(await readCheckpoints(files, folder), systemClock.now());
  const found = newestWith(usable, kind);
  if (found !== undefined) return found;
  const message = `${key}: the run in ${folder} has no usable checkpoint.`;
  throw new AppError("no-such-checkpoint", message, place);
}

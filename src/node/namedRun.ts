/** Run references on the command line and in configurations: `FOLDER` means the newest checkpoint, `FOLDER@10` the one after 10 steps. */

import { basename, resolve } from "node:path";
import { runAtStep } from "../core/config/rules/namedWeights.ts";
import { AppError } from "../core/errors.ts";
import type { FileSystem } from "../core/ports.ts";
import type { CheckpointEntry } from "../core/runFolder/checkpointLog.ts";
import { runPaths } from "../core/runFolder/files/layout.ts";
import { formatQuantity } from "../shared/format.ts";

export interface NamedRun {
  /** Absolute. */
  readonly folder: string;
  /** Completed steps; null = the newest checkpoint. */
  readonly step: number | null;
}

/** Null if the word is not a run; paths are resolved from `base`. */
export async function namedRun(
  fileSystem: FileSystem,
  word: string,
  base = "",
): Promise<NamedRun | null> {
  if (word.startsWith("tinker:")) return null;
  const whole = resolve(base, word);
  if (await isRun(fileSystem, whole)) return { folder: whole, step: null };
  const named = runAtStep(word);
  const folder = resolve(base, named?.folder ?? "");
  return named !== null && (await isRun(fileSystem, folder)) ? { folder, step: named.step } : null;
}

async function isRun(fileSystem: FileSystem, folder: string): Promise<boolean> {
  if (basename(folder) === "") return false;
  return (await fileSystem.size(runPaths(folder).runFile)) !== null;
}

/** The checkpoints that a reference can mean. */
export function checkpointsAt<Entry extends CheckpointEntry>(
  entries: readonly Entry[],
  step: number | null,
): readonly Entry[] {
  return step === null ? entries : entries.filter((entry) => entry.step === step);
}

/** An error that lists the steps of the run's `usable` checkpoints; `use` is what they are needed for. */
export function checkpointMissing(
  { folder, step }: NamedRun,
  usable: readonly CheckpointEntry[],
  use = "to sample from",
): AppError {
  const steps = [...new Set(usable.map((entry) => entry.step))];
  const wanted = step === null ? "" : ` after ${formatQuantity(step, "step")}`;
  const others =
    steps.length === 0
      ? "Train it until it saves one."
      : `It has some after these steps: ${steps.join(", ")}.`;
  const message = `The run in ${folder} has no checkpoint${wanted} ${use}. ${others}`;
  return new AppError("checkpoint-not-found", message, { data: { folder, steps } });
}

/** Finds the checkpoint of a run folder whose weights are requested, and the run facts for its card. */

import { basename } from "node:path";
import * as z from "zod";
import { overrideSettings, withSettings } from "../../core/config/editing/edits/withSettings.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { AppError } from "../../core/errors.ts";
import type { Clock, FileSystem, FolderFiles } from "../../core/ports.ts";
import {
  type CheckpointEntry,
  newestWith,
  readCheckpoints,
  usableCheckpoints,
} from "../../core/runFolder/checkpointLog.ts";
import { readEvaluations } from "../../core/runFolder/evaluationLog.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { changedSettingLines, readChangedSettings } from "../../core/runFolder/settingEvents.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import type { RunOfWeights } from "../../core/weights/modelCard.ts";
import { checkpointsAt, type NamedRun } from "../../node/namedRun.ts";
import { readOverrides } from "../../node/startConfig.ts";
import { formatQuantity } from "../../shared/format.ts";

const resolvedConfig = z.object({
  model_name: z.string().catch(""),
  method: z.enum(["rl", "sft"]).catch("rl"),
  environments: z.record(z.string(), z.unknown()),
  tinker_base_url: z.string().nullable().catch(null),
});

export interface WeightsOfRun extends RunOfWeights {
  /** Address of its service; null = the one in the variables, or the official one. */
  readonly tinkerBaseUrl: string | null;
  /** True if this computer has the run's weights. */
  readonly isLocal: boolean;
}

/**
 * The newest usable checkpoint of a run, or the named one.
 * @throws AppError `no-such-checkpoint`, `not-a-run`, `folder-unsafe`, `run-file-invalid`
 */
export async function weightsOfRun(
  fileSystem: FileSystem,
  {
    folder,
    step = null,
    name,
    clock,
  }: {
    readonly folder: string;
    /** Only checkpoints after this many steps; null or absent = all. */
    readonly step?: number | null;
    readonly name: string | null;
    readonly clock: Clock;
  },
): Promise<WeightsOfRun> {
  const files = fileSystem.within(folder);
  const usable = usableCheckpoints(await readCheckpoints(files, folder), clock.now());
  const ofStep = checkpointsAt(usable, step);
  const checkpoint =
    name === null ? newestWith(ofStep, "state_path") : ofStep.find((entry) => entry.name === name);
  if (checkpoint === undefined) throw missing({ folder, step }, name, usable);
  const evaluations = await readEvaluations(files, folder);
  const resolved = await readOrEmpty(files, runPaths(folder).resolvedConfig);
  const known = resolvedConfig.safeParse(parseJson(resolved)?.value).data;
  const { environments = {}, tinker_base_url: tinkerBaseUrl = null, model_name = "" } = known ?? {};
  return {
    name: basename(folder),
    checkpoint,
    method: known?.method ?? null,
    environments: Object.keys(environments),
    evaluations: evaluations.filter(({ step }) => step === checkpoint.step),
    ...(await settingsUntil(files, folder, checkpoint)),
    tinkerBaseUrl,
    isLocal: isLocalModel(model_name),
  };
}

/** The settings that the weights were trained with; later changes are reverted. */
async function settingsUntil(
  files: FolderFiles,
  folder: string,
  { step }: CheckpointEntry,
): Promise<Pick<RunOfWeights, "config" | "changes">> {
  const text = await readOrEmpty(files, runPaths(folder).config);
  const given = overrideSettings(text, await readOverrides(files, folder));
  const changed = await readChangedSettings(files, folder);
  const isLater = (each: { readonly step: number }): boolean => each.step >= step;
  const undone = changed.filter(isLater).flatMap(({ change }) => change ?? []);
  const before = undone.map(({ path, before: value }) => ({ path, value })).toReversed();
  return {
    config: withSettings(text, [...given, ...before]),
    changes: changedSettingLines(changed.filter((each) => !isLater(each))),
  };
}

function missing(
  { folder, step }: NamedRun,
  name: string | null,
  usable: readonly CheckpointEntry[],
): AppError {
  const after = step === null ? "" : ` after ${formatQuantity(step, "step")}`;
  const what = `${name === null ? "no usable checkpoint" : `no checkpoint ${name}`}${after}`;
  const names = usable.map((entry) => entry.name);
  const others = names.length === 0 ? "" : ` It has ${names.join(", ")}.`;
  return new AppError("no-such-checkpoint", `The run in ${folder} has ${what}.${others}`);
}

async function readOrEmpty(files: FolderFiles, path: string): Promise<string> {
  return (await files.size(path)) === null ? "" : await files.readText(path);
}

/** Plans how a run goes on: from its state, with its configuration, which may have changed where that is allowed. */

import { configChanges } from "../core/config/changes.ts";
import { isLocalModel } from "../core/config/presets.ts";
import { type Config, configSchemas } from "../core/config/schema.ts";
import { AppError, isAppError } from "../core/errors.ts";
import { isJsonObject } from "../core/json.ts";
import type { FileSystem } from "../core/ports.ts";
import { runPaths } from "../core/run/layout.ts";
import { readRunFile } from "../core/run/runFile.ts";
import { resumeRun } from "../core/run/runFolder.ts";
import { type RunState, readState } from "../core/run/state.ts";
import type { LoopPosition } from "../core/training/loop.ts";
import type { Preparation } from "../core/training/prepare.ts";
import { isProcessAlive } from "../local/engine/service/processes.ts";
import { systemClock } from "../node/clock.ts";
import { type LoadedConfig, loadConfig, redactSecrets } from "./configFiles.ts";
import type { ResumeRequest } from "./contract.ts";
import type { RunPlan } from "./run.ts";

/** @throws AppError `run-not-found`, `run-without-checkpoint`, `config-identity`, `config-invalid` */
export async function planResume(fileSystem: FileSystem, request: ResumeRequest): Promise<RunPlan> {
  const { folder, owner } = request;
  const runFile = await readRunFile(fileSystem, folder);
  if (runFile === null) {
    throw new AppError(
      "run-not-found",
      `${folder} holds no run: run.json is missing. Name the folder of a run.`,
    );
  }
  const before = await readResolved(fileSystem, folder);
  const loaded = await currentConfig(fileSystem, runFile.configPath, before);
  const changes = configChanges(before, redactSecrets(loaded.config));
  const fixed = changes.filter(({ change }) => change === "identity").map(({ path }) => path);
  if (fixed.length > 0) {
    throw new AppError(
      "config-identity",
      `${loaded.path}: error: ${fixed.join(", ")} changed since this run began, so it would be another run. Undo the change, or start a new run with \`tinker-rl train\`.`,
      { configPath: fixed[0] ?? "" },
    );
  }
  const state = await requireState(fileSystem, folder);
  const checkpoint = requireCheckpoint(state, folder);
  return {
    loaded,
    name: runFile.name,
    claim: async (preparation) => {
      requireSameTasks(preparation, state);
      const starter = {
        folder,
        step: state.step,
        pid: process.pid,
        owner,
        configPath: loaded.path,
      };
      return resumeRun({ fileSystem, clock: systemClock, isProcessAlive }, starter);
    },
    createClient: ({ service }) =>
      service.createTrainingClientFromState(checkpoint.state_path, { optimizer: true }),
    start: positionOf(state),
    changedKeys: [...new Set([...state.changed_keys, ...changes.map(({ path }) => path)])],
  };
}

async function readResolved(fileSystem: FileSystem, folder: string): Promise<Config> {
  const path = runPaths(folder).resolvedConfig;
  const json: unknown = JSON.parse(await fileSystem.readText(path));
  const isLocal = isJsonObject(json) && isLocalModel(String(json["model_name"]));
  const parsed = configSchemas[isLocal ? "local" : "hosted"].safeParse(json);
  if (parsed.success) return parsed.data;
  throw new AppError(
    "run-file-invalid",
    `${path} cannot be read by this version. Use the version that wrote it, or start a new run.`,
    { cause: parsed.error },
  );
}

/** The user's file as it stands now; the run's own copy when that file is gone. */
async function currentConfig(
  fileSystem: FileSystem,
  path: string,
  before: Config,
): Promise<LoadedConfig> {
  try {
    return await loadConfig(fileSystem, path);
  } catch (error) {
    if (!isAppError(error, "config-not-found")) throw error;
    const text = `${JSON.stringify(before, null, 2)}\n`;
    const warning = `${path}: warning: the configuration file is gone; the run goes on with its own copy`;
    return { config: before, text, path, warnings: [warning] };
  }
}

async function requireState(fileSystem: FileSystem, folder: string): Promise<RunState> {
  const state = await readState(fileSystem, folder);
  if (state !== null) return state;
  throw new AppError(
    "run-without-checkpoint",
    `${folder} has no state.json: the run ended before its first checkpoint. Start it again with \`tinker-rl train\`.`,
  );
}

function requireCheckpoint(
  state: RunState,
  folder: string,
): NonNullable<RunState["last_checkpoint"]> {
  if (state.last_checkpoint !== null) return state.last_checkpoint;
  throw new AppError("run-without-checkpoint", `${folder}/state.json names no checkpoint.`);
}

function requireSameTasks({ sequence }: Preparation, state: RunState): void {
  if (sequence.fingerprint === state.dataset.fingerprint) return;
  throw new AppError(
    "config-identity",
    "An environment now has another number of tasks than when the run began, so its plan cannot go on. Start a new run with resume_from set to the last checkpoint.",
    { configPath: "environments" },
  );
}

function positionOf(state: RunState): LoopPosition {
  return {
    step: state.step,
    cursor: state.dataset.cursor,
    optimizerUpdates: state.optimizer_updates,
    counters: state.counters,
  };
}

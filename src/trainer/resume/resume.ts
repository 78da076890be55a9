/** Plans how a run continues: from its state, with its configuration, in which some settings may have changed. */

import { hostname } from "node:os";
import type { ConfigChange } from "../../core/config/changes.ts";
import { isSame } from "../../core/config/fields/sameValue.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import {
  type ResumePoint,
  readResumePoints,
  rewindTo,
  wholeState,
} from "../../core/runFolder/resumePoints.ts";
import { readFreeRun, resumeRun } from "../../core/runFolder/runFolder.ts";
import { type RunState, readStates, type StoredStates } from "../../core/runFolder/state.ts";
import { completedSteps } from "../../core/runs/runList.ts";
import type { Preparation } from "../../core/training/prepare.ts";
import type { LoopPosition } from "../../core/training/step/loopPosition.ts";
import { taskCounts } from "../../core/training/tasks/dataset.ts";
import { systemClock } from "../../node/clock.ts";
import { removeDeadSocket } from "../../node/control/removeDeadSocket.ts";
import { isProcessAlive } from "../../node/processes.ts";
import { settingsOfRun } from "../../node/settingsOfRun.ts";
import { startConfig } from "../../node/startConfig.ts";
import { plural } from "../../shared/format.ts";
import type { RunOwner } from "../../shared/runFile.ts";
import { type LoadedConfig, loadConfigText, loadStart } from "../config/configFiles.ts";
import { createClient, startPosition } from "../models/createModel.ts";
import type { RunPlan } from "../plan/runPlan.ts";
import type { ResumeRequest } from "../plan/types.ts";
import { loadNewestState } from "./loadNewestState.ts";

interface ResumePlanRequest extends Pick<ResumeRequest, "folder" | "owner" | "overrides"> {
  /** True if this process itself holds the run; absent = no. */
  readonly isHeld?: boolean;
}

/**
 * Writes nothing before the model is loaded. A run that ended before its first confirmed save starts over in its own folder. `known`
 * is the configuration to continue with, if it has been read already.
 * @throws AppError `run-not-found`, `run-in-use`, `folder-unsafe`, `config-identity`, `config-invalid`, `run-file-invalid`
 */
export async function planResume(
  fileSystem: FileSystem,
  { folder, owner, overrides = [], isHeld = false }: ResumePlanRequest,
  known?: LoadedConfig,
): Promise<RunPlan> {
  const isOtherAlive = (pid: number, host?: string): boolean =>
    !(isHeld && pid === process.pid) && isProcessAlive(pid, host);
  const ports = { fileSystem, clock: systemClock, isProcessAlive: isOtherAlive };
  const runFile = await readFreeRun(ports, folder);
  if (runFile.evaluation !== undefined) throw notTraining(folder);
  const files = fileSystem.within(folder);
  const loaded = known ?? loadStart(await startConfig(fileSystem, { resume: folder, overrides }));
  const { before, changes, values } = await settingsOfRun(files, folder, loaded.config);
  requireSameIdentity(changes, loaded);
  const changedKeys = changes.map(({ path }) => path);
  const points = await readResumePoints(files, folder, systemClock.now());
  const stored = await storedStates(files, folder, points);
  const [newest] = points;
  const state =
    newest === undefined ? (stored.states[0] ?? null) : await wholeState(files, folder, newest);
  const found = stored.problem === null ? [] : [stored.problem];
  if (!isHeld) requireStopAhead(changes, loaded, state?.step ?? 0);
  const isReference = loaded.config.kl_reference === "init";
  if (state !== null && !isReference && changedKeys.includes("init_from")) {
    const why = "The run has begun, and continues with its own weights.";
    found.push(`${placeOf("init_from", loaded)}: warning: init_from has no effect. ${why}`);
  }
  return {
    // The process that holds the run has already shown the others.
    loaded: { ...loaded, warnings: [...(isHeld ? [] : loaded.warnings), ...found] },
    name: runFile.name,
    folder,
    isNew: false,
    createModel: async (tinker, preparation) => {
      if (state === null) {
        const client = await createClient(tinker, loaded);
        return { client, start: startPosition(loaded.config) };
      }
      requireSameTasks(preparation, state);
      const { client, point, gone } = await loadNewestState(tinker.service, points);
      const start = positionOf(await wholeState(files, folder, point));
      if (gone.length === 0) return { client, start };
      const completed = await completedSteps(files, folder);
      return { client, start, rewind: { point, gone, completed } };
    },
    claim: async ({ start: { step }, rewind }) => {
      const repeatsEvaluation = !evaluatesAlike(before.evaluation, loaded.config.evaluation);
      const lease = await resumeRun(ports, {
        folder,
        step,
        changedKeys,
        repeatsEvaluation,
        repeatsUnfinished: changes.some(({ path }) => isOfPlay(path)),
        owner,
        configPath: loaded.path,
        pid: process.pid,
        host: hostname(),
      });
      if (runFile.control !== null) await removeDeadSocket(runFile.control);
      if (rewind !== undefined) await rewindTo(files, folder, rewind, systemClock.now());
      return lease;
    },
    recover: recoverWith(fileSystem, owner),
    isOver:
      runFile.phase === "done" && state !== null && changes.every(({ path }) => isOfTrackers(path)),
    start: state === null ? startPosition(loaded.config) : positionOf(state),
    changed: { keys: changedKeys, values },
    wandbRunId: state?.run_ids.wandb ?? null,
    promptDate: state?.prompt_date,
  };
}

function notTraining(folder: string): AppError {
  return new AppError(
    "run-not-found",
    `${folder} is an evaluation or a play, which cannot be resumed. To complete an evaluation, run the same \`tinker-rl evaluate\` command again.`,
    { data: { folder } },
  );
}

/** Plans how the process that holds a run continues it; see {@link RunPlan.recover}. */
export function recoverWith(fileSystem: FileSystem, owner: RunOwner): RunPlan["recover"] {
  return (folder, { text, path, overrides: applied }) => {
    const overrides = applied.map((each) => each.text);
    return planResume(
      fileSystem,
      { folder, owner, isHeld: true },
      loadConfigText(text, path, overrides),
    );
  };
}

/** Damaged states are tolerated if the run can continue from one of `points`. @throws as {@link readStates} */
async function storedStates(
  files: FolderFiles,
  folder: string,
  points: readonly ResumePoint[],
): Promise<StoredStates> {
  try {
    return await readStates(files, folder);
  } catch (error) {
    if (points.length === 0 || !isAppError(error, "state-invalid")) throw error;
    const problem = `Neither state.json nor state.prev.json in ${folder} can be read. The run continues from its newest permanent checkpoint.`;
    return { states: [], problem };
  }
}

/** True if an evaluation of the same weights would give the same results. */
function evaluatesAlike(before: Config["evaluation"], now: Config["evaluation"]): boolean {
  if (before === null || now === null) return before === now;
  const when = { at_start: null, at_end: null, every: null };
  return isSame({ ...before, ...when }, { ...now, ...when });
}

/** Settings about ending, saving, and reporting, which do not affect rollouts. */
const NOT_OF_PLAY =
  /^(max_cost_usd|max_hours|max_tokens_total|max_steps|stop_at_step|num_epochs|target_reward|end_without_progress|save|alarms|pause_on_alarm)/;

/** True for a setting that may affect rollouts. */
function isOfPlay(path: string): boolean {
  return !isOfTrackers(path) && !NOT_OF_PLAY.test(path);
}

/** True for tracker settings: changing them leaves nothing to train. */
function isOfTrackers(path: string): boolean {
  return (
    path.startsWith("wandb") ||
    path.startsWith("openreward_upload") ||
    path === "openreward_run_name"
  );
}

/** The step that stopped the run before is no fault, but a new one in the past is. */
function requireStopAhead(
  changes: readonly ConfigChange[],
  loaded: LoadedConfig,
  completed: number,
): void {
  const { stop_at_step: stop, max_steps: most } = loaded.config;
  const refuse = (configPath: string, why: string): never => {
    const message = `${placeOf(configPath, loaded)}: error: The run has already completed ${plural(completed, "{0} step", "{0} steps")}${why}`;
    throw new AppError("config-invalid", message, { configPath });
  };
  const keys = changes.map(({ path }) => path);
  if (keys.includes("stop_at_step") && stop !== null && stop <= completed) {
    const advice = "Choose a later step, or `null` to train to the end.";
    refuse("stop_at_step", ` and cannot stop at step ${stop}. ${advice}`);
  }
  if (keys.includes("max_steps") && most !== null && most < completed) {
    refuse("max_steps", `. Set max_steps to ${completed} or more.`);
  }
}

function requireSameIdentity(changes: readonly ConfigChange[], loaded: LoadedConfig): void {
  const fixed = changes.filter(({ change }) => change === "identity").map((each) => each.path);
  const [first] = fixed;
  if (first === undefined) return;
  throw new AppError(
    "config-identity",
    `${placeOf(first, loaded)}: error: ${fixed.join(", ")} changed since this run began, and would make it another run. Undo the change, or start a new run with \`tinker-rl train\`.`,
    { configPath: first },
  );
}

function requireSameTasks({ sequence, examples }: Preparation, state: RunState): void {
  if (sequence.fingerprint === state.dataset.fingerprint) return;
  const changed =
    examples === undefined
      ? taskChange(taskCounts(sequence), state.dataset.tasks ?? {})
      : "The examples of data, or which of them are held out,";
  const last = state.last_checkpoint?.state_path ?? "the address of the last checkpoint";
  throw new AppError(
    "config-identity",
    `${changed} changed since the run began, so its plan cannot continue. Start a new run from its weights with resume_from: ${last}.`,
    { configPath: examples === undefined ? "environments" : "data" },
  );
}

type Counts = Readonly<Record<string, number>>;

/** Describes which task counts changed; states of older versions lack the counts. */
function taskChange(counts: Counts, before: Counts): string {
  const changed = Object.entries(counts).flatMap(([place, count]) => {
    const old = before[place];
    return old === undefined || old === count ? [] : [`${place} (${old} before, now ${count})`];
  });
  return changed.length === 0
    ? "The number of tasks in an environment"
    : `The number of tasks in ${changed.join(" and ")}`;
}

function positionOf(state: RunState): LoopPosition {
  return {
    step: state.step,
    cursor: state.dataset.cursor,
    optimizerUpdates: state.optimizer_updates,
    counters: state.counters,
    issued: {
      pending: state.pending,
      samplers: state.samplers,
      curriculum: state.curriculum,
    },
  };
}

/** The override or the file that sets a key. */
function placeOf(key: string, { path, overrides }: LoadedConfig): string {
  const override = overrides.findLast((each) => `${key}.`.startsWith(`${each.path.join(".")}.`));
  return override === undefined ? path : `--overrides ${override.text}`;
}

/** Claims the folder of a new run, or takes over an existing one for a resume. */

import { formatQuantity } from "../../shared/format.ts";
import {
  afterChange,
  type EvaluationPlan,
  type RunFile,
  type RunOwner,
  type SweepMember,
} from "../../shared/runFile.ts";
import { AppError, isAppError } from "../errors.ts";
import type { Clock, FileSystem } from "../ports.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { runPaths } from "./files/layout.ts";
import { isRunInUse, processText, requireRunFile } from "./runFile.ts";
import { RunLease, writeRunFile } from "./runLease.ts";
import { repairTails, type Superseded, supersedeFrom } from "./supersede.ts";

/** The process that starts an attempt, and its configuration. */
export interface RunStarter {
  readonly pid: number;
  /** Name of this computer. */
  readonly host: string;
  readonly owner: RunOwner;
  readonly configPath: string;
}

export interface NewRun extends RunStarter {
  /** `log_path`: the folder that contains all runs. */
  readonly parent: string;
  readonly name: string;
  readonly runId: string;
  /** Absent for a run that is not part of a sweep. */
  readonly sweep?: SweepMember | undefined;
  /** Absent for a run that trains. */
  readonly evaluation?: EvaluationPlan | undefined;
}

/** `step` is the next step to run; records of it and later steps are superseded. */
export interface ResumedRun extends RunStarter, Omit<Superseded, "attempt"> {
  /** Keys of settings with new values; absent = none. */
  readonly changedKeys?: readonly string[];
}

export interface RunFolderOptions {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
}

export interface FreeRunOptions extends RunFolderOptions {
  readonly isProcessAlive: (pid: number) => boolean;
}

export const MAX_NAME_LENGTH = 80;
const MAX_FOLDERS_OF_ONE_NAME = 10_000;

/**
 * Claims `parent/name` (or `name-2`, `name-3` … if taken) and writes its `run.json`. The name in the file is that of the folder.
 * @throws AppError `disk`
 */
export async function startRun(options: RunFolderOptions, run: NewRun): Promise<RunLease> {
  const { fileSystem, clock } = options;
  const name = await claimFolder(fileSystem, run.parent, folderName(run.name));
  const folder = `${run.parent}/${name}`;
  const files = fileSystem.within(folder);
  await files.makeDirectory(runPaths(folder).rolloutFolder);
  const lease = new RunLease({
    fileSystem: files,
    clock,
    folder,
    file: {
      schemaVersion: 1,
      runId: run.runId,
      name,
      pid: run.pid,
      host: run.host,
      owner: run.owner,
      startedAtMs: clock.now(),
      heartbeatAtMs: clock.now(),
      generation: 1,
      attempt: 1,
      phase: "preparing",
      configPath: run.configPath,
      control: null,
      sweep: run.sweep,
      evaluation: run.evaluation,
    },
  });
  await lease.update();
  return lease;
}

/**
 * Takes over a run: claims `run.json`, moves the records of steps from `run.step` on to `superseded/attempt-K/`, then increments
 * `generation` and `attempt`. After a crash in between, the next resume completes it.
 * @throws AppError `run-in-use` while another trainer is active, `run-not-found` if the folder holds no run, `folder-unsafe`,
 * before any change, if anything in it leads outside
 */
export async function resumeRun(options: FreeRunOptions, run: ResumedRun): Promise<RunLease> {
  const { clock } = options;
  const { folder } = run;
  const fileSystem = options.fileSystem.within(folder);
  const last = await readFreeRun(options, folder);
  const { ending: _, ...before } = last;
  const claim = {
    ...before,
    pid: run.pid,
    host: run.host,
    owner: run.owner,
    configPath: run.configPath,
    phase: "preparing" as const,
    startedAtMs: clock.now(),
    heartbeatAtMs: clock.now(),
    control: null,
    sweep: afterChange(before.sweep, { keys: run.changedKeys ?? [], step: run.step }),
  };
  await writeRunFile(fileSystem, folder, claim);
  await supersedeFrom(fileSystem, { ...run, attempt: last.attempt });
  await repairTails(fileSystem, folder);
  const file = { ...claim, generation: last.generation + 1, attempt: last.attempt + 1 };
  const lease = new RunLease({ fileSystem, clock, folder, file });
  await lease.update();
  return lease;
}

/**
 * Records that its sweep trains a stopped run no further.
 * @throws AppError `disk`, and like {@link readFreeRun}
 */
export async function dropRun(
  options: FreeRunOptions,
  folder: string,
  { sweep, step }: { readonly sweep: string; readonly step: number },
): Promise<void> {
  const file = await readFreeRun(options, folder);
  const message = `The sweep ${sweep} dropped the run after ${formatQuantity(step, "step")}, because other settings were better.`;
  const ending = { code: "stop-at-step", message };
  const dropped = { ...file, phase: "dropped", ending } as const;
  await writeRunFile(options.fileSystem.within(folder), folder, dropped);
}

/**
 * The `run.json` of a run that no trainer is using.
 * @throws AppError `run-in-use` while another trainer is active, `run-not-found` if the folder holds no run, `folder-unsafe` if
 * anything in it leads outside
 */
export async function readFreeRun(
  { fileSystem, clock, isProcessAlive }: FreeRunOptions,
  folder: string,
): Promise<RunFile> {
  const files = fileSystem.within(folder);
  await files.requireSafe();
  const file = await requireRunFile(files, folder);
  if (isRunInUse(file, { nowMs: clock.now(), isProcessAlive })) {
    const { pid, owner } = file;
    throw new AppError(
      "run-in-use",
      `The run in ${folder} is being trained by process ${processText(file)} (${owner}). Stop it first, or start a new run.`,
      { data: { folder, pid } },
    );
  }
  return file;
}

/**
 * Creates the folder `parent/name` (or `name-2`, `name-3` … if taken) and returns its name.
 * @throws AppError `disk`, `exists`
 */
export async function claimFolder(
  fileSystem: FileSystem,
  parent: string,
  name: string,
): Promise<string> {
  await makeRunParent(fileSystem, parent);
  await ignoreInGit(fileSystem, parent);
  for (let number = 1; number <= MAX_FOLDERS_OF_ONE_NAME; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    try {
      await fileSystem.claimDirectory(`${parent}/${candidate}`);
      return candidate;
    } catch (error) {
      if (!isAppError(error, "exists")) throw error;
    }
  }
  throw new AppError(
    "exists",
    `${parent} contains ${MAX_FOLDERS_OF_ONE_NAME} runs or sweeps named ${name}. Choose another run_name.`,
    { data: { parent, name } },
  );
}

/** @throws AppError `disk`, naming the key that holds `parent` */
async function makeRunParent(fileSystem: FileSystem, parent: string): Promise<void> {
  try {
    await fileSystem.makeDirectory(parent);
  } catch (error) {
    if (!isAppError(error, "disk") && !isAppError(error, "file-not-found")) throw error;
    throw new AppError(
      "disk",
      `No run can be created in ${parent}. ${error.message} Set \`log_path\` to a writable folder.`,
      { configPath: "log_path", data: error.data, cause: error },
    );
  }
}

/** The run name with characters that file systems reject replaced by hyphens. */
export function folderName(name: string): string {
  const plain = name.replace(/[\p{Cc}\s<>:"/\\|?*]+/gu, "-").slice(0, MAX_NAME_LENGTH);
  const cleaned = withoutEnd(plain.replace(/^[-.]+/, ""), /[-.]/);
  return cleaned === "" ? "run" : cleaned;
}

/** The default parent is inside the user's project; keep its repository from tracking it. */
async function ignoreInGit(fileSystem: FileSystem, parent: string): Promise<void> {
  if (!/(^|[/\\])\.tinker-rl[/\\]runs$/.test(parent)) return;
  const path = `${parent}/.gitignore`;
  if ((await fileSystem.size(path)) === null) await fileSystem.writeAtomic(path, "*\n");
}

/** Runs that a test controls over their control sockets, in this process or a separate one. */

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type * as z from "zod";
import { isJsonObject } from "../../src/core/json.ts";
import { readRunFile } from "../../src/core/runFolder/runFile.ts";
import type { ProgressEvent, Watcher } from "../../src/core/training/run/progress.ts";
import { ControlClient } from "../../src/node/control/client.ts";
import { launchFileSchema } from "../../src/node/control/messages.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import type { LaunchFile, LaunchRequest, RunStatus } from "../../src/shared/control.ts";
import type { RunFile } from "../../src/shared/runFile.ts";
import type { ActiveRun } from "../../src/trainer/plan/types.ts";
import { resumeTraining, startTraining } from "../../src/trainer/trainer.ts";
import { readLines } from "./localRun.ts";
import { PROGRAM_FOLDER, startProgram } from "./trainProgram.ts";

/** The folder of the one run in `project`. */
export function runIn(project: string): string {
  return join(project, ".tinker-rl", "runs", "run");
}

export async function runFile(project: string): Promise<RunFile> {
  const fileSystem = createFileSystem();
  const file = await readRunFile(fileSystem.within(runIn(project)), runIn(project));
  await fileSystem.close();
  if (file === null) throw new Error(`${project} holds no run`);
  return file;
}

/** Polls until the result is not null. */
export async function eventually<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => null);
    if (answer !== null) return answer;
    await shortly();
  }
}

/** Yields the processor briefly. */
export function shortly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}

/** Connects to the trainer of the run in `project` as soon as it is reachable. */
export function connectTo(
  project: string,
  onStatus: (status: RunStatus) => void = () => undefined,
): Promise<ControlClient> {
  return eventually(async () => {
    const { control } = await runFile(project);
    if (control === null) return null;
    const client = await ControlClient.open(control, { onStatus });
    // The trainer closes connections that do not send the token within seconds, and a test may wait longer before its first command.
    await client.send({ action: "status" });
    return client;
  });
}

export interface SteeredRun extends ActiveRun {
  /** All events so far. */
  readonly events: readonly ProgressEvent[];
  /** Resolves with the first matching event, including past ones. */
  readonly saw: (fits: (event: ProgressEvent) => boolean) => Promise<ProgressEvent>;
}

const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;

/** Trains in this process. */
export function train(project: string, ...overrides: readonly string[]): SteeredRun {
  const configPath = join(project, "config.yaml");
  return steered((watch) => startTraining({ ...base, configPath, overrides, watch }));
}

/** Resumes the run in `project`, in this process. */
export function resume(project: string, ...overrides: readonly string[]): SteeredRun {
  const folder = runIn(project);
  return steered((watch) => resumeTraining({ ...base, folder, overrides, watch }));
}

function steered(start: (watch: Watcher) => ActiveRun): SteeredRun {
  const events: ProgressEvent[] = [];
  let waiting: (() => void)[] = [];
  const run = start((event) => {
    events.push(event);
    for (const look of waiting.splice(0)) look();
  });
  const saw: SteeredRun["saw"] = (fits) =>
    new Promise((resolve) => {
      const look = (): void => {
        const event = events.find(fits);
        if (event === undefined) waiting = [...waiting, look];
        else resolve(event);
      };
      look();
    });
  return { ...run, events, saw };
}

/** Matches an event in the middle of the rollouts of a step, counted from 0. */
export function amidRollouts(step: number): (event: ProgressEvent) => boolean {
  return (event) => event.kind === "rollout-finished" && event.step === step && event.done >= 3;
}

/** Trains until paused in the first step, sends the given commands, then stops the run: in its third step if it continued. */
export async function trainDisturbed(
  project: string,
  ...actions: readonly ("save" | "continue")[]
): Promise<void> {
  const run = train(project);
  const client = await connectTo(project);
  await run.saw(amidRollouts(0));
  await client.send({ action: "pause" });
  await run.saw(({ kind }) => kind === "paused");
  for (const action of actions) await client.send({ action });
  if (actions.includes("continue")) await run.saw(amidRollouts(2));
  await client.send({ action: "stop" });
  const { outcome } = await run.ended;
  if (outcome !== "stopped") throw new Error(`The run is ${outcome}.`);
}

/** The metrics row of the evaluation after the last step, which has no training values. */
export function isOfEnd(line: unknown): boolean {
  return isJsonObject(line) && line["evaluation_only"] === true;
}

export async function linesIn<Schema extends z.ZodType>(
  project: string,
  file: string,
  schema: Schema,
): Promise<readonly z.infer<Schema>[]> {
  const lines = await readLines(join(runIn(project), file));
  return lines.filter((line) => !isOfEnd(line)).map((line) => schema.parse(line));
}

export interface OwnProcess {
  readonly child: ChildProcess;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  /** Output so far. */
  readonly printed: () => string;
}

/** Trains in a separate process, with a launch request if given. */
export function spawnProgram(
  args: readonly string[],
  launchRequest: LaunchRequest | null,
): OwnProcess {
  const child = startProgram(args, {}, false, "pipe");
  let printed = "";
  const keep = (text: string): void => {
    printed += text;
  };
  child.stdout?.setEncoding("utf8").on("data", keep);
  child.stderr?.setEncoding("utf8").on("data", keep);
  // The pipe stays open, as an editor's would.
  if (launchRequest !== null) child.stdin?.write(`${JSON.stringify(launchRequest)}\n`);
  const ended = once(child, "close").then(([code]): number | null => code);
  return { child, ended, printed: () => printed };
}

export async function readLaunch(folder: string): Promise<LaunchFile> {
  return launchFileSchema.parse(JSON.parse(await readFile(join(folder, "launch.json"), "utf8")));
}

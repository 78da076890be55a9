/** Starts a trainer as a separate process that continues when the window is reloaded or closed. */

import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { LaunchRequest, RequestedTraining } from "../../shared/control.ts";
import { isFolder } from "../isFolder.ts";
import { type LaunchRecord, type LaunchStore, outputPath } from "./launchStore.ts";
import { copiedProgram, removeOldCopies } from "./programCopy.ts";
import { programEnvironment } from "./programEnvironment.ts";

export interface LauncherOptions {
  readonly launches: LaunchStore;
  /** The program's folder in the extension. */
  readonly programFolder: string;
  /** Where copies of the program are kept. */
  readonly copiesFolder: string;
  /** Variables from the editor's own settings, such as proxies. */
  readonly environment: () => NodeJS.ProcessEnv;
}

export interface Launch extends Pick<LaunchRecord, "title"> {
  readonly launchRequest: LaunchRequest;
}

/** Resolves with the launch folder once the process runs. @throws a system error if it cannot be started */
export async function launchTrainer(
  options: LauncherOptions,
  { launchRequest, title }: Launch,
): Promise<string> {
  const { launches, copiesFolder } = options;
  const { training } = launchRequest;
  const program = await copiedProgram(options.programFolder, copiesFolder);
  const request: LaunchRecord = { title, training, program, pid: null };
  const folder = await launches.create(request);
  const output = await open(outputPath(folder), "a", 0o600);
  try {
    // The request is sent together with the keys: on a command line, names chosen by a project could be parsed as flags.
    const child = spawn(process.execPath, [join(program, "tinker-rl.js"), "--launch", folder], {
      cwd: await workFolder(training),
      detached: true,
      windowsHide: true,
      stdio: ["pipe", output.fd, output.fd],
      env: programEnvironment({ ...options.environment(), FORCE_COLOR: "1" }),
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(`${JSON.stringify(launchRequest)}\n`);
    child.unref();
    await launches.note(folder, { ...request, pid: child.pid ?? null });
  } finally {
    await output.close();
  }
  await tidy(options, program);
  return folder;
}

/** Neither folder may exist here, if it was moved or comes from elsewhere; the trainer then reports what is missing. */
async function workFolder({ configPath, resume }: RequestedTraining): Promise<string> {
  const folder = dirname(configPath);
  if (await isFolder(folder)) return folder;
  return resume !== null && (await isFolder(resume)) ? resume : homedir();
}

async function tidy({ launches, copiesFolder }: LauncherOptions, program: string): Promise<void> {
  const alive = (await launches.list()).filter(({ isAlive }) => isAlive);
  await removeOldCopies(
    copiesFolder,
    new Set([program, ...alive.map((each) => each.request.program)]),
  );
}

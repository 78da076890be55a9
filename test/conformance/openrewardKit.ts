/** The ORS conformance kit, which is not part of the repository: servers and drivers of the official packages. */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { type Checks, KIT_ENVIRONMENT, runChecks } from "./checkLines.ts";
import { kitFolder } from "./kits.ts";

/** Empty = not available. */
export const KIT = kitFolder(
  "TINKER_RL_OPENREWARD_KIT",
  "conformance/openreward",
  "servers and drivers of the official ORS packages",
);

/** Path of a Python for the kit; null = something is missing, which was reported, and the checks are skipped. */
export const kitPython = KIT === "" ? null : inject("python");

/** Packages whose servers the kit can start. */
export const PACKAGES = ["openreward", "ors-sdk"] as const;
export type Package = (typeof PACKAGES)[number];

const LISTEN_TRIES = 1_200;
const LISTEN_PAUSE_MS = 50;

export interface OfficialServer {
  readonly url: string;
  readonly stop: () => void;
}

/** Starts the sample environments on the official server of a package. */
export async function startOfficialServer(packageName: Package): Promise<OfficialServer> {
  const args = ["--port", "0", "--package", packageName];
  return await startPythonServer(kitPython ?? "", [join(KIT, "environments.py"), ...args]);
}

/** Starts a program that prints `listening URL` and serves environments there. */
export async function startPythonServer(
  python: string,
  args: readonly string[],
): Promise<OfficialServer> {
  const child = spawn(python, args, {
    env: KIT_ENVIRONMENT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const url = await firstAddress(child);
  await untilListening(url);
  return { url, stop: () => child.kill() };
}

/** The address is printed slightly before the server accepts connections. */
export async function untilListening(url: string): Promise<void> {
  for (let tries = 0; tries < LISTEN_TRIES; tries += 1) {
    const response = await fetch(`${url}/health`).catch(() => null);
    if (response?.ok === true) return;
    await sleep(LISTEN_PAUSE_MS);
  }
  throw new Error(`Nothing listens at ${url}.`);
}

/** The first address that the server prints; its output is drained, or the server would block when the pipe is full. */
function firstAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The official server ended with ${code}.`)));
    if (child.stdout === null) return reject(new Error("The official server has no output."));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /^listening (http:\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

/** Runs the official clients' checks of a server; `others` are further arguments of their driver. */
export async function driveOfficially(
  url: string,
  others: readonly string[] = [],
): Promise<Checks> {
  const args = [join(KIT, "drive_official.py"), "--base-url", url, "--strict", ...others];
  return await runChecks(kitPython ?? "", args);
}

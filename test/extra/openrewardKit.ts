/** Finds the ORS conformance kit, which is not part of the repository, and runs its programs. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { kitFolder } from "./kits.ts";
import { preparePython } from "./python.ts";

const run = promisify(execFile);
const KIT = kitFolder(
  "TINKER_RL_OPENREWARD_KIT",
  "servers and drivers of the official ORS packages",
);
/** Nothing is written beside the kit's programs, and nothing is asked of a package index. */
const ENVIRONMENT = {
  ...process.env,
  PYTHONDONTWRITEBYTECODE: "1",
  OPENREWARD_DISABLE_UPDATE_CHECK: "1",
};

/** Packages whose servers the kit can start. */
export const PACKAGES = ["openreward", "ors-sdk"] as const;
export type Package = (typeof PACKAGES)[number];

/**
 * Path of a Python with the kit's packages, or null after printing what is missing.
 * @throws when the kit is there, Python is not, and the environment variable `CI` is `true`
 */
export async function prepareKit(): Promise<string | null> {
  if (KIT === "") return null;
  const requirements = join(KIT, "requirements.txt");
  const python = await preparePython();
  if (python === null) return null;
  try {
    await run(python, ["-m", "pip", "install", "--quiet", "--requirement", requirements]);
    return python;
  } catch (cause) {
    const message = `The ORS kit needs Python 3.11 or newer with the packages of ${requirements}.`;
    if (process.env["CI"] === "true") throw new Error(message, { cause });
    console.warn(`Skipped. ${message}`);
    return null;
  }
}

export interface OfficialServer {
  readonly url: string;
  readonly stop: () => void;
}

/** Starts the sample environments on the official server of a package. */
export async function startOfficialServer(
  python: string,
  packageName: Package,
): Promise<OfficialServer> {
  const args = [join(KIT, "environments.py"), "--port", "0", "--package", packageName];
  const child = spawn(python, args, { env: ENVIRONMENT, stdio: ["ignore", "pipe", "ignore"] });
  return { url: await firstAddress(child), stop: () => child.kill() };
}

/** The address that the server prints first; its output is read on, or the server would freeze when the pipe is full. */
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

/** Lets the official clients check a server; returns the checks that did not pass, and how many did. */
export async function driveOfficially(
  python: string,
  url: string,
): Promise<{ readonly failed: readonly string[]; readonly passed: number }> {
  const args = [join(KIT, "drive_official.py"), "--base-url", url, "--strict"];
  const options = { env: ENVIRONMENT, maxBuffer: 64 * 1024 * 1024 };
  // The driver exits with 1 when a check failed: its lines say which.
  const { stdout } = await run(python, args, options).catch(
    (error: { readonly stdout: string }) => error,
  );
  const lines = stdout.split("\n");
  return {
    failed: lines.filter((line) => line.startsWith("FAIL")),
    passed: lines.filter((line) => line.startsWith("ok ")).length,
  };
}

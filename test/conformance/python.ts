/** Creates a Python for a suite: a virtual environment below `.venv/` with the pinned packages of a file. */

import { execFile } from "node:child_process";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isRequired } from "./kits.ts";

const run = promisify(execFile);
const VENVS = fileURLToPath(new URL("../../.venv", import.meta.url));
const isWindows = process.platform === "win32";

export interface PythonSuite {
  /** The name of its virtual environment. */
  readonly name: string;
  /** Pinned packages, one per line. */
  readonly requirements: URL;
  /** Versions of Python that have these packages, as shown to people. */
  readonly versions: string;
  /** True if the file also lists transitive dependencies: they are not resolved, which halves the time. */
  readonly isComplete?: boolean;
}

/**
 * Path of a Python with the packages, or null after printing why there is none. Two callers must not create the same one
 * concurrently.
 * @throws if there is none and the suites must run
 */
export async function preparePython(suite: PythonSuite): Promise<string | null> {
  const requirements = fileURLToPath(suite.requirements);
  const venv = join(VENVS, suite.name);
  const python = isWindows ? join(venv, "Scripts", "python.exe") : join(venv, "bin", "python");
  // The environment's inputs; written last, so that an incomplete one is created again.
  const stamp = join(venv, "requirements.txt");
  try {
    if (!(await isSame(requirements, stamp))) {
      await run(isWindows ? "python" : "python3", ["-m", "venv", "--clear", venv]);
      await run(python, [
        ...["-m", "pip", "install", "--quiet", "--requirement", requirements],
        ...(suite.isComplete === true ? ["--no-deps", "--no-compile"] : []),
      ]);
      await copyFile(requirements, stamp);
    }
    return python;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Python ${suite.versions} with the packages of ${requirements} is needed: ${reason}`;
    if (isRequired()) throw new Error(message, { cause });
    console.warn(`Skipped. ${message}`);
    return null;
  }
}

async function isSame(wanted: string, made: string): Promise<boolean> {
  const [a, b] = await Promise.allSettled([readFile(wanted, "utf8"), readFile(made, "utf8")]);
  return a.status === "fulfilled" && b.status === "fulfilled" && a.value === b.value;
}

/** Makes the Python of this suite: a virtual environment in `.venv/` with the packages of `requirements.txt`. */

import { execFile } from "node:child_process";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const VENV = fileURLToPath(new URL("../../.venv", import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL("requirements.txt", import.meta.url));
/** What the environment was made of; written last, so that a half-made one is made again. */
const STAMP = join(VENV, "requirements.txt");
const PYTHON =
  process.platform === "win32" ? join(VENV, "Scripts", "python.exe") : join(VENV, "bin", "python");

/**
 * Path of a Python with the packages, or null after printing why there is none.
 * @throws when there is none and the environment variable `CI` is `true`: there the suite must run.
 */
export async function preparePython(): Promise<string | null> {
  try {
    if (!(await isMade())) await make();
    return PYTHON;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The oracle needs Python 3.10 to 3.13 with the packages of test/extra/requirements.txt: ${reason}`;
    if (process.env["CI"] === "true") throw new Error(message, { cause });
    console.warn(`Skipped. ${message}`);
    return null;
  }
}

async function isMade(): Promise<boolean> {
  const [wanted, made] = await Promise.allSettled([
    readFile(REQUIREMENTS, "utf8"),
    readFile(STAMP, "utf8"),
  ]);
  return (
    wanted.status === "fulfilled" && made.status === "fulfilled" && wanted.value === made.value
  );
}

async function make(): Promise<void> {
  await run(process.platform === "win32" ? "python" : "python3", ["-m", "venv", "--clear", VENV]);
  await run(PYTHON, ["-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS]);
  await copyFile(REQUIREMENTS, STAMP);
}

/** Runs a command of the trainer's program to its end, for what only that program can do. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import { programEnvironment } from "../vscode/programEnvironment.ts";

const LIMIT_MS = 60_000;
const MAX_CHARACTERS = 4_000;

/** Resolves when the command has ended well. @throws AppError `program-failed` with what it said */
export function runProgram(programFolder: string, words: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(programFolder, "tinker-rl.js"), ...words], {
      stdio: ["ignore", "ignore", "pipe"],
      windowsHide: true,
      timeout: LIMIT_MS,
      env: programEnvironment({ NO_COLOR: "1" }),
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-MAX_CHARACTERS);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(failure(said));
    });
  });
}

function failure(said: string): AppError {
  const message = said.trim().replace(/^error: /, "");
  return new AppError("program-failed", message === "" ? "The program did not answer." : message);
}

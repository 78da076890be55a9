/**
 * The process between a trainer and a command that it starts: `node keepCommand.js COMMAND ARGUMENT…`. The command lives only as long as
 * the parent keeps this process's standard input open, so that even a killed trainer leaves no server behind. Output passes through; the
 * exit code is the command's, or {@link NOT_STARTED}. The variable `TINKER_RL_INPUT` becomes the command's standard input. The folder in
 * `TINKER_RL_REMOVED` is deleted when the parent dies or stops the command; a parent that still needs the folder writes a byte first.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { errorMessage } from "../core/errors.ts";
import { NOT_STARTED } from "./notStarted.ts";
import { startedCommand } from "./startedCommand.ts";

/** Time between SIGTERM and SIGKILL. */
const END_LIMIT_MS = 5_000;
const INPUT_VARIABLE = "TINKER_RL_INPUT";
const REMOVED_VARIABLE = "TINKER_RL_REMOVED";

/** Signals the whole process group, because servers start child processes. */
function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") {
      const words = ["/pid", String(child.pid), "/T", "/F"];
      spawn("taskkill", words, { stdio: "ignore", windowsHide: true });
    } else process.kill(-child.pid, signal);
  } catch {
    // The group has already ended.
  }
}

const command = process.argv.slice(2);
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// Ctrl+C goes to the whole terminal group, but the parent needs its servers to finish its rollouts.
process.on("SIGINT", () => undefined);
// Makes Electron run as Node; meant only for this process.
const {
  ELECTRON_RUN_AS_NODE: _,
  [INPUT_VARIABLE]: input,
  [REMOVED_VARIABLE]: removed,
  ...env
} = process.env;
const child = await startedCommand(command, {
  env,
  stdio: [input === undefined ? "ignore" : "pipe", "inherit", "inherit"],
  detached: process.platform !== "win32",
}).catch((error) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(NOT_STARTED);
});
// A command may end without reading its input.
child.stdin?.on("error", () => undefined).end(input);
let isEnding = false;
let isKept = false;
const endAll = (): void => {
  if (isEnding) return;
  isEnding = true;
  end(child, "SIGTERM");
  setTimeout(() => {
    end(child, "SIGKILL");
    process.exit(0);
  }, END_LIMIT_MS);
};
process.once("exit", () => {
  if (!isEnding || isKept || removed === undefined) return;
  try {
    // Windows cannot delete the current folder of a process.
    process.chdir(tmpdir());
    rmSync(removed, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Something that the command left behind still uses it.
  }
});
process.stdin.once("data", () => {
  isKept = true;
});
process.stdin.once("close", endAll).resume();
process.once("SIGTERM", endAll);
child.once("exit", (code, signal) => {
  // Child processes of the command would keep the port open.
  end(child, "SIGKILL");
  if (signal !== null && !isEnding) process.stderr.write(`${command[0]} was ended by ${signal}.\n`);
  process.exit(code ?? 1);
});

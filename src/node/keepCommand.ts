/**
 * The process between a trainer and a command that it starts: `node keepCommand.js COMMAND ARGUMENT…`. The command lives as long as
 * the parent holds the standard input of this process open, so that not even a killed trainer leaves a server behind. Output passes
 * through; the exit code is that of the command, or {@link NOT_STARTED}. A text in the variable `TINKER_RL_INPUT` becomes the
 * standard input of the command. The folder in `TINKER_RL_REMOVED` is removed when the parent is gone, or ends the command;
 * a parent that still needs the folder writes something before it ends the command.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { errorMessage } from "../core/errors.ts";
import { NOT_STARTED } from "./notStarted.ts";
import { startedCommand } from "./startedCommand.ts";

/** Between the request to end and the end by force. */
const END_LIMIT_MS = 5_000;
const INPUT_VARIABLE = "TINKER_RL_INPUT";
const REMOVED_VARIABLE = "TINKER_RL_REMOVED";

/** Servers start processes of their own: they end with their group. */
function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") {
      const words = ["/pid", String(child.pid), "/T", "/F"];
      spawn("taskkill", words, { stdio: "ignore", windowsHide: true });
    } else process.kill(-child.pid, signal);
  } catch {
    // The group has ended.
  }
}

const command = process.argv.slice(2);
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// Ctrl+C reaches the whole terminal group; the parent needs its servers to end its rollouts.
process.on("SIGINT", () => undefined);
// By it a desktop editor's program behaves as Node, which is for this process only.
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
// A command may end without reading it.
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
    // Windows removes no folder that a process is in.
    process.chdir(tmpdir());
    rmSync(removed, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Something that the command has left still uses it.
  }
});
process.stdin.once("data", () => {
  isKept = true;
});
process.stdin.once("close", endAll).resume();
process.once("SIGTERM", endAll);
child.once("exit", (code, signal) => {
  // What it has started itself would keep the port.
  end(child, "SIGKILL");
  if (signal !== null && !isEnding) process.stderr.write(`${command[0]} was ended by ${signal}.\n`);
  process.exit(code ?? 1);
});

/** Fails in the way named by its argument. */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { completion, task } from "./program.mjs";

const [how, folder = ""] = process.argv.slice(2);

/** A process that runs indefinitely and writes its id to a file. */
function leaveChild(options) {
  const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1_000)"], options);
  writeFileSync(join(folder, `${child.pid}.pid`), "");
  child.unref();
}

process.stdout.write(`I fail: ${how}.\n`);
if (how === "at once") process.exit(1);
if (how === "hangs") await sleep(600_000);
if (how === "never asks") process.exit(0);
await completion(task.messages);
if (how === "leaves a child") leaveChild({ stdio: "inherit" });
if (how === "leaves a child of its own") leaveChild({ stdio: "inherit", detached: true });

/** Plays like the built-in loop; the first 12 immediately, others once the file `go` exists. Each leaves a child process. */

import { spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const folder = process.argv[2];
const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1_000)"]);
writeFileSync(join(folder, `${process.pid}.pid`), "");
writeFileSync(join(folder, `${child.pid}.pid`), "");
const begun = readdirSync(folder).length / 2;
while (begun > 12 && !existsSync(join(folder, "go"))) await sleep(50);
await import("./openai.mjs");
process.exit(0);

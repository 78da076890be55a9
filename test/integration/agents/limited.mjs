/** Prints more than a record stores, then requests turns until a limit ends it. */

import { completion, task } from "./program.mjs";

process.stdout.write(`"calls":1 is at the beginning of a long output\n${"x".repeat(20_000)}\n`);
for (;;) await completion(task.messages);

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { descendants } from "../workbench/processes.ts";

/** Ends the trainers of runs in `folder`: they outlive the editor, and a failed test may leave one. */
export function endTrainers(folder: string): void {
  const runs = join(folder, ".tinker-rl", "runs");
  if (!existsSync(runs)) return;
  for (const run of readdirSync(runs)) {
    const file = join(runs, run, "run.json");
    const pid = existsSync(file) ? pidIn(readFileSync(file, "utf8")) : undefined;
    if (pid === undefined) continue;
    // The process id may have been reused since.
    const trainer = descendants(pid).find((one) => one.pid === pid);
    if (trainer?.args.includes("tinker-rl.js") === true) process.kill(pid, "SIGKILL");
  }
}

function pidIn(text: string): number | undefined {
  return /"pid":\s*(\d+)/.exec(text)?.slice(1).map(Number)[0];
}

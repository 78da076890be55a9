/** A run that is killed and resumed, compared with one that no one disturbed. */

import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { comparableRow, withoutKeys } from "./comparableRow.ts";
import { isOfEnd } from "./controlledRun.ts";
import { readLines } from "./localRun.ts";
import { startProgram, type Variables } from "./trainProgram.ts";

/** What a run leaves in its folder that does not depend on time. */
export async function trained(run: string) {
  const files = (await readdir(join(run, "rollouts"))).filter((name) =>
    name.endsWith(".tokens.bin"),
  );
  const tokens = files.sort().map(async (name) => {
    return [name, await readFile(join(run, "rollouts", name), "base64")] as const;
  });
  const results = await readLines(join(run, "eval", "results.jsonl"));
  const rows = await readLines(join(run, "metrics.jsonl"));
  return {
    rows: rows.filter((row) => !isOfEnd(row)).map(comparableRow),
    tokens: await Promise.all(tokens),
    evaluations: withoutKeys(results, new Set(["timeMs"])),
  };
}

/** Trains, and kills the trainer with all its processes as soon as it has trained one step and plays the next. */
export async function killedInTheSecondStep(config: string, run: string, variables: Variables) {
  const child = startProgram(["train", config], variables, true);
  const closed = once(child, "close");
  child.stdout?.resume();
  child.stderr?.resume();
  const isThere = async (): Promise<boolean> => {
    const rollouts = await readdir(join(run, "rollouts")).catch(() => []);
    return rollouts.some((name) => name.startsWith("step-000001"));
  };
  while (child.exitCode === null && !(await isThere())) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await closed;
}

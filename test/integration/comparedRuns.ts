/** Compares an interrupted run with an undisturbed one, and kills trainers for that purpose. */

import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { comparableRow, withoutKeys } from "./comparableRow.ts";
import { isOfEnd } from "./controlledRun.ts";
import { readLines } from "./localRun.ts";
import { startProgram, type Variables } from "./trainProgram.ts";

/** The contents of a run folder that do not depend on timing. */
export async function trained(run: string) {
  const files = (await readdir(join(run, "rollouts"))).filter((name) =>
    name.endsWith(".tokens.bin"),
  );
  const tokens = files.sort().map(async (name) => {
    return [name, await readFile(join(run, "rollouts", name), "base64")] as const;
  });
  // A run without evaluations does not have this file.
  const results = await readLines(join(run, "eval", "results.jsonl")).catch(() => []);
  const rows = await readLines(join(run, "metrics.jsonl"));
  return {
    rows: rows.filter((row) => !isOfEnd(row)).map(comparableRow),
    tokens: await Promise.all(tokens),
    evaluations: withoutKeys(results, new Set(["timeMs"])),
  };
}

/** Starts the program and kills it once `isThere` holds: the whole process group, or `alone`. @throws Error if it ends earlier */
export async function killedWhen(
  args: readonly string[],
  variables: Variables,
  isThere: () => Promise<boolean>,
  { alone = false } = {},
): Promise<void> {
  const child = startProgram(args, variables, true);
  const closed = once(child, "close");
  child.stdout?.resume();
  let said = "";
  child.stderr?.on("data", (text) => {
    said += text;
  });
  while (!(await isThere())) {
    if (child.exitCode !== null) throw new Error(`The program ended by itself: ${said}`);
    await sleep(5);
  }
  const pid = child.pid ?? 0;
  process.kill(alone ? pid : -pid, "SIGKILL");
  await closed;
}

/** True once a run has trained one step and is playing the next. */
export async function isInSecondStep(run: string): Promise<boolean> {
  const rollouts = await readdir(join(run, "rollouts")).catch(() => []);
  return rollouts.some((name) => name.startsWith("step-000001"));
}

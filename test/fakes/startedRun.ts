import type { FileSystem } from "../../src/core/ports.ts";
import { type NewRun, startRun } from "../../src/core/runFolder/runFolder.ts";
import type { RunLease } from "../../src/core/runFolder/runLease.ts";
import { systemClock } from "../../src/node/clock.ts";

/** A run in the folder of all runs, with nothing in it yet; of another computer, unless `changes` says otherwise. */
export function startedRun(
  fileSystem: FileSystem,
  parent: string,
  { name = "demo", ...changes }: Partial<NewRun> = {},
  clock = systemClock,
): Promise<RunLease> {
  const starter = { pid: 1, host: "here", owner: "terminal" as const };
  const configPath = `${parent}/tinker-config.yaml`;
  const run = { ...starter, configPath, parent, name, runId: name, ...changes };
  return startRun({ fileSystem, clock }, run);
}

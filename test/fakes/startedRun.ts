import type { FileSystem } from "../../src/core/ports.ts";
import { type NewRun, startRun } from "../../src/core/runFolder/runFolder.ts";
import type { RunLease } from "../../src/core/runFolder/runLease.ts";
import { systemClock } from "../../src/node/clock.ts";

/** An empty run in the folder of all runs; started on another computer unless `changes` differ. */
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

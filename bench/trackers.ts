/**
 * Measures the cost of reporting for a run: steps of the real loop against fakes, with no reporting, with W&B, with uploads to
 * OpenReward, and with both, alternating within one run. Both services take two seconds per request and are kept busy. Step times are
 * relative to what the run's services alone need; their ratio to steps without reporting is the cost, and the ratio between two halves
 * of the same steps shows the noise. Run: `npm run bench:trackers`, five minutes.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runPaths } from "../src/core/runFolder/files/layout.ts";
import { inBenchFolder, startFakes } from "./benchFolder.ts";
import { openBenchRun } from "./benchRun.ts";
import { StepTimer } from "./loopSteps.ts";
import { median, print } from "./measure.ts";
import { type ReportingOptions, reportToBoth, type Sent } from "./trackersOn.ts";

const GROUPS = 8;
const GROUP_SIZE = 8;
const STEPS_A_TURN = 3;
const TURNS = Number(process.argv[2] ?? 4);

interface Mode {
  readonly name: string;
  readonly wandb: boolean;
  readonly upload: boolean;
  /** Step times relative to the ideal. */
  readonly times: number[];
  /** CPU seconds per step. */
  readonly cpuS: number[];
}

function mode(name: string, wandb: boolean, upload: boolean): Mode {
  return { name, wandb, upload, times: [], cpuS: [] };
}

const OFF = mode("nothing", false, false);
const MODES = [
  OFF,
  mode("slow W&B", true, false),
  mode("slow upload", false, true),
  mode("both, slow", true, true),
];

await inBenchFolder(async (folder, cleanup) => {
  await startFakes("fakeServices", folder, cleanup);
  await startFakes("fakeTrackers", folder, cleanup);
  const runFolder = join(folder, "run");
  const { context } = await openBenchRun(folder, runFolder, cleanup);
  // Makes W&B get a table of trajectories with every step.
  await writeFile(runPaths(runFolder).resolvedConfig, '{"save_every": 1}');
  await writeFile(runPaths(runFolder).config, "save_every: 1\n");
  report(await measure({ context, folder, cleanup }));
});

/** Plays all modes in turn, each turn starting with a different one; returns the number of requests to the services. */
async function measure(
  options: Pick<ReportingOptions, "context" | "folder" | "cleanup">,
): Promise<Sent> {
  const timer = await StepTimer.open(options.context, GROUPS, GROUP_SIZE);
  await timer.step();
  const all = { wandb: 0, upload: 0 };
  for (let turn = 0; turn < TURNS * MODES.length; turn += 1) {
    const round = Math.floor(turn / MODES.length);
    const played = MODES[(turn + round) % MODES.length] ?? OFF;
    const firstStep = timer.nextStep;
    const reports = await reportToBoth({ ...options, firstStep, ...played });
    timer.watch = reports.watch;
    for (let i = 0; i < STEPS_A_TURN; i += 1) {
      const before = process.cpuUsage();
      played.times.push(await timer.step());
      const { user, system } = process.cpuUsage(before);
      played.cpuS.push((user + system) / 1e6);
    }
    const sent = await reports.close();
    all.wandb += sent.wandb;
    all.upload += sent.upload;
  }
  return all;
}

function report(sent: Sent): void {
  const off = median(OFF.times);
  for (const { name, times, cpuS } of MODES) {
    print({ name: `${name}: time over ideal, median`, value: median(times), unit: "x" });
    print({ name: `${name}: processor time of a step`, value: median(cpuS), unit: "CPU-s" });
  }
  for (const { name, times } of MODES) {
    if (times === OFF.times) continue;
    print({ name: `${name} over nothing`, value: median(times) / off, unit: "x" });
  }
  const half = (rest: number): number => median(OFF.times.filter((_, i) => i % 2 === rest));
  print({ name: "nothing over nothing: the noise", value: half(0) / half(1), unit: "x" });
  print({ name: "requests to W&B", value: sent.wandb, unit: "" });
  print({ name: "requests of the upload", value: sent.upload, unit: "" });
}

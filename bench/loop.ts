/**
 * Measures the overhead of the training client: the real loop, clients, HTTP, tokenizer, and chat template of a hosted model
 * against fakes in a separate process, which only wait like real services. Run: `npm run bench:loop`; arguments select parts, as in
 * `npm run bench:loop -- 256 8x8` for 256 rollouts in flight and for steps of 8 groups of 8. Every part runs in its own process, so
 * that memory is measured separately. Event-loop delays and step times grow under other CPU load; CPU seconds hardly do.
 * For a profile: `node --cpu-prof scripts/run.mjs bench/loop.ts 256`.
 */

import { spawn } from "node:child_process";
import { once, setMaxListeners } from "node:events";
import { fileURLToPath } from "node:url";
import { inBenchFolder, startFakes } from "./benchFolder.ts";
import { type BenchRun, openBenchRun } from "./benchRun.ts";
import { benchDatums } from "./loopDatums.ts";
import { benchMemory } from "./loopMemory.ts";
import { benchRollouts, benchStart } from "./loopRollouts.ts";
import { benchAhead, benchCycles, benchDefaults } from "./loopRuns.ts";
import { benchSteps } from "./loopSteps.ts";
import { print } from "./measure.ts";

/**
 * All parts: the first sample, numbers of rollouts in flight, groups x rollouts of steps, steps ahead x groups x rollouts of runs,
 * the data of a large step, and runs on other services: one with fixed cycles, one with long turns.
 */
const START = "start";
const DATA = "data";
const CYCLES = "cycles";
const LONG = "long";
const ALL = [
  START,
  ...["64", "256", "4096"],
  ...["8x8", "16x16"],
  ...["0x8x8", "1x8x8", "2x8x8", "3x8x8"],
  DATA,
  ...["cycles:0x8x8", "cycles:1x8x8", "cycles:2x8x8", "cycles:3x8x8"],
  // Enough tokens to make the service's throughput the bottleneck.
  ...["cycles:2x32x16", "cycles:32x16"],
  "long:2x32x16",
];
/** First argument of a process that measures one part. */
const PART = "--part";

async function measureAll(parts: readonly string[]): Promise<void> {
  await inBenchFolder(async (folder, cleanup) => {
    await startFakes("fakeServices", folder, cleanup);
    for (const part of parts) {
      const args = [...process.execArgv, fileURLToPath(import.meta.url), PART, part, folder];
      const child = spawn(process.execPath, args, { stdio: "inherit" });
      const [code] = await once(child, "exit");
      if (code !== 0) throw new Error(`The part ${part} failed.`);
    }
  });
}

async function measurePart(part: string, fakeServices: string): Promise<void> {
  await inBenchFolder(async (folder, cleanup) => {
    const [rest = "", service] = part.split(":").reverse();
    const run = await openBenchRun(fakeServices, folder, cleanup, service);
    if (service === undefined) await benchPart(run, rest);
    else await benchService(run, service, sizesIn(rest));
    const residentMiB = process.resourceUsage().maxRSS / 1024;
    print({ name: `${part}: resident at most, with the start`, value: residentMiB, unit: "MiB" });
  });
}

async function benchPart(run: BenchRun, part: string): Promise<void> {
  if (part === START) return await benchStart(run);
  if (part === DATA) return await benchDatums(run);
  const [first = 0, second, third] = sizesIn(part);
  if (second !== undefined && third !== undefined) {
    return await benchAhead(run, first, second, third);
  }
  await (second === undefined ? benchRollouts(run, first) : benchSteps(run, first, second));
}

async function benchService(
  run: BenchRun,
  service: string,
  [first = 0, second = 0, third]: readonly number[],
): Promise<void> {
  if (third === undefined) await benchDefaults(run, first, second);
  else if (service === CYCLES) await benchCycles(run, first, second, third);
  else if (service === LONG) await benchMemory(run, first, second, third);
  else throw new Error(`There is no service ${service}.`);
}

function sizesIn(part: string): readonly number[] {
  return part.split("x").map(Number);
}

// As in the trainer: everything that a run waits for listens to the signal that ends it.
setMaxListeners(0);
const [first, ...rest] = process.argv.slice(2);
if (first === PART) await measurePart(rest[0] ?? "", rest[1] ?? "");
else await measureAll(first === undefined ? ALL : [first, ...rest]);

/** Repeatedly kills the trainer and fills its disk, at random times. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Ended } from "../../integration/trainProgram.ts";
import type { Attempts } from "./attempts.ts";
import type { SmallDisk } from "./smallDisk.ts";

export interface RandomFaultsOptions {
  readonly attempts: Attempts;
  /** Null = kills only. */
  readonly disk: SmallDisk | null;
  readonly faultCount: number;
  /** Seeded. */
  readonly uniform: () => number;
  readonly say: (text: string) => void;
}

const PAUSE_MS = 500;
const MORE_PAUSE_MS = 5_000;
const FULL_MS = 3_000;
/** Time for a trainer with a full disk to end. */
const ENDING_MS = 4_000;

/** Ends early when the run is done. */
export async function applyRandomFaults({
  attempts,
  disk,
  faultCount,
  uniform,
  say,
}: RandomFaultsOptions): Promise<void> {
  for (let fault = 0; fault < faultCount; fault += 1) {
    const ended = await endedWithin(attempts, PAUSE_MS + uniform() * MORE_PAUSE_MS);
    if (ended?.code === 0) return;
    if (disk === null || fault % 2 === 0) {
      await attempts.trainer.kill();
      say("killed");
      attempts.resume();
    } else {
      const last = await fullFor(attempts, disk, uniform() * FULL_MS);
      if (last?.code === 0) return;
      say(`full: ${last?.stderr.trim() ?? "the run went on"}`);
      if (last !== null) attempts.resume();
    }
  }
}

async function fullFor(attempts: Attempts, disk: SmallDisk, ms: number): Promise<Ended | null> {
  disk.fill();
  const ended = await endedWithin(attempts, ms);
  disk.free();
  return ended ?? (await endedWithin(attempts, ENDING_MS));
}

function endedWithin({ trainer }: Attempts, ms: number): Promise<Ended | null> {
  return Promise.race([trainer.ended, sleep(ms, null)]);
}

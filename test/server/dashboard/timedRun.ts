/** A run folder of one step whose rollouts queue for slots, wait for a full environment, and include a straggler, as in a large run. */

import type { FileSystem } from "../../../src/core/ports.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { aRecord, aRecordedTurn, rolloutFacts, stepFacts } from "../../core/runFolder/builders.ts";
import { startedRun } from "../../fakes/startedRun.ts";

const GROUP_SIZE = 8;
const SECOND_MS = 1_000;
/** Turns of the one straggler. */
const SLOW_TURNS = 9;

export interface TimedRunOptions {
  readonly rollouts: number;
  readonly atOnce: number;
  /** The number of sessions of local/depot. */
  readonly places: number;
}

/** Resolves with the run folder. */
export async function writeTimedRun(
  fileSystem: FileSystem,
  parent: string,
  { rollouts, atOnce, places }: TimedRunOptions,
): Promise<string> {
  const lease = await startedRun(fileSystem, parent, { name: "timed" });
  const { folder, files } = lease;
  await files.writeAtomic(
    `${folder}/config.resolved.json`,
    JSON.stringify({ model_name: "local/tiny-tool", max_active_tasks: atOnce }),
  );
  const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder });
  const beganMs = Date.now() - 600 * SECOND_MS;
  const records = play(beganMs, { rollouts, atOnce, places });
  for (const record of records) await store.addRollout(record);
  const lastMs = Math.max(...records.map(endOf)) - beganMs;
  await store.addPhases(0, {
    startedAtMs: beganMs,
    takenMs: lastMs,
    pausedMs: 0,
    submittedMs: lastMs + 400,
    trainedMs: lastMs + 16_400,
    savedMs: lastMs + 19_000,
    endedMs: lastMs + 19_200,
  });
  const facts = { step: 0, rollouts: records.map(({ group }) => rolloutFacts({ group })) };
  await appendMetrics(files, folder, buildMetricsRow(stepFacts(facts)));
  await lease.update({ phase: "done" });
  return folder;
}

/** Slots and sessions are given to the rollout that waits longest. */
function play(beganMs: number, { rollouts, atOnce, places }: TimedRunOptions): RolloutRecord[] {
  const slots = Array.from({ length: atOnce }, () => beganMs);
  const sessions = Array.from({ length: places }, () => beganMs);
  const random = numbers();
  return Array.from({ length: rollouts }, (_, i) => {
    const startedAtMs = takeFirst(slots);
    const isDepot = i % (4 * GROUP_SIZE) < GROUP_SIZE;
    const placeMs = isDepot ? Math.max(startedAtMs, takeFirst(sessions)) : startedAtMs;
    const openedMs = 300 + Math.round(900 * random());
    const isSlow = i === rollouts - 3;
    const turns = timedTurns(
      placeMs + openedMs + 200,
      isSlow ? SLOW_TURNS : 2 + Math.floor(4 * random()),
      isSlow,
      random,
    );
    const record = aRecord({
      group: Math.floor(i / GROUP_SIZE),
      rollout: i % GROUP_SIZE,
      index: i,
      turns,
      startedAtMs,
      environment: isDepot ? "local/depot" : "local/calculator",
      durationMs: endOfTurns(turns) + 50 - startedAtMs,
      beginning: {
        queuedMs: startedAtMs - beganMs,
        retriedMs: 0,
        waitedMs: placeMs - startedAtMs,
        openedMs,
      },
    });
    slots.push(endOf(record));
    if (isDepot) sessions.push(endOf(record));
    return record;
  });
}

function timedTurns(fromMs: number, count: number, isSlow: boolean, random: () => number) {
  let atMs = fromMs;
  return Array.from({ length: count }, (_, i) => {
    const samplingMs = Math.round(SECOND_MS * (1 + 3 * random()));
    const toolMs = Math.round(SECOND_MS * (isSlow && i < 7 ? 9 : random()));
    const own = aRecordedTurn({ startedAtMs: atMs, samplingMs, durationMs: samplingMs + toolMs });
    atMs += own.durationMs + 40;
    return own;
  });
}

function takeFirst(free: number[]): number {
  const first = Math.min(...free);
  free.splice(free.indexOf(first), 1);
  return first;
}

function endOf({ startedAtMs, durationMs }: RolloutRecord): number {
  return startedAtMs + durationMs;
}

function endOfTurns(turns: RolloutRecord["turns"]): number {
  const last = turns.at(-1);
  return last === undefined ? 0 : last.startedAtMs + last.durationMs;
}

/** The same in every run: a linear congruential generator with the constants of Numerical Recipes. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(1_664_525, state) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Runs that lose their session twice, during every kind of work, with the same result as an undisturbed run. */

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Outcome } from "../resilience/outage/outcome.ts";
import { linesIn, runFile, runIn } from "./controlledRun.ts";
import { EVALUATING, events, forgetfulStage } from "./forgetfulRun.ts";
import type { Loss } from "./forgetfulService.ts";

/** Rollouts per group. */
const GROUP_SIZE = 4;
/** Longer than it takes to store a group. */
const STORED_MS = 1_000;

const stage = forgetfulStage();

const taken = { request: 1, status: 410, isTaken: true } as const;
const LOSSES: readonly (readonly [string, readonly Loss[]])[] = [
  [
    "in an update and in a save",
    [
      { ...taken, endpoint: "forward_backward", request: 4 },
      { ...taken, endpoint: "save_weights" },
    ],
  ],
  [
    "in an evaluation and before one",
    [
      { ...taken, endpoint: "asample", request: 3, containing: EVALUATING, status: 404 },
      { ...taken, endpoint: "save_weights_for_sampler", request: 2, status: 404 },
    ],
  ],
];

const evaluation = z.object({ step: z.number() });
const rollout = z.object({ group: z.number(), startedAtMs: z.number(), durationMs: z.number() });
type Rollout = z.infer<typeof rollout>;

/** The rollouts of each group, by step and group. */
async function groupsIn(folder: string, place: string): Promise<ReadonlyMap<string, Rollout[]>> {
  const found = new Map<string, Rollout[]>();
  const path = join(runIn(folder), place);
  const names = existsSync(path) ? await readdir(path) : [];
  for (const name of names.filter((each) => /^step-\d+\.jsonl$/.test(each))) {
    for (const line of await linesIn(folder, `${place}/${name}`, rollout)) {
      const key = `${name} ${line.group}`;
      found.set(key, [...(found.get(key) ?? []), line]);
    }
  }
  return found;
}

function starts(rollouts: readonly Rollout[] = []): readonly number[] {
  return rollouts.map(({ startedAtMs }) => startedAtMs).sort();
}

/** Groups that had ended when their session was lost: all of them, and those that the next attempt played again. */
async function endedBeforeLoss(folder: string) {
  const last = await groupsIn(folder, "rollouts");
  const ended: string[] = [];
  const repeated: string[] = [];
  for (const [i, { timeMs }] of (await events(folder, "session-lost")).entries()) {
    const before = await groupsIn(folder, `superseded/attempt-${i + 1}/rollouts`);
    const next = i === 0 ? await groupsIn(folder, "superseded/attempt-2/rollouts") : last;
    for (const [key, rollouts] of before) {
      const ends = rollouts.map(({ startedAtMs, durationMs }) => startedAtMs + durationMs);
      // The last one to end may not have been stored yet.
      const hasEnded = rollouts.length === GROUP_SIZE && Math.max(...ends) < timeMs - STORED_MS;
      if (!hasEnded) continue;
      ended.push(key);
      const again = starts(next.get(key) ?? last.get(key));
      if (JSON.stringify(starts(rollouts)) !== JSON.stringify(again)) repeated.push(key);
    }
  }
  return { ended, repeated };
}

describe("a run that samples steps ahead", { timeout: 300_000 }, () => {
  const settings = "max_steps_off_policy: 2\n";
  let whole: Outcome;
  beforeAll(async () => {
    const run = await stage.play({}, { settings });
    expect(run.code, run.stderr).toBe(0);
    whole = run.outcome();
  }, 120_000);

  it.each(LOSSES)("continues when it loses its session %s", async (_, losses) => {
    const run = await stage.play({ losses }, { settings });
    const { folder, service, code, stdout, stderr } = run;
    expect(code, stdout + stderr).toBe(0);
    expect(service.lost).toBe(2);
    expect(run.differencesFrom(whole)).toEqual([]);
    const evaluated = (await linesIn(folder, "eval/results.jsonl", evaluation)).map(
      ({ step }) => step,
    );
    expect(evaluated).toEqual([...new Set(evaluated)]);
    expect(await runFile(folder)).toMatchObject({ phase: "done", attempt: 3 });
    const { ended, repeated } = await endedBeforeLoss(folder);
    expect(ended.length).toBeGreaterThan(0);
    expect(repeated).toEqual([]);
  });
});

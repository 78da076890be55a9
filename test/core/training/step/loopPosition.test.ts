import { expect, it } from "vitest";
import type { UsageEntry } from "../../../../src/core/runFolder/usageLog.ts";
import { START, withUsage } from "../../../../src/core/training/step/loopPosition.ts";
import { NO_RUN_USAGE, NO_TOKENS } from "../../../../src/core/usage/tokenUsage.ts";
import { aContext } from "../fakeContext.ts";

const sampled = (count: number) => ({ ...NO_TOKENS, sampled: count });
const rollout = (position: number, count: number, version = 0): UsageEntry => ({
  for: "rollout",
  position,
  version,
  rollout: 0,
  tokens: sampled(count),
});

/** The position of a resume from a state with this usage, after these entries, with stored groups from position 10 on. */
async function resumed(entries: readonly UsageEntry[], cumulative: number) {
  const context = aContext();
  for (const entry of entries) context.storage.usage.add(entry);
  await context.storage.usage.flush();
  const tokens = { ...NO_RUN_USAGE, cumulative: sampled(cumulative) };
  const start = { ...START, counters: { ...START.counters, tokens } };
  const position = await withUsage(context, start, (group) => group.position >= 10);
  return position.counters;
}

it("usage since the save is discarded, and evaluation usage is counted separately", async () => {
  const evaluation: UsageEntry = { for: "evaluation", step: 1, tokens: sampled(7) };
  const update: UsageEntry = { for: "update", step: 1, tokens: { ...NO_TOKENS, trained: 50 } };
  const { tokens } = await resumed([rollout(0, 100), rollout(1, 30), update, evaluation], 100);
  expect(tokens).toEqual({
    cumulative: { ...sampled(130), trained: 50 },
    discarded: { ...sampled(30), trained: 50 },
    evaluation: sampled(7),
  });
});

it("stored groups are neither used by a step nor discarded, while their earlier lost attempts are discarded", async () => {
  const { tokens } = await resumed([rollout(0, 100), rollout(10, 20), rollout(10, 40)], 100);
  expect(tokens.cumulative).toEqual(sampled(120));
  expect(tokens.discarded).toEqual(sampled(20));
});

it("the time of repeated steps counts, and so does that of a stopped step", async () => {
  const row = (step: number, seconds: number): UsageEntry => ({ for: "row", step, seconds });
  expect((await resumed([rollout(0, 100), row(0, 60), row(1, 130)], 100)).seconds).toBe(130);
  const stopped: UsageEntry = { for: "stop", seconds: 150 };
  expect((await resumed([rollout(0, 100), row(0, 60), stopped], 100)).seconds).toBe(150);
});

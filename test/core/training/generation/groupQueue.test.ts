import { expect, it } from "vitest";
import { runPaths, stepPaths } from "../../../../src/core/runFolder/files/layout.ts";
import type { SamplingClient } from "../../../../src/core/tinker/samplingClient.ts";
import { decodeGroup } from "../../../../src/core/training/generation/groupFile.ts";
import { GroupQueue } from "../../../../src/core/training/generation/groupQueue.ts";
import { StoredGroups } from "../../../../src/core/training/generation/storedGroups.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aConfig } from "../builders.ts";
import { aContext, type FakeContext, FOLDER } from "../fakeContext.ts";

const PENDING = runPaths(FOLDER).pendingFolder;
const ANSWER = ended(call("answer"));
const onCall = () => result("right", { reward: 1, finished: true });
const remote = () => scriptedEnvironment([{ onCall }]);

/** A model that answers one rollout immediately, and all others after a minute. */
function unevenSampler({ clock }: FakeContext): SamplingClient {
  let asked = 0;
  const beforeAnswer = async () => {
    asked += 1;
    if (asked > 1) await clock.sleep(60_000);
  };
  return scriptedSampler([ANSWER], { beforeAnswer });
}

interface Issued {
  readonly stored: StoredGroups | null;
  readonly sampler: SamplingClient;
  readonly isStepKnown?: boolean;
}

function issue(context: FakeContext, { stored, sampler, isStepKnown = true }: Issued): GroupQueue {
  const queue = new GroupQueue(stored);
  queue.issue(context, {
    step: 0,
    isStepKnown,
    settingsHash: "h",
    items: [context.sequence.itemAt(0)],
    policy: { sampler, version: 0, updates: 0, behind: 0 },
  });
  return queue;
}

it("a rollout's tokens are written when it ends, without waiting for the rest of its group", async () => {
  const context = aContext({ remote: remote() });
  const { fileSystem } = context;
  const stored = await StoredGroups.open(context);
  const queue = issue(context, { stored, sampler: unevenSampler(context) });
  queue.play(1);
  await settle();
  const [open, ...others] = await fileSystem.list(PENDING);
  expect(others).toEqual([]);
  expect(open).toMatch(/^group-000000-v0-[0-9a-f]{16}\.bin\.attempt-\d+$/);
  const [written, ...more] = decodeGroup(await fileSystem.readBytes(`${PENDING}/${open}`)) ?? [];
  expect(more).toEqual([]);
  expect(written?.streams[0]?.length).toBeGreaterThan(0);
  const { rollouts } = await context.clock.run(queue.take(context, 0, 1));
  expect(rollouts.map(({ record }) => record.rollout)).toEqual(rollouts.map((_, i) => i));
  expect(rollouts.length).toBeGreaterThan(1);
  expect(rollouts.every(({ streams }) => (streams[0]?.length ?? 0) > 0)).toBe(true);
  expect(await fileSystem.list(PENDING)).toEqual([open?.replace(/\.attempt-\d+$/, "")]);
});

// The texts of a batch used to take as much memory as its tokens, twice (in the turn and its content), until the step was recorded.
it.each([
  ["on-policy", false, true],
  ["ahead", true, true],
  ["ahead, for a step that its rewards decide", true, false],
])(
  "a batch that was sampled %s is trained without the texts that were written down",
  async (_, isAhead, isStepKnown) => {
    const context = aContext({ remote: remote() });
    const stored = isAhead ? await StoredGroups.open(context) : null;
    const queue = issue(context, { stored, sampler: scriptedSampler([ANSWER]), isStepKnown });
    const { rollouts } = await context.clock.run(queue.take(context, 0, 1));
    expect(
      rollouts.map(({ streams, facts }) => [streams.length, facts.turns.length]),
    ).toContainEqual([1, 1]);
    expect(rollouts.flatMap(({ record }) => [...record.turns, ...record.conversation])).toEqual([]);
    const written = await context.fileSystem.readText(stepPaths(FOLDER, 0).bodies);
    expect(written.match(/"sampledText":"[^"]/g)).toHaveLength(rollouts.length);
  },
);

it("a failure in a restored group does not pause the run again", async () => {
  const failing = scriptedEnvironment([
    { onCall: () => result("", { reward: null, finished: true }) },
  ]);
  const config = aConfig({ group_failures: "fail_fast" });
  const context = aContext({ remote: failing, config });
  const play = async () => {
    const stored = await StoredGroups.open(context);
    const queue = issue(context, { stored, sampler: scriptedSampler([ANSWER]) });
    const { rollouts } = await context.clock.run(queue.take(context, 0, 1));
    return rollouts.map(({ record }) => record.reward);
  };
  const rewards = await play();
  expect([rewards[0], context.control.isPausing]).toEqual([null, true]);
  context.control.continue();
  expect(await play()).toEqual(rewards);
  expect(context.control.isPausing).toBe(false);
});

import { expect, it, vi } from "vitest";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import type { SamplingClient } from "../../src/core/tinker/samplingClient.ts";
import { decodeGroup } from "../../src/core/training/generation/groupFile.ts";
import { GroupQueue } from "../../src/core/training/generation/groupQueue.ts";
import { RolloutPlayer } from "../../src/core/training/generation/rolloutPlayer.ts";
import { StoredGroups } from "../../src/core/training/generation/storedGroups.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";
import { aGroup, aTask } from "../core/training/builders.ts";
import { aContext, type FakeContext, FOLDER } from "../core/training/fakeContext.ts";
import { settle } from "../fakes/fakeClock.ts";

const PENDING = runPaths(FOLDER).pendingFolder;
const ANSWER = ended(call("answer"));
const onCall = () => result("right", { reward: 1, finished: true });
const remote = () => scriptedEnvironment([{ onCall }]);

/** A model that answers one rollout at once, and all others after a minute. */
function unevenSampler({ clock }: FakeContext): SamplingClient {
  let asked = 0;
  const beforeAnswer = async () => {
    asked += 1;
    if (asked > 1) await clock.sleep(60_000);
  };
  return scriptedSampler([ANSWER], { beforeAnswer });
}

function issue(context: FakeContext, stored: StoredGroups, sampler: SamplingClient): GroupQueue {
  const queue = new GroupQueue(stored);
  queue.issue(context, {
    step: 0,
    isStepKnown: true,
    settingsHash: "h",
    items: [context.sequence.itemAt(0)],
    policy: { sampler, version: 0, updates: 0, behind: 0 },
  });
  queue.play(1);
  return queue;
}

it("writes the tokens of a rollout down when it ends, not when the slowest of its group does", async () => {
  const context = aContext({ remote: remote() });
  const { fileSystem } = context;
  const queue = issue(context, await StoredGroups.open(context), unevenSampler(context));
  await settle();
  const [open, ...others] = await fileSystem.list(PENDING);
  expect(others).toEqual([]);
  expect(open).toMatch(/^group-000000-v0-[0-9a-f]{16}\.bin\.attempt-\d+$/);
  const [written, ...more] = decodeGroup(await fileSystem.readBytes(`${PENDING}/${open}`)) ?? [];
  expect(more).toEqual([]);
  expect(written?.streams[0]?.length).toBeGreaterThan(0);
  const { rollouts } = await context.clock.run(queue.take(context, 0, 1));
  expect(rollouts.map(({ task }) => task.rollout)).toEqual(rollouts.map((_, i) => i));
  expect(rollouts.length).toBeGreaterThan(1);
  expect(rollouts.every(({ streams }) => (streams[0]?.length ?? 0) > 0)).toBe(true);
  expect(await fileSystem.list(PENDING)).toEqual([open?.replace(/\.attempt-\d+$/, "")]);
});

it("holds of a rollout that waits for its group what it is asked to keep, and no more", async () => {
  const context = aContext({ remote: remote() });
  const isAwaited = true;
  const player = new RolloutPlayer(context, { step: 0, isAwaited });
  const [group] = player.play([[aTask({ rollout: 0 }), aTask({ rollout: 1 })]], {
    context,
    sampler: scriptedSampler([ANSWER]),
    seedOf: () => 7,
    onFinished: async () => undefined,
    onUsed: () => undefined,
    keep: async (rollout) => ({ ...rollout, streams: [] }),
  });
  const rollouts = await context.clock.run(group ?? Promise.reject(new Error("no group")));
  expect(rollouts.map(({ streams }) => streams)).toEqual([[], []]);
});

it("reads the texts of a rollout when it is written down, not while it waits for others to be", async () => {
  const { services } = aContext();
  const { tokenizer } = services.chat;
  const decode = vi.fn(tokenizer.decode);
  const chat = { ...services.chat, tokenizer: { ...tokenizer, decode } };
  const context = aContext({ remote: remote(), chat });
  const player = new RolloutPlayer(context, { step: 0, isAwaited: true });
  const playing = player.play([[aTask({ rollout: 0 }), aTask({ rollout: 1 })]], {
    context,
    sampler: scriptedSampler([ANSWER]),
    seedOf: () => 7,
    onFinished: () => context.clock.sleep(1_000),
    onUsed: () => undefined,
  });
  await settle();
  const turns = 2;
  expect(decode).toHaveBeenCalledTimes(turns + 1);
  await context.clock.run(Promise.all(playing));
  expect(decode).toHaveBeenCalledTimes(turns + 2);
});

it("plays a group anew of which an earlier attempt has written only some rollouts, and removes those", async () => {
  const earlier = aContext();
  const { fileSystem } = earlier;
  const key = { position: 0, version: 0, settingsHash: "h" };
  const [first] = aGroup([1, 0]);
  if (first === undefined) throw new Error("the group has rollouts");
  await (await StoredGroups.open(earlier)).add(key, first);
  expect(await fileSystem.list(PENDING)).toHaveLength(1);
  const stored = await StoredGroups.open(aContext({ fileSystem }));
  expect(stored.has(key)).toBe(false);
  expect(await fileSystem.list(PENDING)).toEqual([]);
});

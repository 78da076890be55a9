import { expect, it, vi } from "vitest";
import { RolloutPlayer } from "../../../../src/core/training/generation/rolloutPlayer.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aTask } from "../builders.ts";
import { aContext } from "../fakeContext.ts";

const ANSWER = ended(call("answer"));
const onCall = () => result("right", { reward: 1, finished: true });
const remote = () => scriptedEnvironment([{ onCall }]);

it("a rollout that waits for its group retains only the requested fields", async () => {
  const context = aContext({ remote: remote() });
  const player = new RolloutPlayer(context);
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

it("a rollout's texts are read when it is written, not while it waits for others", async () => {
  const { services } = aContext();
  const { tokenizer } = services.chat;
  const decode = vi.fn(tokenizer.decode);
  const chat = { ...services.chat, tokenizer: { ...tokenizer, decode } };
  const context = aContext({ remote: remote(), chat });
  const player = new RolloutPlayer(context);
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

it("rollouts that end together are written one at a time", async () => {
  const onCall = () => result("right", { reward: 1, finished: true });
  const context = aContext({ remote: scriptedEnvironment([{ onCall }]) });
  const player = new RolloutPlayer(context);
  let writing = 0;
  let most = 0;
  const groups = player.play(
    [0, 1, 2].map((group) => [0, 1].map((rollout) => aTask({ group, rollout }))),
    {
      context,
      sampler: scriptedSampler([ended(call("answer"))]),
      seedOf: () => 7,
      onFinished: async () => {
        writing += 1;
        most = Math.max(most, writing);
        await context.clock.sleep(10);
        writing -= 1;
      },
      onUsed: () => undefined,
    },
  );
  const ends = await context.clock.run(Promise.all(groups));
  expect(ends.flat()).toHaveLength(6);
  expect(most).toBe(1);
});

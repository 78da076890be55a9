import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { Chat } from "../../src/core/chat/chat.ts";
import { Episode } from "../../src/core/rollout/episode.ts";
import { aLimit } from "../core/rollout/builders.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import {
  call,
  ended,
  renderer,
  scriptedSampler,
  tokenizer,
} from "../core/rollout/scriptedModel.ts";
import { ENVIRONMENT, someSettings } from "../core/training/builders.ts";
import { FakeClock } from "../fakes/fakeClock.ts";

/** Less than what Node would keep outside of the heap. */
const LENGTH = 1_000_000;

/** A tokenizer whose every decoded text is long, so that one that is held shows. */
const chat: Chat = {
  renderer,
  tokenizer: { ...tokenizer, decode: () => Buffer.alloc(LENGTH, "a").toString("latin1") },
};

function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("there is no way to collect garbage");
  collect();
  return process.memoryUsage().heapUsed;
}

// All texts of all rollouts that played at once took half of the heap.
it("a rollout that goes on holds the ids of its turns and not their texts", async () => {
  const heaps: number[] = [];
  const onCall = () => {
    heaps.push(heapAfterCollection());
    return result("ok", { finished: heaps.length > 2, reward: 1 });
  };
  const environment = scriptedEnvironment([{ onCall }]);
  const choice = { split: "train", index: 0 };
  const clock = new FakeClock();
  const episode = new Episode({
    session: await environment.openSession(choice),
    chat,
    clock,
    environment: ENVIRONMENT,
    sampler: scriptedSampler([ended(call("look"))]),
    settings: someSettings({ maxTurns: 5 }),
    seedOf: () => undefined,
    sampleSlot: async () => () => undefined,
    limit: aLimit(clock),
  });
  expect(await clock.run(episode.play())).toBe("reached_terminal_state");
  const [first = Number.NaN, , third = Number.NaN] = heaps;
  expect(third - first).toBeLessThan(LENGTH);
  expect(episode.turns.map(({ sampledText }) => sampledText.length)).toEqual(
    [1, 2, 3].map(() => LENGTH),
  );
});

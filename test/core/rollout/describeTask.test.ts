import { expect, test } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { describeTask } from "../../../src/core/rollout/describeTask.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { someSettings } from "../training/builders.ts";
import { scriptedEnvironment, scriptedSession } from "./scriptedEnvironment.ts";
import { renderer, tokenizer, untilAborted } from "./scriptedModel.ts";

test("a prompt that is waited for is given up when its session is lost", async () => {
  const lost = new AppError("environment-session-lost", "Gone.");
  const session = scriptedSession();
  const remote = {
    ...scriptedEnvironment(),
    openSession: async () => ({
      ...session,
      prompt: async (options?: { readonly signal?: AbortSignal }) => {
        const waiting = untilAborted(options?.signal);
        session.lose(lost);
        return await waiting;
      },
    }),
  };
  const described = describeTask({
    remote,
    split: "train",
    index: 0,
    thinking: false,
    clock: new FakeClock(),
    chat: { renderer, tokenizer },
    settings: someSettings(),
  });
  await expect(described).rejects.toBe(lost);
  expect(session.isClosed).toBe(true);
});

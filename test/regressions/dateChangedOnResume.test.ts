import { describe, expect, it } from "vitest";
import type { Chat } from "../../src/core/chat/chat.ts";
import { readState, writeState } from "../../src/core/runFolder/state.ts";
import { prepareRun } from "../../src/core/training/prepare.ts";
import { START, snapshotAt } from "../../src/core/training/step/loopPosition.ts";
import { sha256 } from "../../src/node/hash.ts";
import { byteTokenizer } from "../core/chat/byteTokenizer.ts";
import { scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { aConfig } from "../core/training/builders.ts";
import { aContext, FOLDER, fakeService } from "../core/training/fakeContext.ts";
import { FakeClock } from "../fakes/fakeClock.ts";

const DAY_MS = 24 * 60 * 60_000;
const NAMES = ["start", "channel", "constrain", "message", "end", "return", "call"];
const tokenizer = byteTokenizer(NAMES.map((name) => `<|${name}|>`));

const LAST = { step: 0, state_path: "tinker://a/weights/b", sampler_path: null, expires_at: null };

/** Gets a run ready so many days after 2026-01-01. */
async function prepareOn(day: number, promptDate?: string): Promise<Chat> {
  const clock = new FakeClock();
  await clock.advance(day * DAY_MS);
  const { chat } = await clock.run(
    prepareRun({
      config: aConfig({ model_name: "openai/gpt-oss-20b" }),
      service: { ...fakeService([]), capabilities: async () => null },
      sha256,
      clock,
      promptDate,
      random: { uuid: () => "", uniform: () => 0 },
      environment: () => ({ ...scriptedEnvironment(), numTasks: async () => 8 }),
      loadModel: async () => ({ tokenizer, template: null }),
      secretsOf: async () => ({}),
      onPart: () => undefined,
      onWarning: () => undefined,
    }),
  );
  return chat;
}

const promptOf = ({ renderer }: Chat): string =>
  tokenizer.decode(renderer.renderInitial([{ role: "user", content: "Hi" }], []));

describe("the date in the prompts of a run", () => {
  it("is that of its first day, also when it is resumed on another", async () => {
    const chat = await prepareOn(0);
    expect(promptOf(chat)).toContain("Current date: 2026-01-01\n");

    const context = aContext({ chat });
    const identity = { runId: "a", configHash: "h", changedKeys: [], generation: 1 };
    const snapshot = snapshotAt(context, START, identity, {});
    await writeState(context.fileSystem, FOLDER, snapshot.state(LAST));
    const saved = await readState(context.fileSystem, FOLDER);

    expect(promptOf(await prepareOn(2, saved?.prompt_date))).toBe(promptOf(chat));
    expect(promptOf(await prepareOn(2))).toContain("Current date: 2026-01-03\n");
  });
});

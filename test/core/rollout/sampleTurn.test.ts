import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { runRollout } from "../../../src/core/rollout/rollout.ts";
import { sampleRefusal } from "../../../src/core/rollout/sampleTurn.ts";
import { requestFailed, statusError } from "../../../src/core/tinker/transport/errors.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { aTask, someSettings } from "../training/builders.ts";
import { aGate } from "./builders.ts";
import { result, scriptedEnvironment } from "./scriptedEnvironment.ts";
import {
  call,
  ended,
  renderer,
  scriptedSampler,
  type TurnScript,
  tokenizer,
} from "./scriptedModel.ts";

const request = {
  prompt: [1, 2],
  maxTokens: 5,
  temperature: 1,
  topK: -1,
  topP: 1,
  seed: undefined,
  stop: [],
};

it.each([
  ["a request that is too large, whatever the service says", 413, "no", "prompt-too-long"],
  ["a context that is full", 400, "input is too long", "prompt-too-long"],
  ["any other content", 400, "no", "sample-refused"],
])("%s is recognized by status and text", (_name, status, detail, code) => {
  const fault = new AppError("tinker-bad-request", "", { data: { status, detail } });
  expect(sampleRefusal(fault, request)?.code).toBe(code);
});

it("a general hint about the request format is not treated as a refusal", () => {
  const fault = new AppError("tinker-bad-request", "", { data: { status: 422, detail: "no" } });
  expect(sampleRefusal(fault, request)).toBeNull();
});

/** The hosted service's answer to a prompt beyond the model's context length. */
const TOO_LONG =
  "Prompt length plus max_tokens exceeds the model's context window: 33000 prompt tokens + 1 max_tokens > 32768.";

function refused(status: number, detail: string) {
  const text = JSON.stringify({ detail });
  return statusError({ status, text, what: "POST asample", attempts: 1 });
}

const ADD = ended(call("add"));
const ANSWER = ended(call("answer"));
const onCall = ({ name }: { readonly name: string }) =>
  result("", { reward: name === "answer" ? 1 : 0.25, finished: name === "answer" });

async function play(turns: readonly TurnScript[]) {
  const clock = new FakeClock();
  const sampler = scriptedSampler(turns);
  const rollout = runRollout(
    {
      gate: aGate(scriptedEnvironment([{ onCall }]), clock),
      sampler,
      chat: { renderer, tokenizer },
      settings: someSettings(),
      clock,
      random: { uuid: () => "id", uniform: () => 0 },
      log: silentLog,
      sampleSlot: async () => () => undefined,
      seedOf: () => undefined,
    },
    aTask(),
    new AbortController().signal,
  );
  return { finished: (await clock.run(rollout)).finish(), sampler };
}

describe("a sample refused by the service", () => {
  it("fails its rollout with an explanation, without a retry", async () => {
    const { finished, sampler } = await play([refused(400, "Expected 63 tokens, got 70")]);
    expect(finished).toMatchObject({ record: { reward: null, stop: "error" } });
    expect(finished.record.error).toMatch(
      /^The sampler refused a prompt of \d+ tokens with up to 100 tokens to come: Expected 63 tokens, got 70\. /,
    );
    expect(sampler.requests).toHaveLength(1);
  });

  it.each([
    ["at once", refused(400, TOO_LONG)],
    ["after it was accepted", requestFailed("Sample", TOO_LONG, "unknown")],
  ])("because the context is full ends the episode with what it has, %s", async (_name, fault) => {
    const { finished } = await play([ADD, fault]);
    expect(finished).toMatchObject({
      record: { reward: 0.25, stop: "max_tokens", error: null, turns: [{}] },
    });
    expect(finished.streams[0]?.turnCount).toBe(1);
  });

  it("because the first prompt is too long fails its rollout, with what to change", async () => {
    const { finished } = await play([refused(400, TOO_LONG)]);
    expect(finished.facts.errorClass).toBe("prompt-too-long");
    expect(finished.record.error).toMatch(
      /33000 prompt tokens \+ 1 max_tokens > 32768\. Lower max_response_tokens or max_total_tokens/,
    );
  });

  it("because of the request itself is not retried in a new session", async () => {
    const { finished, sampler } = await play([requestFailed("Sample", "bad token id", "user")]);
    expect(finished.record.error).toMatch(/bad token id/);
    expect(sampler.requests).toHaveLength(1);
  });

  it.each([
    ["a key", refused(401, "no such key")],
    ["the form of every request", refused(422, "body.sampling_params: unknown field top_k")],
  ])("because of %s still ends the run", async (_name, fault) => {
    await expect(play([fault])).rejects.toBe(fault);
  });

  it("because of a service failure is still retried", async () => {
    const { finished } = await play([requestFailed("Sample", "out of memory", "server"), ANSWER]);
    expect(finished).toMatchObject({ record: { reward: 1 }, facts: { attempts: 2 } });
  });
});

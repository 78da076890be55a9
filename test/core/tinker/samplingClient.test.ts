/** What sampling sends and returns; service faults are in `faults.test.ts`. */

import { describe, expect, it } from "vitest";
import { settle } from "../../fakes/fakeClock.ts";
import { type FakeReply, jsonBody } from "../../fakes/fakeHttp.ts";
import { fakeTinker, type Interception, sampleBytes } from "../../fakes/fakeTinker.ts";

const request = { prompt: [1, 2], maxTokens: 6, temperature: 1, topK: -1, topP: 1 };

async function sampling(intercept?: Interception) {
  const server = fakeTinker(intercept);
  const service = await server.connect();
  const sampler = await service.samplerForBase("org/model");
  return { ...server, sampler };
}

/** Replaces the result of every sample. */
function withResult(bytes: Uint8Array): Interception {
  return (path) => (path === "retrieve_future" ? { bytes } : undefined);
}

describe("sampling", () => {
  it("returns tokens, log-probs, the stop reason, and the sequence name", async () => {
    const { sampler, requestsTo } = await sampling();
    await expect(sampler.sample({ ...request, seed: 7, stop: [9] })).resolves.toEqual({
      tokens: Int32Array.of(11, 12),
      logprobs: Float32Array.of(-0.5, -0.25),
      stopReason: "stop",
    });
    const [sent] = requestsTo("asample");
    expect(sent?.headers).toMatchObject({ "X-Tinker-Sampling-Backpressure": "1" });
    expect(sent && jsonBody(sent)).toEqual({
      num_samples: 1,
      prompt: { chunks: [{ tokens: [1, 2], type: "encoded_text" }] },
      sampling_params: {
        max_tokens: 6,
        seed: 7,
        stop: [9],
        temperature: 1,
        top_k: -1,
        top_p: 1,
      },
      prompt_logprobs: false,
      sampling_session_id: "S:sample:0",
      seq_id: 0,
      type: "sample",
    });
  });

  it("records a sample on request, and names it as the accepted submission does", async () => {
    const { sampler, requestsTo } = await sampling();
    const sampled = await sampler.sample({ ...request, recordsStability: true });
    expect(sampled.sequenceId).toBe("asample-0:0");
    expect(requestsTo("asample").map(jsonBody)).toMatchObject([{ record_stability_info: true }]);
  });

  it("explains that a server which names no sequences cannot train with stable_reinforce", async () => {
    const { sampler } = await sampling((path) => {
      if (path === "asample") return { json: { request_id: "sample" } };
      return path === "retrieve_future" ? { bytes: sampleBytes([11], [-1]) } : undefined;
    });
    await expect(sampler.sample(request)).resolves.toMatchObject({ stopReason: "stop" });
    await expect(sampler.sample({ ...request, recordsStability: true })).rejects.toThrow(
      /sample_sequence_ids.*loss_fn: stable_reinforce needs\. Set loss_fn to ppo or cispo/,
    );
  });

  it("numbers its samples from 0 and sends an empty stop list as such", async () => {
    const { sampler, requestsTo } = await sampling();
    await Promise.all([sampler.sample(request), sampler.sample({ ...request, stop: [] })]);
    const bodies = requestsTo("asample").map(jsonBody);
    expect(bodies).toMatchObject([{ seq_id: 0 }, { seq_id: 1, sampling_params: { stop: [] } }]);
    expect(bodies[0]?.["sampling_params"]).not.toHaveProperty("stop");
  });

  it.each([
    ["returned none", null],
    ["returned fewer than tokens", [-0.5]],
  ])("has no log-probs when the server %s", async (_, logprobs) => {
    const { sampler } = await sampling(withResult(sampleBytes([11, 12], logprobs)));
    await expect(sampler.sample(request)).resolves.toMatchObject({ logprobs: null });
  });

  it("can stop at texts", async () => {
    const { sampler, requestsTo } = await sampling();
    await sampler.sample({ ...request, stop: ["ab", "c"] });
    expect(requestsTo("asample").map(jsonBody)).toMatchObject([
      { sampling_params: { stop: ["ab", "c"] } },
    ]);
  });

  it("reads the JSON of older servers", async () => {
    const { sampler } = await sampling((path) =>
      path === "retrieve_future"
        ? { json: { sequences: [{ stop_reason: "length", tokens: [3], logprobs: [-1] }] } }
        : undefined,
    );
    await expect(sampler.sample(request)).resolves.toMatchObject({
      tokens: Int32Array.of(3),
      logprobs: Float32Array.of(-1),
      stopReason: "length",
    });
  });

  it("scores a text, with null where the server defines nothing", async () => {
    const bytes = sampleBytes([0], [-1], [Number.NaN, -0.5, -0.25]);
    const { sampler, requestsTo } = await sampling(withResult(bytes));
    await expect(sampler.computeLogprobs([1, 2, 3])).resolves.toEqual([null, -0.5, -0.25]);
    expect(requestsTo("asample").map(jsonBody)).toMatchObject([
      { prompt_logprobs: true, sampling_params: { max_tokens: 1 } },
    ]);
  });

  it("aligns scores that omit the first, undefined one", async () => {
    const { sampler } = await sampling(withResult(sampleBytes([0], [-1], [-0.5, -0.25])));
    await expect(sampler.computeLogprobs([1, 2, 3])).resolves.toEqual([null, -0.5, -0.25]);
  });

  it("rejects scores that do not match the text", async () => {
    const { sampler } = await sampling(withResult(sampleBytes([0], [-1], [-0.5])));
    await expect(sampler.computeLogprobs([1, 2, 3])).rejects.toThrow(/1 prompt log-probs for 3/);
  });

  it("ends with the caller's reason when aborted", async () => {
    const { sampler } = await sampling((path) => (path === "retrieve_future" ? "hang" : undefined));
    const controller = new AbortController();
    const sample = sampler.sample(request, { signal: controller.signal });
    controller.abort("enough");
    await expect(sample).rejects.toBe("enough");
  });
});

describe("time not spent on sampling", () => {
  it("pauses the caller's clock", async () => {
    const script: FakeReply[] = [
      { status: 429 },
      { status: 402 },
      { status: 503 },
      { json: { request_id: "r", sample_sequence_ids: ["r:0"] } },
    ];
    const paused = { json: { type: "try_again", queue_state: "paused_rate_limit" } };
    const polls: FakeReply[] = [paused, { bytes: sampleBytes([1], [-1]) }];
    const { sampler, clock } = await sampling((path) => {
      if (path === "asample") return script.shift();
      return path === "retrieve_future" ? polls.shift() : undefined;
    });
    let stoodStillMs = 0;
    const startedAtMs = clock.monotonic();
    await clock.run(
      sampler.sample(request, {
        withTimerPaused: async (wait) => {
          const fromMs = clock.monotonic();
          const value = await wait();
          stoodStillMs += clock.monotonic() - fromMs;
          return value;
        },
      }),
    );
    const waitsMs = 1000 + 5000 + 250;
    expect(stoodStillMs).toBe(waitsMs);
    expect(clock.monotonic() - startedAtMs).toBe(waitsMs + 500);
  });
});

describe("an abandoned sample", () => {
  async function abandon(dynamicConfig: FakeReply) {
    const server = await sampling((path) => {
      if (path === "client/dynamic_config") return dynamicConfig;
      if (path === "cancel_future") return { status: 204 };
      return path === "retrieve_future" ? "hang" : undefined;
    });
    const controller = new AbortController();
    const samples = [1, 2].map(() =>
      server.sampler.sample(request, { signal: controller.signal }).catch(() => "aborted"),
    );
    await settle();
    controller.abort();
    await Promise.all(samples);
    await settle();
    return server;
  }

  it("is canceled on a server that supports it; the server's flags are read once", async () => {
    const { requestsTo } = await abandon({
      json: { sample_cancel_enabled: true, sample_cancel_max_batch_size: 1 },
    });
    expect(requestsTo("client/dynamic_config").map(jsonBody)).toEqual([{ sdk_version: "0.38.0" }]);
    const canceled = requestsTo("cancel_future").map((sent) => jsonBody(sent)["request_id"]);
    expect(canceled.toSorted()).toEqual(["asample-0", "asample-1"]);
  });

  it.each([
    ["does not offer it", { json: {} }],
    ["knows no such flags", { status: 404, json: { detail: "Not Found" } }],
  ])("is left alone on a server that %s", async (_name, reply) => {
    const { requestsTo } = await abandon(reply);
    expect(requestsTo("cancel_future")).toEqual([]);
  });
});

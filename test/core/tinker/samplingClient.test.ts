import { describe, expect, it } from "vitest";
import { jsonBody } from "../../fakes/fakeHttp.ts";
import { fakeTinker, type Interception, sampleBytes, seqIdOf } from "../../fakes/fakeTinker.ts";

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
  it("returns tokens, log-probs, the stop reason and the sequence's name", async () => {
    const { sampler, requestsTo } = await sampling();
    await expect(sampler.sample({ ...request, seed: 7, stop: [9] })).resolves.toEqual({
      tokens: [11, 12],
      logprobs: [-0.5, -0.25],
      stopReason: "stop",
      sequenceId: "asample-0:0",
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

  it("numbers its samples from 0 and sends an empty list of stops as such", async () => {
    const { sampler, requestsTo } = await sampling();
    await Promise.all([sampler.sample(request), sampler.sample({ ...request, stop: [] })]);
    const bodies = requestsTo("asample").map(jsonBody);
    expect(bodies).toMatchObject([{ seq_id: 0 }, { seq_id: 1, sampling_params: { stop: [] } }]);
    expect(bodies[0]?.["sampling_params"]).not.toHaveProperty("stop");
  });

  it("says when the server gave no log-probs", async () => {
    const { sampler } = await sampling(withResult(sampleBytes([11], null)));
    await expect(sampler.sample(request)).resolves.toMatchObject({ logprobs: null });
  });

  it("refuses log-probs that do not match the tokens", async () => {
    const { sampler } = await sampling(withResult(sampleBytes([11, 12], [-0.5])));
    await expect(sampler.sample(request)).rejects.toThrow(/1 log-probs for 2 tokens/);
  });

  it("reads the JSON of older servers", async () => {
    const { sampler } = await sampling((path) =>
      path === "retrieve_future"
        ? { json: { sequences: [{ stop_reason: "length", tokens: [3], logprobs: [-1] }] } }
        : undefined,
    );
    await expect(sampler.sample(request)).resolves.toMatchObject({
      tokens: [3],
      logprobs: [-1],
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

  it("refuses scores that do not match the text", async () => {
    const { sampler } = await sampling(withResult(sampleBytes([0], [-1], [-0.5])));
    await expect(sampler.computeLogprobs([1, 2])).rejects.toThrow(/1 prompt log-probs for 2/);
  });

  it("holds all samples for a second when the server is busy, and repeats the same one", async () => {
    let busy = 2;
    const { sampler, clock, requestsTo } = await sampling((path) =>
      path === "asample" && busy-- > 0 ? { status: 429 } : undefined,
    );
    const startedAt = clock.monotonic();
    const first = sampler.sample(request);
    await clock.advance(500);
    const second = sampler.sample(request);
    await clock.run(Promise.all([first, second]));
    expect(clock.monotonic() - startedAt).toBe(2000);
    expect(requestsTo("asample").map(seqIdOf).slice(0, 2)).toEqual([0, 0]);
  });

  it("submits a lost sample anew under a new number", async () => {
    let isFirst = true;
    const { sampler, clock, requestsTo } = await sampling((path) => {
      if (path !== "retrieve_future" || !isFirst) return undefined;
      isFirst = false;
      return { status: 410, json: { detail: "promise expired" } };
    });
    await clock.run(sampler.sample(request));
    expect(requestsTo("asample").map(seqIdOf)).toEqual([0, 1]);
  });

  it("does not repeat a sample that failed", async () => {
    const { sampler, requestsTo } = await sampling((path) =>
      path === "retrieve_future"
        ? { json: { error: "PromptTooLong", category: "user" } }
        : undefined,
    );
    await expect(sampler.sample(request)).rejects.toMatchObject({ code: "tinker-request-failed" });
    expect(requestsTo("asample")).toHaveLength(1);
  });

  it("ends with the caller's reason when aborted", async () => {
    const { sampler } = await sampling((path) => (path === "retrieve_future" ? "hang" : undefined));
    const controller = new AbortController();
    const sample = sampler.sample(request, { signal: controller.signal });
    controller.abort("enough");
    await expect(sample).rejects.toBe("enough");
  });
});

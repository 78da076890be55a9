import { describe, expect, it } from "vitest";
import {
  type ProbedSampling,
  probeConvention,
} from "../../../src/core/serverChecks/probeConvention.ts";
import type { SamplingClient } from "../../../src/core/tinker/samplingClient.ts";
import { tinkerError } from "../../../src/core/tinker/transport/errors.ts";
import { type ToyOptions, toySampler } from "./toyModel.ts";

const PLAIN: ProbedSampling = { temperature: 1, topP: 1, topK: -1 };
const TOKENS = [3, 1, 4, 15, 9, 2, 6, 5];

function probe(sampler: SamplingClient, sampling: Partial<ProbedSampling>) {
  const { signal } = new AbortController();
  const own = { ...PLAIN, ...sampling };
  return probeConvention(sampler, { tokens: TOKENS, seed: 1, sampling: own, signal });
}

const SETTINGS: readonly Partial<ProbedSampling>[] = [
  { temperature: 0.5 },
  { temperature: 0.7 },
  { temperature: 0.9 },
  { temperature: 1.2 },
  { temperature: 2 },
  { topP: 0.9 },
  { topK: 10 },
  { temperature: 0.7, topP: 0.95 },
  { temperature: 1.3, topK: 20 },
];

describe.each(SETTINGS)("sampling with %o", (sampling) => {
  it.each<[string, Omit<ToyOptions, "reports">]>([
    ["exactly", {}],
    ["with noise", { noise: 0.02 }],
    ["of a sharper model", { sharpness: 8 }],
  ])("distinguishes raw from scaled log-probs, %s", async (_name, options) => {
    for (const reports of ["raw", "scaled"] as const) {
      const finding = await probe(toySampler({ ...options, reports }), sampling);
      expect(finding, JSON.stringify(finding)).toMatchObject({ convention: reports });
    }
  });

  it("accepts meaningless numbers as neither", async () => {
    const finding = await probe(toySampler({ reports: "raw", noise: 1 }), sampling);
    if (sampling.temperature !== undefined) expect(finding.convention).toBe("unclear");
    else expect(finding.convention).not.toBe("scaled");
  });
});

describe("a probe of log-probs", () => {
  const sampler = toySampler({ reports: "raw" });

  it("is inconclusive if a temperature changes nothing", async () => {
    expect(await probe(toySampler({ reports: "raw", sharpness: 0 }), { temperature: 0.7 })).toEqual(
      expect.objectContaining({ convention: "unclear" }),
    );
    const always: SamplingClient = {
      ...sampler,
      sample: async () => ({
        tokens: [1],
        logprobs: [-0.1],
        stopReason: "length",
      }),
    };
    expect(await probe(always, { temperature: 0.7 })).toMatchObject({
      convention: "unclear",
      tokens: 0,
    });
  });

  it("reports why it could not be made", async () => {
    const unreported: SamplingClient = {
      ...sampler,
      sample: async (request) => ({ ...(await sampler.sample(request)), logprobs: null }),
    };
    expect(await probe(unreported, { topK: 5 })).toMatchObject({
      convention: null,
      words: expect.stringContaining("no usable log-probabilities"),
    });
    const unscored: SamplingClient = {
      ...sampler,
      computeLogprobs: () => Promise.reject(tinkerError("tinker-protocol", "0 prompt log-probs")),
    };
    expect(await probe(unscored, { topK: 5 })).toMatchObject({
      convention: null,
      words: expect.stringContaining("0 prompt log-probs"),
    });
  });

  it("fails if the server is unreachable", async () => {
    const gone: SamplingClient = {
      ...sampler,
      sample: () => Promise.reject(tinkerError("tinker-unavailable", "No answer")),
    };
    await expect(probe(gone, { topK: 5 })).rejects.toMatchObject({ code: "tinker-unavailable" });
  });
});

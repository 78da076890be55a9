import { describe, expect, it } from "vitest";
import type { RolloutSettings } from "../../../../src/core/rollout/settings.ts";
import type { SamplingClient } from "../../../../src/core/tinker/samplingClient.ts";
import { checkSampling } from "../../../../src/core/training/checks/checkSampling.ts";
import { toySampler } from "../../serverChecks/toyModel.ts";
import { someSettings } from "../builders.ts";
import { aContext } from "../fakeContext.ts";

describe("the sampling check", () => {
  function aRunWith(settings: Partial<RolloutSettings>) {
    const context = aContext({ settings: someSettings(settings) });
    return { context, check: (sampler: SamplingClient) => checkSampling(context, sampler, 0) };
  }
  const warning = (text: RegExp) => [{ kind: "warning", message: expect.stringMatching(text) }];

  it("sends no request when rollouts sample from the model's own distribution", async () => {
    const { context, check } = aRunWith({});
    expect(await check(context.client.sampler)).toEqual({});
    expect(context.progress).toEqual([]);
  });

  it.each([
    ["raw", /of the model itself, without temperature 0.7 and top_k 20: .* off-policy/],
    ["scaled", /with temperature 0.7 and top_k 20, but trains the model without/],
  ] as const)("records the logprob convention and warns: %s", async (reports, text) => {
    const { context, check } = aRunWith({ temperature: 0.7, topK: 20 });
    expect(await check(toySampler({ reports }))).toEqual({
      sampler: { logprob_convention: reports },
    });
    expect(context.progress).toEqual(warning(text));
  });

  it("warns about what it could not check", async () => {
    const { context, check } = aRunWith({ topP: 0.9 });
    const sampler = toySampler({ reports: "raw" });
    const silent: SamplingClient = {
      ...sampler,
      sample: async (request) => ({ ...(await sampler.sample(request)), logprobs: null }),
    };
    expect(await check(silent)).toEqual({});
    expect(context.progress).toEqual(warning(/include top_p 0.9 .* could not be checked/));
  });
});

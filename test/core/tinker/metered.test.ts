import { describe, expect, it } from "vitest";
import { meteredSampler } from "../../../src/core/tinker/metered.ts";
import { UsageMeter } from "../../../src/core/usage/usageMeter.ts";
import { settle } from "../../fakes/fakeClock.ts";
import { fakeTinker, type Interception, sampleBytes } from "../../fakes/fakeTinker.ts";

const request = { prompt: [1, 2, 3], maxTokens: 6, temperature: 1, topK: -1, topP: 1 };

async function setUp(intercept?: Interception) {
  const { clock, connect } = fakeTinker(intercept);
  const service = await connect();
  const meter = new UsageMeter();
  const sampler = meteredSampler(await service.samplerForBase("org/model"), meter);
  return { clock, meter, sampler };
}

const NONE = { sampled: 0, prefill_cached: 0, prefill_uncached: 0, trained: 0 };

describe("the meter of a sampler", () => {
  it("counts uncached and cached prompt tokens, and sampled ones", async () => {
    const bytes = sampleBytes([11, 12], [-0.5, -0.25], null, 2);
    const { meter, sampler } = await setUp((path) =>
      path === "retrieve_future" ? { bytes } : undefined,
    );
    await sampler.sample(request);
    const used = { sampled: 2, prefill_cached: 2, prefill_uncached: 1, trained: 0 };
    expect(meter.usage).toEqual({ used, discarded: NONE });
  });

  it("counts a sample that the service lost as discarded, and its replacement", async () => {
    let polls = 0;
    const { clock, meter, sampler } = await setUp((path) => {
      if (path !== "retrieve_future") return undefined;
      polls += 1;
      return polls === 1 ? { status: 410, json: { detail: "gone" } } : undefined;
    });
    await clock.run(sampler.sample(request));
    expect(meter.usage).toEqual({
      used: { ...NONE, sampled: 2, prefill_uncached: 6 },
      discarded: { ...NONE, prefill_uncached: 3 },
    });
  });

  it("counts what was sent before a sample was abandoned", async () => {
    const giveUp = new AbortController();
    const { meter, sampler } = await setUp((path) =>
      path === "retrieve_future" ? "hang" : undefined,
    );
    const sample = sampler.sample(request, { signal: giveUp.signal });
    sample.catch(() => undefined);
    await settle();
    giveUp.abort(new Error("enough"));
    await expect(sample).rejects.toThrow("enough");
    const prompt = { ...NONE, prefill_uncached: 3 };
    expect(meter.usage).toEqual({ used: prompt, discarded: prompt });
  });

  it("counts nothing for a request that the service refuses", async () => {
    const { meter, sampler } = await setUp((path) =>
      path === "retrieve_future"
        ? { json: { error: "Prompt too long", category: "user" } }
        : undefined,
    );
    await expect(sampler.sample(request)).rejects.toThrow();
    expect(meter.usage.used).toEqual(NONE);
  });
});

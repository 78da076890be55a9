import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine, EngineDatum, SampledSequence } from "../../../../src/local/engine/engine.ts";
import { createRandomEngine } from "../../../../src/local/engine/random/randomEngine.ts";
import { QWEN3_FOLDER, qwen3Model } from "../../../node/tokenizer/qwen3Model.ts";
import { ADAM, CROSS_ENTROPY, datumOf, PPO, sampleRequest, WORKER } from "../engineFixture.ts";
import { KERNELS } from "../testModel.ts";

const NAME = "Qwen/Qwen3-8B";
const END = 151_645;
const OPTIONS = { rank: 8, seed: 3, trainAttn: true, trainMlp: true };
const { tokenizer } = qwen3Model;
const prompt = Int32Array.from([151_644, ...tokenizer.encodeText("user\nWhat is 3 + 4?")]);

const start = (workers: number): Promise<Engine> =>
  createRandomEngine(
    { name: NAME, tokenizerFolder: QWEN3_FOLDER },
    { wasmPath: KERNELS, workerPath: WORKER, workers },
  );

let engine: Engine;
beforeAll(async () => {
  engine = await start(2);
});
afterAll(() => engine.close());

const samples = (
  count: number,
  changes: Parameters<typeof sampleRequest>[0] = {},
): Promise<readonly SampledSequence[]> =>
  Promise.all(
    Array.from({ length: count }, (_, seed) =>
      engine.sample(null, sampleRequest({ prompt, maxTokens: 60, seed, ...changes })),
    ),
  );

/** The sampled tokens as training data. */
function playedDatum({ tokens, logprobs }: SampledSequence, advantage: number): EngineDatum {
  const before = prompt.length - 1;
  const datum = datumOf(Int32Array.of(...prompt, ...tokens));
  return {
    ...datum,
    weights: datum.weights.fill(advantage, before),
    logprobs: Float32Array.of(...new Float32Array(before), ...logprobs),
  };
}

const sampledPart = (logprobs: Float32Array | undefined): number[] =>
  Array.from(logprobs?.slice(prompt.length - 1) ?? []);

describe("an engine with random weights", () => {
  it("has the given name and all ids of the tokenizer", async () => {
    expect(engine.model).toMatchObject({ name: NAME, vocabSize: 151_669, eosIds: [END] });
    const ids = (await samples(20)).flatMap(({ tokens }) => Array.from(tokens));
    expect(Math.max(...ids)).toBeLessThan(151_669);
    expect(ids.some((id) => id > 100_000 && id < 151_643)).toBe(true);
    expect(ids.some((id) => id < 50_000)).toBe(true);
  });

  it("replaces an image by ids of its vocabulary that depend on its bytes", () => {
    const { imageIds, vocabSize } = engine.model;
    if (imageIds === undefined) throw new Error("the engine reads text only");
    const ids = (text: string, count = 64): readonly number[] =>
      Array.from(imageIds(Buffer.from(text), count));
    expect(ids("a")).toEqual(ids("a"));
    expect(ids("a").slice(0, 9)).toEqual(ids("a", 9));
    expect(ids("a")).not.toEqual(ids("b"));
    expect(ids("a")).toHaveLength(64);
    for (const id of ids("a")) expect(Number.isInteger(id) && id >= 0 && id < vocabSize).toBe(true);
  });

  it("ends turns: a good share of the samples reaches an end token or a stop text", async () => {
    const byId = await samples(40, { stopIds: [END] });
    const ended = byId.filter(({ stopReason }) => stopReason === "stop");
    expect(ended.length).toBeGreaterThan(10);
    for (const { tokens } of ended) expect(tokens.indexOf(END)).toBe(tokens.length - 1);
    const byText = await samples(40, { stopStrings: ["e"] });
    const found = byText.filter(({ stopReason }) => stopReason === "stop");
    expect(found.length).toBeGreaterThan(20);
    for (const { tokens } of found) {
      expect(tokenizer.decode(Array.from(tokens))).toContain("e");
      expect(tokenizer.decode(Array.from(tokens.slice(0, -1)))).not.toContain("e");
    }
  });

  it("gives log-probs of a distribution over all ids, the same in sampling, scoring and training", async () => {
    const top = engine.model.vocabSize;
    const [sample] = await samples(1, { maxTokens: 2, topSampleLogprobs: top });
    if (sample === undefined) throw new Error("nothing was sampled");
    for (const [at, row] of (sample.topLogprobs ?? []).entries()) {
      expect(row).toHaveLength(top);
      expect(new Set(row.map(({ id }) => id)).size).toBe(top);
      expect(row.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0)).toBeCloseTo(1, 4);
      const own = row.find(({ id }) => id === sample.tokens[at]);
      expect(own?.logprob).toBeCloseTo(sample.logprobs[at] ?? 0, 5);
    }
    const whole = Int32Array.of(...prompt, ...sample.tokens);
    const targets = Int32Array.from(whole.slice(1));
    const scores = await engine.scorePrompt(null, {
      prompt: whole,
      top: 3,
      targets,
      targetsPerPosition: 1,
    });
    const adapter = engine.createAdapter(OPTIONS);
    const datum = playedDatum(sample, 1);
    const trained = await engine.forwardBackward(adapter, [datum], PPO, true);
    const expected = Array.from(sample.logprobs);
    for (const [at, logprob] of expected.entries()) {
      expect(sampledPart(trained.logprobs[0])[at]).toBeCloseTo(logprob, 4);
      expect(scores.logprobs[prompt.length + at]).toBeCloseTo(logprob, 4);
      expect(scores.targetLogprobs?.[prompt.length - 1 + at]).toBeCloseTo(logprob, 4);
    }
    expect(scores.top?.[prompt.length]).toHaveLength(3);
    // At a ratio of 1 the loss is minus the sum of the advantages.
    expect(trained.metrics["loss:sum"]).toBeCloseTo(-expected.length, 3);
    engine.releaseAdapter(adapter);
  });

  it("learns: rewarded tokens become more likely, and the loss covers all ids", async () => {
    const [good, bad] = await samples(2, { maxTokens: 12 });
    if (good === undefined || bad === undefined) throw new Error("nothing was sampled");
    const adapter = engine.createAdapter(OPTIONS);
    const data = [playedDatum(good, 1), playedDatum(bad, -1)];
    for (let step = 0; step < 5; step += 1) {
      await engine.forwardBackward(adapter, data, PPO, false);
      await engine.optimStep(adapter, ADAM);
    }
    const after = await engine.forwardBackward(
      adapter,
      [playedDatum(good, 1)],
      CROSS_ENTROPY,
      true,
    );
    const sum = (values: Iterable<number>): number => [...values].reduce((a, b) => a + b, 0);
    expect(sum(sampledPart(after.logprobs[0]))).toBeGreaterThan(sum(good.logprobs) + 1);
    expect(after.metrics["loss:sum"]).toBeCloseTo(-sum(sampledPart(after.logprobs[0])), 3);
    engine.releaseAdapter(adapter);
  });

  it("continues after a restart exactly as without one, even with another number of workers", async () => {
    const data = (await samples(6)).map((sample, at) => playedDatum(sample, at % 2 === 0 ? 1 : -1));
    const step = async (
      on: Engine,
      adapter: ReturnType<Engine["createAdapter"]>,
    ): Promise<void> => {
      await on.forwardBackward(adapter, data, PPO, false);
      await on.optimStep(adapter, ADAM);
    };
    const adapter = engine.createAdapter(OPTIONS);
    await step(engine, adapter);
    const saved = await engine.exportAdapter(adapter, true);
    await step(engine, adapter);
    const expected = await engine.exportAdapter(adapter, true);
    const request = sampleRequest({ prompt, maxTokens: 30, seed: 7 });
    const sampled = await engine.sample(await engine.snapshot(adapter), request);

    const restarted = await start(1);
    const loaded = restarted.importAdapter(saved, true);
    await step(restarted, loaded);
    expect(await restarted.exportAdapter(loaded, true)).toEqual(expected);
    const again = await restarted.sample(await restarted.snapshot(loaded), request);
    expect(again.tokens).toEqual(sampled.tokens);
    expect(again.logprobs).toEqual(sampled.logprobs);
    await restarted.close();
  });

  it("accepts prompts that are longer than a micro-batch", async () => {
    const long = Int32Array.from({ length: 3_000 }, (_, at) => (at * 37) % 150_000);
    const sampled = await engine.sample(null, sampleRequest({ prompt: long, maxTokens: 8 }));
    expect(sampled.tokens).toHaveLength(8);
    const adapter = engine.createAdapter(OPTIONS);
    const data = [datumOf(long, 1)];
    const { metrics } = await engine.forwardBackward(adapter, data, CROSS_ENTROPY, false);
    expect(metrics["loss:sum"]).toBeGreaterThan(0);
    engine.releaseAdapter(adapter);
  });
});

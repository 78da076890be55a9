import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type AdapterContents,
  decodeAdapter,
  encodeAdapter,
} from "../../../src/local/engine/adapterFile.ts";
import {
  adapterLayout,
  isAttention,
  PROJECTIONS,
  spanLength,
} from "../../../src/local/engine/architecture.ts";
import { createEngine } from "../../../src/local/engine/embeddedEngine.ts";
import type { Adapter, Engine, EngineDatum } from "../../../src/local/engine/engine.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";
import {
  ADAM,
  CROSS_ENTROPY,
  datumOf,
  MODEL_FOLDER,
  PPO,
  randomData,
  sampleRequest,
  startEngine,
  TINY,
  trainStep,
  WORKER,
  writeTinyModel,
} from "./engineFixture.ts";
import { KERNELS } from "./testModel.ts";

const OPTIONS = { rank: 8, seed: 3, trainAttn: true, trainMlp: true };

const folder = folderOfAllTests();
let engine: Engine;

beforeAll(async () => {
  await writeTinyModel(folder);
  engine = await startEngine(folder, 2);
});
afterAll(() => engine.close());

async function trained(on: Engine, steps: number): Promise<Adapter> {
  const adapter = on.createAdapter(OPTIONS);
  for (let step = 1; step <= steps; step++) await trainStep(on, adapter, step);
  return adapter;
}

async function contentsOf(adapter: Adapter): Promise<AdapterContents> {
  return decodeAdapter(await engine.exportAdapter(adapter, false), engine.model.name, TINY, false);
}

/** The number of parameters with all attention projections, or with every other one. */
function projectionValues(
  { layout, parameters }: AdapterContents,
  attention: boolean,
): readonly Float32Array[] {
  return layout.layers.flatMap((layer) =>
    PROJECTIONS.filter((projection) => isAttention(projection) === attention).map((projection) => {
      const { a, b } = layer[projection];
      return parameters.slice(a.offset, b.offset + spanLength(b));
    }),
  );
}

describe("training", () => {
  it("gives the same adapter and the same samples with 1, 2 and 3 workers", async () => {
    const results = [];
    for (const workers of [1, 2, 3]) {
      const own = await startEngine(folder, workers);
      const adapter = await trained(own, 3);
      const snapshot = await own.snapshot(adapter);
      const samples = await Promise.all(
        Array.from({ length: 12 }, (_, seed) => own.sample(snapshot, sampleRequest({ seed }))),
      );
      const bytes = Buffer.from(await own.exportAdapter(adapter, true)).toString("base64");
      results.push({ bytes, tokens: samples.map((sample) => [sample.tokens, sample.logprobs]) });
      await own.close();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  it("for k steps, an export, an import and k more steps equals 2k steps, bit for bit", async () => {
    const straight = await trained(engine, 4);
    const first = await trained(engine, 2);
    const resumed = engine.importAdapter(await engine.exportAdapter(first, true), true);
    for (const step of [3, 4]) await trainStep(engine, resumed, step);
    const [expected, actual] = await Promise.all(
      [straight, resumed].map((adapter) => engine.exportAdapter(adapter, true)),
    );
    expect(Buffer.from(actual ?? []).equals(expected ?? new Uint8Array())).toBe(true);
  });

  it("sums the gradients of calls between two optimizer steps", async () => {
    const data = randomData(12, 5);
    const whole = engine.createAdapter(OPTIONS);
    const halves = engine.createAdapter(OPTIONS);
    await engine.forwardBackward(whole, data, CROSS_ENTROPY, false);
    await engine.forwardBackward(halves, data.slice(0, 5), CROSS_ENTROPY, false);
    await engine.forwardBackward(halves, data.slice(5), CROSS_ENTROPY, false);
    const norms = await Promise.all([whole, halves].map((each) => engine.optimStep(each, ADAM)));
    const [expected = 0, actual = 0] = norms.map((metrics) => metrics["grad_norm:mean"]);
    expect(expected).toBeGreaterThan(0);
    expect(Math.abs(actual - expected) / expected).toBeLessThan(1e-6);
  });

  it("clears the gradient with every optimizer step, and accumulates none from forward-only calls", async () => {
    const adapter = engine.createAdapter(OPTIONS);
    const data = randomData(3, 6);
    await engine.forwardBackward(adapter, data, PPO, false);
    await engine.optimStep(adapter, ADAM);
    await engine.forwardBackward(adapter, data, PPO, true);
    expect(await engine.optimStep(adapter, ADAM)).toEqual({ "grad_norm:mean": 0 });
  });

  it("returns log-probs of every position and the loss summed over them", async () => {
    const adapter = engine.createAdapter(OPTIONS);
    const data = randomData(40, 7);
    const { logprobs, metrics } = await engine.forwardBackward(adapter, data, CROSS_ENTROPY, true);
    expect(logprobs.map(({ length }) => length)).toEqual(data.map(({ tokens }) => tokens.length));
    const loss = data.reduce(
      (sum, datum, i) => sum + lossOf(datum, logprobs[i] ?? new Float32Array()),
      0,
    );
    expect(metrics["loss:sum"]).toBeCloseTo(loss, 4);
    expect(metrics["num_tokens:sum"]).toBe(
      data.reduce((sum, { tokens }) => sum + tokens.length, 0),
    );
  });

  it.each([
    { trainAttn: true, trainMlp: false },
    { trainAttn: false, trainMlp: true },
  ])("changes only the parts that an adapter trains: $trainAttn, $trainMlp", async (flags) => {
    const adapter = engine.createAdapter({ ...OPTIONS, ...flags });
    const before = await contentsOf(adapter);
    for (const seed of [1, 2]) await trainStep(engine, adapter, seed);
    const after = await contentsOf(adapter);
    for (const attention of [true, false]) {
      const isTrained = attention ? flags.trainAttn : flags.trainMlp;
      const pairs = projectionValues(before, attention).map((values, i) => [
        values,
        projectionValues(after, attention)[i],
      ]);
      for (const [old, now] of pairs) {
        if (isTrained) expect(now).not.toEqual(old);
        else expect(now).toEqual(old);
      }
    }
  });

  it.each([1, 5, 64])("works at rank %i", async (rank) => {
    const adapter = engine.createAdapter({ ...OPTIONS, rank });
    const data = randomData(10, 8);
    const before = await engine.forwardBackward(adapter, data, CROSS_ENTROPY, false);
    await engine.optimStep(adapter, { ...ADAM, learning_rate: 1e-3 });
    const after = await engine.forwardBackward(adapter, data, CROSS_ENTROPY, true);
    expect(after.metrics["loss:sum"]).toBeLessThan(before.metrics["loss:sum"] ?? 0);
    const bytes = await engine.exportAdapter(adapter, true);
    const again = await engine.exportAdapter(engine.importAdapter(bytes, true), true);
    expect(Buffer.from(again).equals(bytes)).toBe(true);
  });

  it("does not start from a checkpoint of a rank beyond the largest", () => {
    const layout = adapterLayout(TINY, 72);
    const parameters = new Float32Array(layout.length);
    const contents = { layout, parameters, optimizer: null, trainAttn: true, trainMlp: true };
    const bytes = encodeAdapter(engine.model.name, contents);
    const invalid = expect.objectContaining({ code: "checkpoint-invalid" });
    expect(() => engine.importAdapter(bytes, false)).toThrow(invalid);
    expect(() => engine.importSnapshot(bytes)).toThrow(invalid);
  });

  it("of several adapters at once keeps them separate", async () => {
    const alone = await engine.exportAdapter(await trained(engine, 2), true);
    const many = await Promise.all([trained(engine, 2), trained(engine, 2), trained(engine, 2)]);
    for (const adapter of many) {
      expect(Buffer.from(await engine.exportAdapter(adapter, true)).equals(alone)).toBe(true);
    }
  });
});

function lossOf(datum: EngineDatum, logprobs: Float32Array): number {
  return -logprobs.reduce((sum, logprob, i) => sum + logprob * (datum.weights[i] ?? 0), 0);
}

describe("handles", () => {
  it("of snapshots do not change while their adapter trains", async () => {
    const adapter = await trained(engine, 1);
    const snapshot = await engine.snapshot(adapter);
    const before = await engine.exportAdapter(snapshot, false);
    await trainStep(engine, adapter, 2);
    expect(Buffer.from(await engine.exportAdapter(snapshot, false)).equals(before)).toBe(true);
    expect(Buffer.from(await engine.exportAdapter(adapter, false)).equals(before)).toBe(false);
  });

  it("are rejected after they were released", async () => {
    const adapter = engine.createAdapter(OPTIONS);
    const snapshot = await engine.snapshot(adapter);
    engine.releaseAdapter(adapter);
    engine.releaseSnapshot(snapshot);
    const released = { code: "engine-released" };
    await expect(engine.optimStep(adapter, ADAM)).rejects.toMatchObject(released);
    await expect(engine.sample(snapshot, sampleRequest())).rejects.toMatchObject(released);
    await expect(engine.exportAdapter(snapshot, false)).rejects.toMatchObject(released);
  });

  it.each([0, -8, 1.5, 65])("of rank %f are rejected", (rank) => {
    expect(() => engine.createAdapter({ ...OPTIONS, rank })).toThrow(
      expect.objectContaining({ code: "engine-rank" }),
    );
  });
});

describe("an engine that cannot start", () => {
  it("names the file that its model lacks", async () => {
    await expect(startEngine(join(folder, "nowhere"), 1)).rejects.toMatchObject({
      code: "engine-model",
      message: expect.stringContaining("config.json"),
    });
  });

  it("reports that and gives up, instead of restarting its threads repeatedly", async () => {
    let started = 0;
    const count = (): number => started++;
    process.on("worker", count);
    const options = {
      modelFolder: folder,
      wasmPath: join(folder, "no.wasm"),
      workerPath: WORKER,
      workers: 1,
    };
    await expect(createEngine(options)).rejects.toMatchObject({
      code: expect.stringMatching(/^engine-(kernels|worker)$/),
    });
    // Starting another engine takes longer than failing does.
    await (await startEngine(folder, 1)).close();
    process.off("worker", count);
    expect(started).toBe(2);
  });
});

describe("the shipped model", () => {
  it("samples with the log-probs that training computes, before and after training", async () => {
    const own = await createEngine({
      modelFolder: MODEL_FOLDER,
      wasmPath: KERNELS,
      workerPath: WORKER,
      workers: 2,
    });
    const adapter = own.createAdapter(OPTIONS);
    expect(await largestGap(own, adapter)).toBeLessThan(1e-4);
    for (let step = 1; step <= 4; step++) {
      await own.forwardBackward(adapter, randomData(16, step), CROSS_ENTROPY, false);
      await own.optimStep(adapter, { ...ADAM, learning_rate: 2e-3 });
    }
    expect(await largestGap(own, adapter)).toBeLessThan(1e-4);
    await own.close();
  });
});

/** Largest difference between a sample's own log-probs and those of a training pass over it. */
async function largestGap(own: Engine, adapter: Adapter): Promise<number> {
  const snapshot = await own.snapshot(adapter);
  const gaps = Array.from({ length: 8 }, async (_, seed) => {
    const request = sampleRequest({ seed, maxTokens: 60 });
    const sampled = await own.sample(snapshot, request);
    const whole = Int32Array.of(...request.prompt, ...sampled.tokens);
    const data = [datumOf(whole)];
    const { logprobs } = await own.forwardBackward(adapter, data, CROSS_ENTROPY, true);
    const learned = logprobs[0]?.subarray(request.prompt.length - 1) ?? [];
    expect(learned.length).toBe(sampled.logprobs.length);
    return Math.max(
      ...sampled.logprobs.map((logprob, i) => Math.abs(logprob - (learned[i] ?? Number.NaN))),
    );
  });
  return Math.max(...(await Promise.all(gaps)));
}

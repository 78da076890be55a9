/**
 * Measures the embedded engine: compute rates on this thread alone, memory, and startup time of a whole engine.
 * Run: `npm run build && npm run bench:engine`. `engine_pytorch.py` prints the same rows for PyTorch.
 */

import { resolve } from "node:path";
import type { AdamParams } from "../src/core/tinker/wire/wire.ts";
import { adamStep, newOptimizerState } from "../src/local/engine/adam.ts";
import { type Architecture, adapterLayout, baseLayout } from "../src/local/engine/architecture.ts";
import { Arena } from "../src/local/engine/arena.ts";
import { Decoder } from "../src/local/engine/decoder.ts";
import { createEngine } from "../src/local/engine/embeddedEngine.ts";
import type { Engine } from "../src/local/engine/engine.ts";
import { LoraWeights } from "../src/local/engine/loraWeights.ts";
import { readArchitecture } from "../src/local/engine/modelFolder.ts";
import { Network, type NetworkSequence } from "../src/local/engine/network.ts";
import { sampleToken } from "../src/local/engine/sampleToken.ts";
import { Weights } from "../src/local/engine/weights.ts";
import { createNormal, integerBetween } from "../src/local/random.ts";
import { createUniform } from "../src/shared/uniform.ts";
import { median, medianSeconds, print, REPEATS, rate, residentMegabytes } from "./measure.ts";

const MODEL_FOLDER = resolve("src/local/engine/model");
const KERNELS = resolve("dist/trainer/kernels.wasm");
const WORKER = resolve("dist/trainer/engineWorker.js");

const SEQUENCES = 16;
const SEQUENCE_TOKENS = 128;
const MICRO_BATCH_ROWS = 1024;
const RANK = 8;
const PROMPT_TOKENS = 48;
const DECODE_STEPS = 80;
const ADAM: AdamParams = {
  learning_rate: 1e-3,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-8,
  weight_decay: 0,
  grad_clip_norm: 1,
};
const PICK = { temperature: 1, topK: -1, topP: 1 };

/** Rates do not depend on the weights as long as they are normal numbers. */
function randomBase(arch: Architecture): Float32Array {
  const normal = createNormal(1);
  const layout = baseLayout(arch);
  const base = new Float32Array(layout.length);
  for (const { offset, rows, columns } of layout.all) {
    const scale = 1 / Math.sqrt(rows);
    for (let i = 0; i < rows * columns; i++) base[offset + i] = rows === 1 ? 1 : normal() * scale;
  }
  return base;
}

/** 16 sequences of 128 tokens as micro-batches. */
function microBatches(arch: Architecture): readonly (readonly NetworkSequence[])[] {
  const uniform = createUniform(2);
  const tokens = (): Int32Array =>
    Int32Array.from({ length: SEQUENCE_TOKENS }, () =>
      integerBetween(uniform, 0, arch.vocabSize - 1),
    );
  const perBatch = MICRO_BATCH_ROWS / SEQUENCE_TOKENS;
  return Array.from({ length: SEQUENCES / perBatch }, () =>
    Array.from({ length: perBatch }, () => ({ tokens: tokens(), targets: tokens() })),
  );
}

async function newWeights(arch: Architecture, base: Float32Array): Promise<Weights> {
  return new Weights(await Arena.load(KERNELS), arch, base, RANK);
}

function trainer(network: Network, arch: Architecture): () => void {
  const batches = microBatches(arch);
  const coefficients = new Float32Array(MICRO_BATCH_ROWS).fill(-1);
  return () => {
    for (const batch of batches) {
      network.forward(batch);
      network.linear.clearGradient();
      network.backward(coefficients);
    }
  };
}

async function benchTraining(arch: Architecture, base: Float32Array): Promise<void> {
  const tokens = SEQUENCES * SEQUENCE_TOKENS;
  const layout = adapterLayout(arch, RANK);
  const normal = createNormal(3);
  const adapter = Float32Array.from({ length: layout.length }, () => 0.1 * normal());
  const network = new Network(
    await newWeights(arch, base),
    { kind: "lora", largest: layout },
    MICRO_BATCH_ROWS,
  );
  network.linear.setAdapter(layout, adapter);
  const batches = microBatches(arch);
  const forward = (): void => {
    for (const batch of batches) network.forward(batch);
  };
  print(rate("forward only, 16 x 128", tokens, forward));
  print(rate("LoRA step, 16 x 128, rank 8", tokens, trainer(network, arch)));
  const full = new Network(await newWeights(arch, base), { kind: "full" }, MICRO_BATCH_ROWS);
  print(rate("full step, 16 x 128", tokens, trainer(full, arch)));
  const merge = medianSeconds(() => network.linear.setAdapter(layout, adapter));
  print({ name: "merging and packing an adapter", value: merge * 1000, unit: "CPU-ms" });
}

function benchAdam(arch: Architecture): void {
  const sizes = { "LoRA, rank 8": adapterLayout(arch, RANK).length, full: baseLayout(arch).length };
  for (const [name, length] of Object.entries(sizes)) {
    const normal = createNormal(4);
    const gradient = Float32Array.from({ length }, normal);
    const parameters = Float32Array.from({ length }, normal);
    const state = newOptimizerState(length);
    const seconds = medianSeconds(() => adamStep(parameters, gradient, state, ADAM));
    print({ name: `Adam step, ${name}`, value: seconds * 1000, unit: "CPU-ms" });
  }
}

/** Fills the first `count` slots with prompts, as many rows at a time as the decoder accepts. */
function prefill(decoder: Decoder, set: LoraWeights, count: number): void {
  const perStep = Math.floor(decoder.maxRows / PROMPT_TOKENS);
  for (let first = 0; first < count; first += perStep) {
    const slots = Array.from({ length: Math.min(perStep, count - first) }, (_, i) => first + i);
    for (const slot of slots) decoder.truncate(slot, 0);
    const inputs = slots.map((slot) => ({
      slot,
      tokens: Int32Array.from({ length: PROMPT_TOKENS }, (_, i) => (i * 31 + slot) % 500),
      wanted: 1,
    }));
    decoder.step(set, inputs);
  }
}

function decode(decoder: Decoder, set: LoraWeights, vocabulary: number, batch: number): void {
  const uniform = createUniform(5);
  let next = new Int32Array(batch);
  for (let step = 0; step < DECODE_STEPS; step++) {
    const inputs = Array.from(next, (id, slot) => ({ slot, tokens: Int32Array.of(id), wanted: 1 }));
    const rows = decoder.step(set, inputs);
    next = next.map((_, i) =>
      sampleToken(rows.subarray(i * vocabulary, (i + 1) * vocabulary), PICK, uniform()),
    );
  }
}

async function benchSampling(arch: Architecture, base: Float32Array): Promise<void> {
  const weights = await newWeights(arch, base);
  const decoder = new Decoder(weights, MICRO_BATCH_ROWS);
  const set = new LoraWeights(weights, false);
  set.merge(null);
  print(rate("prefill, 64 x 48", 64 * PROMPT_TOKENS, () => prefill(decoder, set, 64)));
  for (const batch of [64, 8]) {
    const action = (): void => {
      for (let slot = 0; slot < batch; slot++) decoder.truncate(slot, PROMPT_TOKENS);
      decode(decoder, set, arch.vocabSize, batch);
    };
    print(rate(`decoding, batch ${batch}, 48 + 80 tokens`, batch * DECODE_STEPS, action));
  }
}

/** A training step and 64 samples, like a step of a run, so that memory is in use. */
async function work(engine: Engine, arch: Architecture): Promise<void> {
  const adapter = engine.createAdapter({ rank: RANK, seed: 1, trainAttn: true, trainMlp: true });
  const data = microBatches(arch)
    .flat()
    .map((sequence) => ({
      ...sequence,
      weights: new Float32Array(SEQUENCE_TOKENS).fill(1),
      logprobs: null,
    }));
  const loss = { name: "cross_entropy", clipLow: 0, clipHigh: 0, beta: 0 } as const;
  await engine.forwardBackward(adapter, data, loss, false);
  await engine.optimStep(adapter, ADAM);
  const snapshot = await engine.snapshot(adapter);
  const samples = Array.from({ length: 64 }, (_, seed) => {
    const prompt = Int32Array.from(
      { length: PROMPT_TOKENS },
      (_, i) => (i * 31 + seed) % arch.vocabSize,
    );
    const ends = { maxTokens: DECODE_STEPS, stopIds: [], stopStrings: [] };
    return engine.sample(snapshot, { ...PICK, ...ends, prompt, seed, topSampleLogprobs: 0 });
  });
  await Promise.all(samples);
}

async function benchEngine(arch: Architecture): Promise<void> {
  const options = { modelFolder: MODEL_FOLDER, wasmPath: KERNELS, workerPath: WORKER, workers: 2 };
  const starts: number[] = [];
  let resident = 0;
  for (let i = 0; i < REPEATS; i++) {
    const started = performance.now();
    const engine = await createEngine(options);
    starts.push(performance.now() - started);
    if (i === 0) {
      await work(engine, arch);
      resident = residentMegabytes();
    }
    await engine.close();
  }
  print({
    name: "start of an engine with two workers",
    value: median(starts),
    unit: "ms of wall time",
  });
  print({ name: "process with such an engine at work", value: resident, unit: "MB resident" });
}

async function main(): Promise<void> {
  const arch = await readArchitecture(MODEL_FOLDER);
  const base = randomBase(arch);
  await benchEngine(arch);
  await benchTraining(arch, base);
  await benchSampling(arch, base);
  benchAdam(arch);
}

await main();

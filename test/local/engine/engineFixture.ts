/** A small random model as a folder, engines over it, and training data for them. */

import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AdamParams } from "../../../src/core/tinker/wire/wire.ts";
import type { Architecture } from "../../../src/local/engine/architecture.ts";
import { createEngine } from "../../../src/local/engine/embeddedEngine.ts";
import type {
  Adapter,
  Engine,
  EngineDatum,
  EngineSampleRequest,
  LossSpec,
} from "../../../src/local/engine/engine.ts";
import { encodeBase } from "../../../src/local/engine/modelFolder.ts";
import { integerBetween } from "../../../src/local/random.ts";
import { createUniform } from "../../../src/shared/uniform.ts";
import { KERNELS, randomBase, SMALL } from "./testModel.ts";

export const WORKER = fileURLToPath(
  new URL("../../../dist/trainer/engineWorker.js", import.meta.url),
);
/** The shipped model. */
export const MODEL_FOLDER = fileURLToPath(
  new URL("../../../src/local/engine/model", import.meta.url),
);

/** The small model with the vocabulary of the shipped tokenizer. */
export const TINY: Architecture = { ...SMALL, vocabSize: 512 };

/** Writes the small model into the folder. */
export async function writeTinyModel(folder: string): Promise<void> {
  const config = {
    name: "local/tiny-test",
    vocab_size: TINY.vocabSize,
    hidden_size: TINY.hiddenSize,
    num_hidden_layers: TINY.layers,
    num_attention_heads: TINY.heads,
    intermediate_size: TINY.feedForwardSize,
    max_position_embeddings: TINY.maxContext,
    rope_theta: TINY.ropeTheta,
    rms_norm_eps: TINY.normEps,
    eos_token_id: 2,
  };
  await writeFile(join(folder, "config.json"), JSON.stringify(config));
  await writeFile(join(folder, "model.safetensors"), encodeBase(TINY, randomBase(TINY, 1)));
  for (const name of ["tokenizer.json", "tokenizer_config.json"]) {
    await copyFile(join(MODEL_FOLDER, name), join(folder, name));
  }
}

export function startEngine(
  modelFolder: string,
  workers: number,
  workerPath = WORKER,
): Promise<Engine> {
  return createEngine({ modelFolder, wasmPath: KERNELS, workerPath, workers });
}

export const ADAM: AdamParams = {
  learning_rate: 1e-2,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-8,
  weight_decay: 0,
  grad_clip_norm: 0,
};

export const PPO: LossSpec = { name: "ppo", clipLow: 0.8, clipHigh: 1.2, beta: 0 };
export const CROSS_ENTROPY: LossSpec = { name: "cross_entropy", clipLow: 0, clipHigh: 0, beta: 0 };

/** Sequences of random tokens with random advantages, and sampler log-probs as low as the model's. */
export function randomData(count: number, seed: number): readonly EngineDatum[] {
  const uniform = createUniform(seed);
  const token = (): number => integerBetween(uniform, 0, TINY.vocabSize - 1);
  return Array.from({ length: count }, () => {
    const length = integerBetween(uniform, 1, TINY.maxContext);
    return {
      tokens: Int32Array.from({ length }, token),
      targets: Int32Array.from({ length }, token),
      weights: Float32Array.from({ length }, () => uniform() - 0.5),
      logprobs: Float32Array.from({ length }, () => -6 - uniform()),
    };
  });
}

/** A text to learn: position i predicts token i + 1; every token has the weight. */
export function datumOf(text: Int32Array, weight = 0): EngineDatum {
  return {
    tokens: text.slice(0, -1),
    targets: text.slice(1),
    weights: new Float32Array(text.length - 1).fill(weight),
    logprobs: null,
  };
}

/** One training step; seeds differ between steps. Enough data for several micro-batches. */
export async function trainStep(engine: Engine, adapter: Adapter, seed: number): Promise<void> {
  const forward = engine.forwardBackward(adapter, randomData(90, seed), PPO, false);
  const step = engine.optimStep(adapter, ADAM);
  await Promise.all([forward, step]);
}

export function sampleRequest(changes: Partial<EngineSampleRequest> = {}): EngineSampleRequest {
  return {
    prompt: Int32Array.of(10, 20, 30, 40, 50),
    maxTokens: 12,
    temperature: 1,
    topK: -1,
    topP: 1,
    seed: 1,
    stopIds: [],
    stopStrings: [],
    topSampleLogprobs: 0,
    ...changes,
  };
}

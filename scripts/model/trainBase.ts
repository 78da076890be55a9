/**
 * Trains the embedded base model from scratch on scripted games and writes model.safetensors.
 * Run: `npm run model:train` (seed 1, 2,000 steps, two workers: 1,471 s on two cores with other load; produces the same file for any
 * number of workers), then `npm run model:check`. Use `-- --steps N` for a shorter trial and `--out FILE` to write elsewhere.
 */

import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { adamStep, newOptimizerState } from "../../src/local/engine/adam.ts";
import { type Architecture, baseLayout } from "../../src/local/engine/architecture.ts";
import type { EngineDatum, LossSpec } from "../../src/local/engine/engine.ts";
import { encodeBase, readArchitecture } from "../../src/local/engine/modelFolder.ts";
import { MICRO_BATCH_TOKENS, runBatch } from "../../src/local/engine/trainingPool.ts";
import { WorkerThread } from "../../src/local/engine/workerThread.ts";
import { createNormal } from "../../src/local/random.ts";
import { PLAYERS } from "./players.ts";
import { openVoice, playTranscript, type Transcript, type Voice } from "./transcript.ts";

const FOLDER = "src/local/engine/model";
const SEED = 1;
const GAMES_PER_STEP = 48;
const PEAK_LEARNING_RATE = 2e-3;
const WARMUP_STEPS = 30;
/** The model should mostly learn its own turns, and to a small extent to predict the environment's. */
const SPOKEN_WEIGHT = 1;
const HEARD_WEIGHT = 0.1;
const CROSS_ENTROPY: LossSpec = { name: "cross_entropy", clipLow: 0, clipHigh: 0, beta: 0 };

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "2000" },
    workers: { type: "string", default: "2" },
    out: { type: "string", default: join(FOLDER, "model.safetensors") },
  },
});

/** Normal weights scaled by input size; projections into the residual stream are also scaled down by depth. */
function initialWeights(arch: Architecture): Float32Array {
  const layout = baseLayout(arch);
  const normal = createNormal(SEED);
  const weights = new Float32Array(layout.length);
  for (const span of layout.all) {
    const isNorm = span.rows === 1;
    const isEmbedding = span === layout.embedding;
    const writesBack = span.name.includes("o_proj") || span.name.includes("down_proj");
    const scale = isEmbedding
      ? 0.05
      : (writesBack ? 1 / Math.sqrt(2 * arch.layers) : 1) / Math.sqrt(span.rows);
    for (let i = 0; i < span.rows * span.columns; i++) {
      weights[span.offset + i] = isNorm ? 1 : normal() * scale;
    }
  }
  return weights;
}

function toDatum(game: Transcript): EngineDatum {
  const n = game.ids.length - 1;
  return {
    tokens: Int32Array.from(game.ids.slice(0, n)),
    targets: Int32Array.from(game.ids.slice(1)),
    weights: Float32Array.from(game.spoken.slice(1), (own) => (own ? SPOKEN_WEIGHT : HEARD_WEIGHT)),
    logprobs: null,
  };
}

async function playBatch(voice: Voice, step: number, maxContext: number): Promise<EngineDatum[]> {
  const games: Transcript[] = [];
  for (let i = 0; games.length < GAMES_PER_STEP; i++) {
    const player = PLAYERS[i % PLAYERS.length];
    if (player === undefined) break;
    const game = await playTranscript(voice, player, SEED + step * 1_009 + i * 7_919_117);
    if (game.ids.length <= maxContext) games.push(game);
  }
  return games.map(toDatum);
}

function learningRate(step: number, steps: number): number {
  const cosine = 0.5 * (1 + Math.cos((Math.PI * step) / steps));
  return PEAK_LEARNING_RATE * Math.min(1, step / WARMUP_STEPS) * (0.05 + 0.95 * cosine);
}

async function main(): Promise<void> {
  const steps = Number(values.steps);
  const arch = await readArchitecture(FOLDER);
  const voice = await openVoice(FOLDER);
  const parameters = initialWeights(arch);
  const setup = {
    wasmPath: resolve("dist/trainer/kernels.wasm"),
    arch,
    base: parameters,
    tokens: { bytes: new Uint8Array(), starts: new Uint32Array(1) },
    maxRank: 8,
    maxRows: MICRO_BATCH_TOKENS,
    sets: 1,
    full: true,
  };
  const threads = Array.from(
    { length: Number(values.workers) },
    () => new WorkerThread(resolve("dist/trainer/engineWorker.js"), setup, () => process.exit(1)),
  );
  await Promise.all(threads.map((thread) => thread.ready()));
  const optimizer = newOptimizerState(parameters.length);
  const started = performance.now();
  let tokens = 0;
  for (let step = 1; step <= steps; step++) {
    const data = await playBatch(voice, step, arch.maxContext);
    const weight = data.reduce((sum, datum) => sum + datum.weights.reduce((a, b) => a + b, 0), 0);
    const { loss, gradient } = await runBatch(
      threads,
      { version: step, rank: 8, parameters },
      data,
      CROSS_ENTROPY,
      false,
    );
    if (gradient === null) throw new Error("no gradient");
    const mean = gradient.map((value) => value / weight);
    adamStep(parameters, mean, optimizer, {
      learning_rate: learningRate(step, steps),
      beta1: 0.9,
      beta2: 0.95,
      eps: 1e-8,
      weight_decay: 0,
      grad_clip_norm: 1,
    });
    tokens += data.reduce((sum, datum) => sum + datum.tokens.length, 0);
    if (step % 50 === 0 || step === 1) {
      const seconds = (performance.now() - started) / 1000;
      console.log(
        `step ${step}  loss ${(loss / weight).toFixed(4)}  ${Math.round(tokens / seconds)} tokens/s  ${seconds.toFixed(0)} s`,
      );
    }
  }
  await writeFile(values.out, encodeBase(arch, parameters));
  await Promise.all(threads.map((thread) => thread.close()));
}

await main();

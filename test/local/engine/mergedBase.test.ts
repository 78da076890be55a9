/** A trained adapter merged into the bundled base model: the engine computes the same log-probs with the merge as with both. */

import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBaseFolder } from "../../../src/core/weights/forms/baseFolder.ts";
import { readLoraAdapter } from "../../../src/core/weights/forms/loraAdapter.ts";
import { writeMergedWeights } from "../../../src/core/weights/forms/mergedWeights.ts";
import { planMerge } from "../../../src/core/weights/forms/mergePlan.ts";
import type { Engine, Snapshot } from "../../../src/local/engine/engine.ts";
import { peftFiles } from "../../../src/local/engine/peftFolder.ts";
import { decodeSafetensors, encodeSafetensors } from "../../../src/local/engine/safetensors.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";
import { MODEL_FOLDER, randomData, startEngine, trainStep } from "./engineFixture.ts";

const RANK = 4;
const WEIGHTS = "model.safetensors";
/** The minimum change by training: otherwise an empty merge would pass. */
const LEAST_CHANGE = 0.05;

const folder = folderOfAllTests();
let engine: Engine;
let trained: Snapshot;
const files = filesOnDisk();
const prompts = randomData(6, 3).map(({ tokens }) => tokens);

beforeAll(async () => {
  engine = await startEngine(MODEL_FOLDER, 1);
  const adapter = engine.createAdapter({ rank: RANK, seed: 1, trainAttn: true, trainMlp: true });
  for (const seed of [1, 2]) await trainStep(engine, adapter, seed);
  trained = await engine.snapshot(adapter);
  const bytes = await engine.exportAdapter(adapter, false);
  await mkdir(join(folder, "adapter"));
  for (const [name, content] of peftFiles({ baseModel: "local/tiny-tool", rank: RANK, bytes })) {
    await writeFile(join(folder, "adapter", name), content);
  }
});
afterAll(async () => {
  await engine?.close();
});

async function scores(of: Engine, weights: Snapshot | null): Promise<readonly number[]> {
  const request = { top: 0, targets: null, targetsPerPosition: 0 };
  const all = prompts.map((prompt) => of.scorePrompt(weights, { prompt, ...request }));
  return (await Promise.all(all)).flatMap(({ logprobs }) => [...logprobs.subarray(1)]);
}

function largestDifference(one: readonly number[], other: readonly number[]): number {
  expect(one.length).toBe(other.length);
  return Math.max(...one.map((value, i) => Math.abs(value - (other[i] ?? Number.NaN))));
}

/** Merges into `base`, and computes with the result alone. */
async function mergedScores(base: string, name: string): Promise<readonly number[]> {
  const output = join(folder, name);
  await mkdir(output);
  const adapter = await readLoraAdapter(files, join(folder, "adapter"));
  const read = await readBaseFolder(files, base);
  await writeMergedWeights(output, { files, adapter, base: read, plan: planMerge(adapter, read) });
  const merged = await startEngine(output, 1);
  try {
    return await scores(merged, null);
  } finally {
    await merged.close();
  }
}

describe("an adapter merged into the bundled base model", () => {
  it("gives the log-probs of base and adapter, if the base model has 32-bit floats", async () => {
    const wide = join(folder, "wide");
    await cp(MODEL_FOLDER, wide, { recursive: true });
    const contents = decodeSafetensors(await readFile(join(wide, WEIGHTS)));
    await writeFile(join(wide, WEIGHTS), encodeSafetensors(contents, "F32"));
    const own = await scores(engine, trained);
    expect(largestDifference(await scores(engine, null), own)).toBeGreaterThan(LEAST_CHANGE);
    expect(largestDifference(await mergedScores(wide, "inWide"), own)).toBeLessThan(1e-5);
  });

  it("differs by the rounding of its 16-bit floats for the shipped model", async () => {
    const own = await scores(engine, trained);
    const difference = largestDifference(await mergedScores(MODEL_FOLDER, "inHalf"), own);
    console.info(`16-bit floats change a log-prob by at most ${difference.toExponential(1)}`);
    expect(difference).toBeLessThan(0.02);
  });
});

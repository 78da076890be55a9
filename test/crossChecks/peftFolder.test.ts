/** Downloaded weights of a local run, read by Python: with the base model they give the log-probs of the engine that trained them. */

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  decodeTokenRecord,
  tokenRecordLength,
} from "../../src/core/runFolder/rollouts/tokenRecord.ts";
import { parseTinkerPath } from "../../src/core/tinker/paths.ts";
import type { Engine, Snapshot } from "../../src/local/engine/engine.ts";
import { openCheckpointStore } from "../../src/local/engine/service/checkpoints/checkpointStore.ts";
import { checkpointKey } from "../../src/local/engine/service/checkpoints/tinkerPath.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { downloadCheckpoint } from "../../src/trainer/checkpoints/downloadCheckpoint.ts";
import { startTraining } from "../../src/trainer/trainer.ts";
import { preparePython } from "../conformance/python.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { runFolderWith } from "../integration/localRun.ts";
import { PROGRAM_FOLDER } from "../integration/trainProgram.ts";
import { MODEL_FOLDER, startEngine } from "../local/engine/engineFixture.ts";

const READER = fileURLToPath(new URL("peftFolder.py", import.meta.url));
const LOGPROB_LIMIT = 1e-5;
/** The minimum change by training: otherwise a wrong scale would not show. */
const LEAST_CHANGE = 0.01;
/** The rank is less than eight; its padding must not be in the files. */
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0 }
batch_size: 4
max_steps: 3
learning_rate: 1e-2
lora_rank: 4
`;
const requirements = new URL("requirements.txt", import.meta.url);
const python = await preparePython({ name: "crossChecks", requirements, versions: "3.10 to 3.13" });

describe.skipIf(python === null)("a PEFT folder of a local checkpoint", () => {
  const files = createFileSystem();
  let project: string;
  let folder: string;
  let engine: Engine;
  let trained: Snapshot;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "peft-"));
    project = await runFolderWith(CONFIG);
    const configPath = join(project, "config.yaml");
    const run = { owner: "terminal", programFolder: PROGRAM_FOLDER, configPath } as const;
    const { outcome } = await startTraining({ ...run, watch: () => undefined }).ended;
    expect(outcome).toBe("done");
    const { path } = await downloadCheckpoint(files, {
      source: join(project, ".tinker-rl", "runs", "run"),
      programFolder: PROGRAM_FOLDER,
      name: null,
      folder: project,
      output: join(folder, "adapter"),
      isLocalOnly: true,
      allowedOrigins: [],
    });
    engine = await startEngine(MODEL_FOLDER, 1);
    trained = engine.importSnapshot(await storedBytes(path));
  });
  afterAll(async () => {
    await engine?.close();
    await files.close();
    await Promise.all([folder, project].map((path) => rm(path, { recursive: true })));
  });

  /** Saved by training, unchanged by the download. */
  async function storedBytes(path: string): Promise<Uint8Array> {
    const store = await openCheckpointStore({
      root: join(project, "checkpoints", "runs"),
      files,
      clock: systemClock,
      log: silentLog,
      pid: process.pid,
      uuid: () => "0a",
      isProcessAlive: () => false,
    });
    const { run, kind, name } = parseTinkerPath(path);
    return (await store.read(checkpointKey(run, kind, name))).bytes;
  }

  /** The tokens of the rollouts of the first step, which the weights were trained on. */
  async function rollouts(): Promise<readonly Int32Array[]> {
    const folderOfRollouts = join(project, ".tinker-rl", "runs", "run", "rollouts");
    let bytes: Uint8Array = await readFile(join(folderOfRollouts, "step-000000.tokens.bin"));
    const all: Int32Array[] = [];
    for (;;) {
      const record = decodeTokenRecord(bytes);
      if (record === null) return all;
      all.push(Int32Array.from(record.ids));
      bytes = bytes.subarray(tokenRecordLength(record.ids.length));
    }
  }

  async function scores(
    weights: Snapshot | null,
    prompts: readonly Int32Array[],
  ): Promise<readonly number[]> {
    const request = { top: 0, targets: null, targetsPerPosition: 0 };
    const all = prompts.map((prompt) => engine.scorePrompt(weights, { prompt, ...request }));
    return (await Promise.all(all)).flatMap(({ logprobs }) => [...logprobs.subarray(1)]);
  }

  it("gives the engine's log-probs on the base model", async () => {
    const request = join(folder, "request.json");
    const played = await rollouts();
    const prompts = played.map((tokens) => [...tokens]);
    const adapter = join(folder, "adapter");
    await writeFile(request, JSON.stringify({ model: MODEL_FOLDER, adapter, prompts }));
    const { stdout } = await promisify(execFile)(python ?? "", [READER, request]);
    const read = z.array(z.array(z.number())).parse(JSON.parse(stdout)).flat();
    const own = await scores(trained, played);
    expect(largestDifference(await scores(null, played), own)).toBeGreaterThan(LEAST_CHANGE);
    const difference = largestDifference(read, own);
    console.info(`largest difference of ${own.length} log-probs: ${difference.toExponential(1)}`);
    expect(difference).toBeLessThan(LOGPROB_LIMIT);
  });
});

function largestDifference(one: readonly number[], other: readonly number[]): number {
  expect(one.length).toBe(other.length);
  return Math.max(...one.map((value, i) => Math.abs(value - (other[i] ?? Number.NaN))));
}

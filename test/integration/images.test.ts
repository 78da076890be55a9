/**
 * A whole run in an environment with images: the trainer as a separate process, on an engine with random weights in place of
 * Qwen3.5. Random weights call no tool, so the first turn of each rollout is a fixed call, with the log-probabilities that the
 * weights assign to it.
 */

import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { imageRuns, isImageId } from "../../src/core/images/imageIds.ts";
import { createRunReader, type RolloutSummary } from "../../src/core/runFolder/reader.ts";
import { readImageAddress } from "../../src/core/runFolder/rollouts/imageFiles.ts";
import type { RolloutRecord } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../../src/core/runFolder/rollouts/tokenRecord.ts";
import type { Engine } from "../../src/local/engine/engine.ts";
import { createRandomEngine } from "../../src/local/engine/random/randomEngine.ts";
import { createTinkerService } from "../../src/local/engine/service/service.ts";
import { createEnvironmentServer } from "../../src/local/environment/server/server.ts";
import { listen } from "../../src/local/http/listen.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { sha256 } from "../../src/node/hash.ts";
import { systemRandom } from "../../src/node/random.ts";
import { filesOnDisk, folderOfAllTests } from "../fakes/onDisk.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { WORKER } from "../local/engine/engineFixture.ts";
import { KERNELS } from "../local/engine/testModel.ts";
import { QWEN3_FOLDER, qwen3Model } from "../node/tokenizer/qwen3Model.ts";
import { agentCommand } from "./agentRun.ts";
import { isInSecondStep, killedWhen, trained } from "./comparedRuns.ts";
import { pictures, promptPicture, RESULT_PICTURE } from "./pictures.ts";
import { runProgram, type Variables } from "./trainProgram.ts";

const MODEL = "Qwen/Qwen3.5-9B";
const KEY = "tml-images";
const STEPS = 2;
/** 64 x 48 pixels become 10 x 7 patches, and 300 x 40 become 22 x 3, as in `smart_resize` of transformers. */
const PROMPT_TOKENS = 70;
const RESULT_TOKENS = 66;

const { tokenizer } = qwen3Model;
function control(text: string): number {
  const token = tokenizer.addedTokens.find((added) => added.text === text);
  if (token === undefined) throw new Error(`the tokenizer has no ${text}`);
  return token.id;
}
const CALL = [
  control("<tool_call>"),
  ...tokenizer.encodeText("\n<function=look>\n</function>\n"),
  control("</tool_call>"),
  control("<|im_end|>"),
];

/** Answers prompts that have an image but no tool result with a call. */
function withCalls(engine: Engine): Engine {
  const [image, result] = [control("<|vision_start|>"), control("<tool_response>")];
  return {
    ...engine,
    sample: async (weights, request, signal) => {
      const { prompt } = request;
      if (!prompt.includes(image) || prompt.includes(result)) {
        return engine.sample(weights, request, signal);
      }
      const scored = { prompt: Int32Array.of(...prompt, ...CALL), top: 0, targetsPerPosition: 0 };
      const { logprobs } = await engine.scorePrompt(weights, { ...scored, targets: null });
      return {
        tokens: Int32Array.from(CALL),
        logprobs: logprobs.slice(prompt.length),
        stopReason: "stop",
        cachedPromptTokens: 0,
      };
    },
  };
}

const fileSystem = filesOnDisk();
const root = folderOfAllTests();
let variables: Variables = {};
let config = "";
const closing: (() => Promise<void>)[] = [];
/** Keeps the run folders for manual inspection. */
const kept = process.env["TINKER_RL_KEPT_RUNS"] ?? "";

async function startEngine(): Promise<string> {
  const program = { wasmPath: KERNELS, workerPath: WORKER, workers: 2 };
  const engine = await createRandomEngine({ name: MODEL, tokenizerFolder: QWEN3_FOLDER }, program);
  const service = await createTinkerService({
    engine: withCalls(engine),
    storeFolder: join(root, "store"),
    key: KEY,
    clock: systemClock,
    random: systemRandom,
    files: createFileSystem(),
    log: silentLog,
  });
  closing.push(async () => {
    await service.close();
    await engine.close();
  });
  return listen(service.server, { kind: "port", port: 0 });
}

async function startEnvironments(): Promise<string> {
  const { server, close } = createEnvironmentServer({ environments: [pictures], apiKey: null });
  closing.push(close);
  return listen(server, { kind: "port", port: 0 });
}

beforeAll(async () => {
  variables = { TINKER_BASE_URL: await startEngine(), TINKER_API_KEY: KEY };
  config = `
model_name: ${MODEL}
tokenizer_name: ${QWEN3_FOLDER}
thinking: false
run_name: run
lora_rank: 4
learning_rate: 1e-3
environments:
  pictures: { splits: { train: {} }, num_rollouts: 3, max_turns: 3, nonterminal_reward: 1 }
advantage_calculation: direct
batch_size: 2
max_steps: ${STEPS}
max_response_tokens: 24
max_total_tokens: 1500
save_every: 1
evaluation: { splits: { pictures: [test] }, num_samples: 2, every: 1, temperatures: [1] }
openreward_base_url: ${await startEnvironments()}
`;
});
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  if (kept !== "") await cp(root, kept, { recursive: true });
});

/** A folder with the configuration, and the run started from it. */
async function newProject(name: string) {
  const project = join(root, name);
  await mkdir(project);
  const path = join(project, "tinker-config.yaml");
  await writeFile(path, config);
  return { path, run: join(project, ".tinker-rl", "runs", "run") };
}

const updated = z.object({ optim: z.object({ grad_norm: z.number().positive() }) });

function checkTokens({
  mask,
  samplerLogprobs,
  trainerLogprobs,
  advantages,
  ...record
}: TokenRecord) {
  const ids = Array.from(record.ids);
  const images = imageRuns(ids).filter(({ image }) => image !== null);
  expect(images.map(({ start, end, image }) => [image, end - start])).toEqual([
    [0, PROMPT_TOKENS],
    [1, RESULT_TOKENS],
  ]);
  const ofImages = ids.flatMap((id, at) => (isImageId(id) ? [mask[at], advantages[at]] : []));
  expect(new Set(ofImages)).toEqual(new Set([0]));
  expect(ids.some((id, at) => isImageId(id) && !Number.isNaN(trainerLogprobs[at]))).toBe(false);
  const sampled = ids.flatMap((_, at) => (mask[at] === 1 ? [at] : []));
  expect(sampled.map((at) => ids[at]).slice(0, CALL.length)).toEqual(CALL);
  // Tokens after the second image are trained too.
  expect(sampled.at(-1)).toBeGreaterThan(images[1]?.end ?? ids.length);
  for (const at of sampled) {
    expect(trainerLogprobs[at]).toBeCloseTo(samplerLogprobs[at] ?? Number.NaN, 3);
  }
}

/** What training reads of each rollout, with the images it refers to. */
async function trainedOn(run: string) {
  const reader = createRunReader(fileSystem.within(run), run);
  const read = [];
  for (const summary of await reader.rollouts(0)) {
    const [entry] = summary.tokenData;
    const tokens = entry === undefined ? null : await reader.tokens(summary, entry);
    const { images = [], turns = [] } = (await reader.body(summary)) ?? {};
    const errors = turns.flatMap((turn) => turn.errors);
    read.push({ tokens, images, results: turns.map(({ results }) => results), errors });
  }
  return read;
}

describe("a run in an environment with images", () => {
  let whole = "";
  const rollouts: { readonly summary: RolloutSummary; readonly record: RolloutRecord }[] = [];
  const reader = () => createRunReader(fileSystem.within(whole), whole);

  beforeAll(async () => {
    const { path, run } = await newProject("whole");
    const train = await runProgram(["train", path], variables);
    expect(train.code, train.stdout + train.stderr).toBe(0);
    whole = run;
    for (const step of await reader().steps()) {
      for (const summary of await reader().rollouts(step)) {
        const record = await reader().body(summary);
        if (record === null) throw new Error("a rollout is not wholly on disk");
        rollouts.push({ summary, record });
      }
    }
    expect(rollouts).toHaveLength(STEPS * 2 * 3);
  });

  it("changes the weights, and resumes exactly after a kill", async () => {
    const expected = await trained(whole);
    expect(expected.rows).toHaveLength(STEPS);
    for (const row of expected.rows) expect(updated.safeParse(row).success).toBe(true);

    const { path, run } = await newProject("killed");
    await killedWhen(["train", path], variables, () => isInSecondStep(run));
    const resume = await runProgram(["resume", run], variables);
    expect(resume.code, resume.stdout + resume.stderr).toBe(0);
    expect(await trained(run)).toEqual(expected);
    // A write that the kill cut off leaves its temporary file, which was not renamed yet.
    const images = async (folder: string) =>
      (await readdir(join(folder, "images"))).filter((name) => !name.endsWith(".tmp")).sort();
    expect(await images(run)).toEqual(await images(whole));
  });

  it("stores each image of prompts and results once for replay", async () => {
    const stored = new Map<string, Buffer>();
    for (const { record } of rollouts) {
      const { images, promptText, turns, index } = record;
      expect(promptText).toBe("What is in [image 1]?");
      expect(turns[0]?.results[0]?.text).toBe("Seen: [image 2]");
      expect(images.map(({ tokens }) => tokens)).toEqual([PROMPT_TOKENS, RESULT_TOKENS]);
      const [shown, seen] = images.map(({ file }) => file);
      stored.set(shown ?? "", promptPicture(index ?? -1));
      stored.set(seen ?? "", RESULT_PICTURE);
    }
    // One per training and evaluation task, and the one shared by all rollouts.
    expect(await readdir(join(whole, "images"))).toHaveLength(STEPS * 2 + 2 + 1);
    const folder = { fileSystem: fileSystem.within(whole), folder: whole, sha256 };
    for (const [file, bytes] of stored) {
      expect(await readFile(join(whole, "images", file))).toEqual(bytes);
      expect(await readImageAddress(file, folder)).toBe(
        `data:image/png;base64,${bytes.toString("base64")}`,
      );
    }
  });

  it("trains on the tokens after the images, with the log-probabilities they were sampled with", async () => {
    for (const { summary } of rollouts) {
      const [entry] = summary.tokenData;
      const tokens = entry === undefined ? null : await reader().tokens(summary, entry);
      if (tokens === null) throw new Error("a rollout has no tokens");
      checkTokens(tokens);
    }
  });

  it("trains the same when an agent sends the images to the model", async () => {
    const { path, run } = await newProject("agent");
    const agent = JSON.stringify({ command: agentCommand("openai"), protocol: "openai" });
    const own = config
      .replace("num_rollouts: 3,", `num_rollouts: 3, agent: ${agent},`)
      .replace(/^max_steps: .*$/m, "max_steps: 1")
      .replace(/^evaluation: .*$/m, "");
    await writeFile(path, own);
    const train = await runProgram(["train", path], variables);
    expect(train.code, train.stdout + train.stderr).toBe(0);
    const played = await trainedOn(run);
    const native = await trainedOn(whole);
    // The built-in loop adds an error message for a malformed call of the random model.
    const isReadable = (_: unknown, i: number): boolean => native[i]?.errors.length === 0;
    expect(native.filter(isReadable).length).toBeGreaterThan(3);
    expect(played.filter(isReadable)).toEqual(native.filter(isReadable));
    expect(played.map(({ images }) => images)).toEqual(native.map(({ images }) => images));
  });
});

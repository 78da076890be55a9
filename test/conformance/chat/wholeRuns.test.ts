/** Whole runs in every chat format: random weights under the model's name, with the model's own tokenizer. */

import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineEnvironment } from "../../../src/local/environment/environment.ts";
import { createEnvironmentServer } from "../../../src/local/environment/server/server.ts";
import { serve } from "../../../src/trainer/serve.ts";
import { listenAnywhere } from "../../fakes/serveHere.ts";
import { isInSecondStep, killedWhen, trained } from "../../integration/comparedRuns.ts";
import { runIn } from "../../integration/controlledRun.ts";
import { PROGRAM_FOLDER, runProgram } from "../../integration/trainProgram.ts";
import { hasKitTokenizers, unpackKitTokenizer } from "./kitTokenizers.ts";

/** A model of each format, and its tokenizer in the kit. */
const MODELS: readonly (readonly [model: string, tokenizer: string])[] = [
  ["Qwen/Qwen3.5-9B", "qwen3.5"],
  ["Qwen/Qwen3.6-27B", "qwen3.5"],
  ["Qwen/Qwen3.8-27B", "qwen3.5"],
  ["nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", "nemotron3"],
  ["openai/gpt-oss-20b", "gpt-oss"],
  ["deepseek-ai/DeepSeek-V3.1", "deepseek-v3.1"],
  ["deepseek-ai/DeepSeek-V4.1-Flash", "deepseek-v4.1"],
  ["moonshotai/Kimi-K2.6", "kimi-k2.6"],
  ["thinkingmachines/Inkling-Small", "tml-v0"],
  ["zai-org/GLM-5.3", "glm-5"],
  ["meta-llama/Llama-3.1-8B-Instruct", "llama3.1"],
];
/** It calls no tools: an environment that accepts plain text grades its answers. */
const BASE_MODEL = "Qwen/Qwen3.5-9B-Base";
/** Formats in which the model always reasons. */
const ALWAYS_REASONS = /gpt-oss|GLM-5\.3/;
/** A resume reads tokens, not text, so it hardly depends on the format: one with reasoning, one always with, one without. */
const RESUMED = /Qwen3\.5-9B|gpt-oss|Kimi/;
const STEPS = 2;

function configOf(model: string, tokenizer: string, environment = "local/calculator"): string {
  return `
model_name: ${model}
tokenizer_name: ${tokenizer}
thinking: ${ALWAYS_REASONS.test(model)}
run_name: run
lora_rank: 4
learning_rate: 1e-3
environments:
  ${environment}: { splits: { train: {} }, num_rollouts: 3, nonterminal_reward: 1 }
advantage_calculation: direct
batch_size: 2
max_steps: ${STEPS}
max_response_tokens: 32
max_total_tokens: 2500
save_every: 1
evaluation: { splits: { ${environment}: [test] }, num_samples: 2, every: 1, temperatures: [1] }
`;
}

const updated = z.object({ optim: z.object({ grad_norm: z.number().positive() }) });

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "chat-runs-"));
});
/** Keeps the run folders for manual inspection. */
const kept = process.env["TINKER_RL_KEPT_RUNS"] ?? "";
afterAll(async () => {
  if (kept !== "") await cp(root, kept, { recursive: true });
  await rm(root, { recursive: true, force: true });
});

/** Accepts any text as an answer. */
const spoken = defineEnvironment<{ readonly text: string }, null>({
  name: "spoken",
  description: "Say a word.",
  splits: { train: 100, test: 10 },
  task: (split, index) => ({ text: `${split} ${index}` }),
  start: () => null,
  prompt: ({ text }) => `Say something about ${text}.`,
  tools: {
    answer: {
      description: "Takes the answer.",
      input: z.object({ text: z.string() }),
      run: (_state, { text }) => ({ text: "", reward: String(text).length % 2, finished: true }),
    },
  },
  terminalTool: { name: "answer", arg: "text" },
});

describe.runIf(hasKitTokenizers)("a whole run of", () => {
  it.each(MODELS)("%s is trained", async (model, name) => {
    await play(model, name, "local/calculator", "");
  });

  it(`${BASE_MODEL}, whose answers are plain text, is trained`, async () => {
    const { server, close } = createEnvironmentServer({ environments: [spoken], apiKey: null });
    try {
      const line = `openreward_base_url: ${await listenAnywhere(server)}`;
      await play(BASE_MODEL, "qwen3.5", "spoken", line);
    } finally {
      await close();
    }
  });
});

/** Trains; some models train once more, killed on the way and resumed to the same tokens. */
async function play(model: string, name: string, environment: string, more: string) {
  const folder = join(root, model.replace("/", "--"));
  const [tokenizer, whole, killed] = ["tokenizer", "whole", "killed"].map((part) =>
    join(folder, part),
  ) as [string, string, string];
  for (const part of [tokenizer, whole, killed]) await mkdir(part, { recursive: true });
  await unpackKitTokenizer(name, tokenizer);
  const config = configOf(model, tokenizer, environment) + more;
  for (const project of [whole, killed]) {
    await writeFile(join(project, "tinker-config.yaml"), config);
  }
  const served = await serve({
    tinkerPort: 0,
    environmentsPort: 0,
    maxSessions: null,
    store: join(folder, "store"),
    random: { model, tokenizer },
    programFolder: PROGRAM_FOLDER,
  });
  const variables = { TINKER_BASE_URL: served.tinkerUrl, TINKER_API_KEY: served.key };
  try {
    const train = await runProgram(["train", join(whole, "tinker-config.yaml")], variables);
    expect(train.code, train.stdout + train.stderr).toBe(0);
    const expected = await trained(runIn(whole));
    expect(expected.rows).toHaveLength(STEPS);
    for (const row of expected.rows) expect(updated.safeParse(row).success).toBe(true);

    if (RESUMED.test(model)) {
      const args = ["train", join(killed, "tinker-config.yaml")];
      await killedWhen(args, variables, () => isInSecondStep(runIn(killed)));
      const resume = await runProgram(["resume", runIn(killed)], variables);
      expect(resume.code, resume.stdout + resume.stderr).toBe(0);
      expect(await trained(runIn(killed))).toEqual(expected);
    }

    const show = await runProgram(["show", runIn(whole)], {});
    expect(show.code, show.stderr).toBe(0);
    expect(show.stdout).toContain(model);
  } finally {
    await served.close();
  }
}

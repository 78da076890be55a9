/** Whole runs on random weights that `serve` offers under the name of a hosted model, with that model's own tokenizer. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import * as z from "zod";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { type LocalServers, serve } from "../../src/trainer/serve.ts";
import { resumeTraining, startTraining } from "../../src/trainer/trainer.ts";
import { QWEN3_FOLDER } from "../node/tokenizer/qwen3Model.ts";
import { comparableRow, withoutKeys } from "./comparableRow.ts";
import { isOfEnd } from "./controlledRun.ts";
import { PROGRAM_FOLDER, readLines, runFolderWith } from "./localRun.ts";

const STEPS = 3;
const CONFIG = `
model_name: Qwen/Qwen3-8B
tokenizer_name: ${QWEN3_FOLDER}
run_name: run
lora_rank: 8
learning_rate: 1e-3
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 3
    nonterminal_reward: 1
advantage_calculation: direct
batch_size: 2
max_steps: ${STEPS}
max_response_tokens: 40
max_total_tokens: 1200
save_every: 1
evaluation: { splits: { local/calculator: [test] }, num_samples: 2, temperatures: [1] }
`;
const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;
let served: LocalServers;
let store = "";

async function startServing(): Promise<void> {
  const ports = { tinkerPort: 0, environmentsPort: 0, maxSessions: null };
  const random = { model: "Qwen/Qwen3-8B", tokenizer: QWEN3_FOLDER };
  served = await serve({ ...ports, store, random, programFolder: PROGRAM_FOLDER });
  vi.stubEnv("TINKER_BASE_URL", served.tinkerUrl);
  vi.stubEnv("TINKER_API_KEY", served.key);
}

beforeAll(async () => {
  store = await newFolder("");
  await startServing();
});
afterEach(() => served.close());
afterAll(async () => {
  vi.unstubAllEnvs();
});

function newFolder(config: string): Promise<string> {
  return runFolderWith(config);
}

const updated = z.object({ optim: z.object({ grad_norm: z.number().positive() }) });

/** What a run leaves that does not depend on time. */
async function trained(folder: string) {
  const run = join(folder, ".tinker-rl", "runs", "run");
  const all = await readLines(join(run, "metrics.jsonl"));
  const rows = all.filter((row) => !isOfEnd(row)).map(comparableRow);
  const results = await readLines(join(run, "eval", "results.jsonl"));
  const names = Array.from({ length: STEPS }, (_, step) => `step-00000${step}.tokens.bin`);
  const tokens = names.map((name) => readFile(join(run, "rollouts", name), "base64"));
  return {
    rows,
    tokens: await Promise.all(tokens),
    evaluations: withoutKeys(results, new Set(["timeMs"])),
  };
}

it("a run trains, and one that is stopped continues exactly on a server that was started again", async () => {
  const whole = await newFolder(CONFIG);
  const run = startTraining({
    ...base,
    configPath: join(whole, "config.yaml"),
    watch: () => undefined,
  });
  expect((await run.ended).outcome).toBe("done");
  const expected = await trained(whole);
  expect(expected.rows).toHaveLength(STEPS);
  // Weights change in every step.
  for (const row of expected.rows) expect(updated.safeParse(row).success).toBe(true);

  const halted = await newFolder(CONFIG);
  const stopped = startTraining({
    ...base,
    configPath: join(halted, "config.yaml"),
    watch: (event: ProgressEvent) => {
      if (event.kind === "rollout-finished" && event.step === 1) stopped.stopAndSave();
    },
  });
  const end = await stopped.ended;
  expect(end.outcome).toBe("stopped");
  await served.close();
  await startServing();
  const folder = end.folder ?? "";
  const resumed = resumeTraining({ ...base, folder, watch: () => undefined });
  expect((await resumed.ended).outcome).toBe("done");
  expect(await trained(halted)).toEqual(expected);
});

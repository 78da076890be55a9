/** Whole runs on random weights that `serve` offers under a hosted model's name, with that model's own tokenizer. */

import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import * as z from "zod";
import { type LocalServers, serve } from "../../src/trainer/serve.ts";
import { QWEN3_FOLDER } from "../node/tokenizer/qwen3Model.ts";
import { trained } from "./comparedRuns.ts";
import { resume, runIn, train } from "./controlledRun.ts";
import { runFolderWith } from "./localRun.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

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
  store = await runFolderWith("");
  await startServing();
});
afterEach(() => served.close());
afterAll(() => void vi.unstubAllEnvs());

const updated = z.object({ optim: z.object({ grad_norm: z.number().positive() }) });

it("a run trains, and after a stop it resumes exactly on a restarted server", async () => {
  const whole = await runFolderWith(CONFIG);
  expect((await train(whole).ended).outcome).toBe("done");
  const expected = await trained(runIn(whole));
  expect(expected.rows).toHaveLength(STEPS);
  // Weights change in every step.
  for (const row of expected.rows) expect(updated.safeParse(row).success).toBe(true);

  const halted = await runFolderWith(CONFIG);
  const run = train(halted);
  await run.saw((event) => event.kind === "rollout-finished" && event.step === 1);
  run.stopAndSave();
  expect((await run.ended).outcome).toBe("stopped");
  await served.close();
  await startServing();
  expect((await resume(halted).ended).outcome).toBe("done");
  expect(await trained(runIn(halted))).toEqual(expected);
});

/**
 * Checks that the base model leaves room for reinforcement learning: plays the test split of every environment with it and requires a
 * sampled reward between 0.1 and 0.4 and at least 90% well-formed calls.
 * Run: `npm run build && node scripts/run.mjs scripts/model/checkBase.ts` (about half a minute).
 */

import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as z from "zod";
import { EMBEDDED_ENVIRONMENTS } from "../../src/local/environment/catalogue.ts";
import { startTraining } from "../../src/trainer/trainer.ts";

const REWARD_BAND = [0.1, 0.4] as const;
const MIN_WELL_FORMED = 0.9;
const TASKS = 256;

const recordSchema = z.object({
  environment: z.string(),
  temperature: z.number(),
  reward: z.number().nullable(),
  turns: z.array(z.object({ calls: z.array(z.unknown()), errors: z.array(z.unknown()) })),
});

/** One step with a learning rate of 0, just for the evaluation before it. */
function config(names: readonly string[]): string {
  const environments = names.map((name) => [
    name,
    { splits: { train: {} }, num_rollouts: 2, nonterminal_reward: 0, max_turns: 8 },
  ]);
  return JSON.stringify({
    model_name: "local/tiny-tool",
    environments: Object.fromEntries(environments),
    batch_size: 1,
    max_steps: 1,
    learning_rate: 0,
    max_active_tasks: 128,
    evaluation: {
      splits: Object.fromEntries(names.map((name) => [name, ["test"]])),
      at_end: false,
      num_samples: TASKS,
    },
  });
}

async function play(names: readonly string[]): Promise<readonly z.infer<typeof recordSchema>[]> {
  const folder = await mkdtemp(join(tmpdir(), "tinker-rl-base-"));
  process.env["TINKER_RL_STORE"] = join(folder, "checkpoints");
  const configPath = join(folder, "config.json");
  await writeFile(configPath, config(names));
  const run = startTraining({
    configPath,
    owner: "terminal",
    watch: () => undefined,
    programFolder: resolve("dist/trainer"),
  });
  const { folder: runFolder } = await run.ended;
  const text = await readFile(join(runFolder ?? "", "eval", "step-000000.jsonl"), "utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => recordSchema.parse(JSON.parse(line)));
}

const names = EMBEDDED_ENVIRONMENTS.map(({ name }) => `local/${name}`);
const records = await play(names);
for (const name of names) {
  const own = records.filter(({ environment }) => environment === name);
  const rewardAt = (temperature: number): number => {
    const chosen = own.filter((record) => record.temperature === temperature);
    return chosen.reduce((sum, { reward }) => sum + (reward ?? 0), 0) / chosen.length;
  };
  const turns = own
    .filter(({ temperature }) => temperature === 1)
    .flatMap((record) => record.turns);
  const wellFormed = turns.filter(({ calls, errors }) => calls.length > 0 && errors.length === 0);
  const share = wellFormed.length / turns.length;
  const [low, high] = REWARD_BAND;
  const isFit = rewardAt(1) >= low && rewardAt(1) <= high && share >= MIN_WELL_FORMED;
  console.log(
    `${isFit ? "fit  " : "UNFIT"} ${name}: sampled ${rewardAt(1).toFixed(3)}, greedy ${rewardAt(0).toFixed(3)}, well-formed calls ${(share * 100).toFixed(1)}%`,
  );
  if (!isFit) process.exitCode = 1;
}

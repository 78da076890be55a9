/** A valid run of the embedded engine, whose copies are changed. */

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export function soundConfig(steps: number): string {
  return `model_name: local/tiny-tool
run_name: sound
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 2, nonterminal_reward: 0 }
batch_size: 2
max_steps: ${steps}
save_every: 1
evaluation: { splits: { local/calculator: [test] }, num_samples: 2, every: 1 }
`;
}

/** Writes the configuration to `project` and trains it to its end. Returns the run's folder. @throws Error if it fails */
export function trainSound(project: string, steps: number, env: NodeJS.ProcessEnv): string {
  const path = join(project, "tinker-config.yaml");
  writeFileSync(path, soundConfig(steps));
  const program = resolve("dist/trainer/tinker-rl.js");
  const trained = spawnSync(process.execPath, [program, "train", path], { env, encoding: "utf8" });
  if (trained.status !== 0)
    throw new Error(`The sound run failed: ${trained.stdout}${trained.stderr}`);
  return join(project, ".tinker-rl", "runs", "sound");
}

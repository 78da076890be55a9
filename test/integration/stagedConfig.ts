/** A configuration with stages, and the files that each stage writes. */

import { isJsonObject } from "../../src/core/json.ts";
import { trained } from "./comparedRuns.ts";

/** The calculator demonstrations are next to it. */
export const STAGED = `
model_name: local/tiny-tool
lora_rank: 8
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
batch_size: 4
max_tokens_total: 400000
evaluation: { splits: { local/calculator: [test] }, num_samples: 4 }
stages:
  imitate:
    method: sft
    data: [{ path: plays.jsonl }]
    learning_rate: 5e-3
    max_steps: 6
  gather: { method: collect, samples_per_task: 2, max_tasks: 40 }
  again:
    method: sft
    data: [{ run: "stage:gather", where: reward >= 1 }]
    max_steps: 2
  reinforce: { max_steps: 3 }
`;
/** Folders of the training stages. */
export const TRAINED_STAGES = ["imitate", "again", "reinforce"];

/** Without the budget, which is smaller for a repeated stage. */
export async function comparableStage(run: string) {
  const { rows, ...others } = await trained(run);
  const comparedRows = rows.map((row) =>
    isJsonObject(row) ? { ...row, budget: null, alarms: null } : row,
  );
  return { ...others, rows: comparedRows };
}

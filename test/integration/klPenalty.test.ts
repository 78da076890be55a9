import { join } from "node:path";
import { expect, it } from "vitest";
import * as z from "zod";
import { sum } from "../../src/shared/mean.ts";
import { readLines, trainLocally } from "./localRun.ts";

const STEPS = 6;
const rowSchema = z.object({ optim: z.object({ kl_policy_base: z.number() }) });

/** `optim/kl_policy_base` of each step of a run with this `kl_coef`. */
async function divergences(coefficient: number): Promise<readonly number[]> {
  const config = `
model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 8, nonterminal_reward: 0, max_turns: 4 }
batch_size: 6
max_steps: ${STEPS}
learning_rate: 2e-3
warmup_steps: 0
kl_coef: ${coefficient}
save_every: 0
rolling_save_every: 0
`;
  const events = await trainLocally({ config });
  const started = events.find((event) => event.kind === "started");
  const rows = await readLines(join(started?.folder ?? "", "metrics.jsonl"));
  return rows.map((row) => rowSchema.parse(row).optim.kl_policy_base);
}

it("kl_coef keeps the policy near the base model, which the first step equals", async () => {
  const free = await divergences(1e-6);
  const held = await divergences(10);
  for (const [first = Number.NaN] of [free, held]) expect(Math.abs(first)).toBeLessThan(1e-3);
  const end = (steps: readonly number[]) => sum(steps.slice(-3));
  expect(end(held)).toBeLessThan(end(free) / 2);
});

/** Whole runs that sample steps ahead: the result is the same however often they are interrupted. */

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { trained } from "./comparedRuns.ts";
import { linesIn, resume, runIn, train, trainDisturbed } from "./controlledRun.ts";
import { runFolderWith } from "./localRun.ts";

const STEPS = 5;
const STEPS_AHEAD = 3;
const configOf = (settings: string): string => `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator:
    splits: { train: { num_samples: 23 } }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 5
num_epochs: 1
max_steps_off_policy: ${STEPS_AHEAD}
learning_rate: 1e-3
warmup_steps: 0
max_active_tasks: 8
save_every: 0
rolling_save_every: 1
evaluation: { splits: { local/calculator: [test] }, every: 2, num_samples: 2, temperatures: [1] }
${settings}`;

function project(settings = ""): Promise<string> {
  return runFolderWith(configOf(settings));
}

const row = z.object({
  async: z.object({ staleness: z.object({ min: z.number(), max: z.number() }) }),
});

describe("a run that samples steps ahead", () => {
  it("gives the same result when it is paused, saved, stopped and resumed", async () => {
    const folder = await project();
    expect((await train(folder).ended).outcome).toBe("done");
    const undisturbed = await trained(runIn(folder));
    const lags = (await linesIn(folder, "metrics.jsonl", row)).map(({ async }) => async.staleness);
    const expected = Array.from({ length: STEPS }, (_, step) => Math.min(step, STEPS_AHEAD));
    expect(lags).toEqual(expected.map((lag) => ({ min: lag, max: lag })));
    expect(await readdir(join(runIn(folder), "pending"))).toEqual([]);

    const disturbed = await project();
    await trainDisturbed(disturbed, "save", "continue");
    expect(existsSync(join(runIn(disturbed), "pending"))).toBe(true);
    expect((await resume(disturbed).ended).outcome).toBe("done");
    expect(await trained(runIn(disturbed))).toEqual(undisturbed);
  });
});

const corrected = z.object({
  tokens: z.object({ forward: z.number(), trained: z.number() }),
  optim: z.object({ off_policy_weight_mean: z.number() }),
});

describe("a run that samples steps ahead with off_policy_correction", () => {
  it("reweights stale samples, and resumes to the same tokens", async () => {
    const settings = "off_policy_correction: icepop\nloss_fn: cispo\nnum_substeps: 2";
    const folder = await project(settings);
    expect((await train(folder).ended).outcome).toBe("done");
    const undisturbed = await trained(runIn(folder));
    const rows = await linesIn(folder, "metrics.jsonl", corrected);
    // Sampler and trainer of the embedded engine agree while the weights are unchanged.
    const [first, ...later] = rows.map(({ optim }) => optim.off_policy_weight_mean);
    expect(first).toBeCloseTo(1, 4);
    expect(later.every((weight) => Math.abs(weight - 1) < 1e-4)).toBe(false);
    for (const { tokens } of rows) expect(tokens.forward).toBeGreaterThanOrEqual(tokens.trained);

    const disturbed = await project(settings);
    await trainDisturbed(disturbed);
    expect((await resume(disturbed).ended).outcome).toBe("done");
    expect(await trained(runIn(disturbed))).toEqual(undisturbed);
  });
});

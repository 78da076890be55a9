/** Whole runs that refill their batches: the result is the same however often they are interrupted. */

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { trained } from "./comparedRuns.ts";
import { linesIn, resume, runIn, train, trainDisturbed } from "./controlledRun.ts";
import { runFolderWith } from "./localRun.ts";

const STEPS = 4;
const BATCH = 3;
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator:
    splits: { train: { num_samples: 40 } }
    num_rollouts: 3
    nonterminal_reward: 0
batch_size: ${BATCH}
max_steps: ${STEPS}
max_steps_off_policy: 2
refill: true
learning_rate: 1e-3
warmup_steps: 0
max_active_tasks: 8
save_every: 0
rolling_save_every: 1
evaluation: { splits: { local/calculator: [test] }, every: 2, num_samples: 2, temperatures: [1] }
`;

const row = z.object({
  num_groups: z.number(),
  refill: z.object({ groups: z.number(), untrained_groups: z.number() }),
});

describe("a run that refills its batches and samples steps ahead", () => {
  it("trains full batches, with the same result when it is paused, stopped and resumed", async () => {
    const folder = await runFolderWith(CONFIG);
    expect((await train(folder).ended).outcome).toBe("done");
    const undisturbed = await trained(runIn(folder));
    const rows = await linesIn(folder, "metrics.jsonl", row);
    expect(rows.map(({ num_groups }) => num_groups)).toEqual(rows.map(() => BATCH));
    expect(rows.some(({ refill }) => refill.groups > 0)).toBe(true);
    expect(rows.map(({ refill }) => refill.groups)).toEqual(
      rows.map(({ refill }) => refill.untrained_groups),
    );

    const disturbed = await runFolderWith(CONFIG);
    await trainDisturbed(disturbed, "continue");
    expect((await resume(disturbed).ended).outcome).toBe("done");
    expect(await trained(runIn(disturbed))).toEqual(undisturbed);
    const pending = join(runIn(disturbed), "pending");
    expect(existsSync(pending) ? await readdir(pending) : []).toEqual([]);
  });
});

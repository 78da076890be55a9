/** Reports of runs that sample steps ahead: rows and rollouts have the right steps, also after a stop. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { resultChecks } from "../resilience/outage/checks.ts";
import { type Outcome, readOutcome } from "../resilience/outage/outcome.ts";
import { UploadGateway } from "../resilience/outage/uploadGateway.ts";
import { startWandbService, type WandbService } from "../resilience/outage/wandbService.ts";
import { amidRollouts, linesIn, resume, runIn, train } from "./controlledRun.ts";
import { runFolderWith } from "./localRun.ts";

const TASKS = 13;
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator:
    splits: { train: { num_samples: ${TASKS} } }
    num_rollouts: 3
    nonterminal_reward: 0
batch_size: 3
num_epochs: 1
max_steps_off_policy: 2
refill: true
learning_rate: 1e-3
warmup_steps: 0
max_active_tasks: 8
save_every: 0
rolling_save_every: 1
wandb: online
wandb_project_name: ahead
openreward_upload: true
`;

let uploads: UploadGateway;
let wandb: WandbService;

async function project(): Promise<string> {
  uploads?.close();
  wandb?.close();
  uploads = await UploadGateway.start();
  wandb = await startWandbService();
  vi.stubEnv("OPENREWARD_API_URL", uploads.url);
  vi.stubEnv("WANDB_BASE_URL", wandb.url);
  return runFolderWith(CONFIG);
}

beforeAll(() => {
  vi.stubEnv("OPENREWARD_API_KEY", "or_ahead");
  vi.stubEnv("WANDB_API_KEY", "k".repeat(40));
});
afterAll(async () => {
  uploads.close();
  wandb.close();
  vi.unstubAllEnvs();
});

const row = z.object({ step: z.number(), progress: z.object({ done_frac: z.number() }) });

function outcomeOf(folder: string, steps: number): Outcome {
  return readOutcome(runIn(folder), join(folder, "checkpoints"), steps);
}

/** Steps in the names of the uploaded rollouts, with the number of rollouts for each. */
function uploadedSteps(): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const event of uploads.events) {
    const name = event.eventType === "rollout" ? String(event["rolloutName"]) : "";
    const step = /-step(\d+)-/.exec(name)?.[1];
    if (step !== undefined) counts.set(Number(step), (counts.get(Number(step)) ?? 0) + 1);
  }
  return counts;
}

describe("a run that samples steps ahead and refills its batches", { timeout: 120_000 }, () => {
  it("reports the rows and rollouts of the right steps, also after a stop and a resume", async () => {
    const folder = await project();
    expect((await train(folder).ended).outcome).toBe("done");
    const rows = await linesIn(folder, "metrics.jsonl", row);
    const steps = rows.length;
    expect(rows.at(-1)?.progress.done_frac).toBe(1);
    expect(wandb.fake.rows().at(-1)).toMatchObject({ rollouts: { _type: "table-file" } });
    const whole = outcomeOf(folder, steps);
    const played = whole.rollouts.map(({ length }, step) => [step, length] as const);
    expect(played.reduce((sum, [, count]) => sum + count, 0)).toBe(TASKS * 3);
    expect([...uploadedSteps()].toSorted(([a], [b]) => a - b)).toEqual(played);
    const differences = (own: string) =>
      resultChecks(
        whole,
        { outcome: outcomeOf(own, steps), stage: { uploads, wandb: wandb.fake } },
        steps,
      )
        .filter(({ isGood }) => !isGood)
        .map(({ what, counts }) => `${what}: ${counts}`);
    expect(differences(folder)).toEqual([]);

    const disturbed = await project();
    const run = train(disturbed);
    await run.saw(amidRollouts(1));
    run.stopAndSave();
    expect((await run.ended).outcome).toBe("stopped");
    expect((await resume(disturbed).ended).outcome).toBe("done");
    expect(differences(disturbed)).toEqual([]);
  });
});

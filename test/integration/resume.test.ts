import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProgressEvent } from "../../src/core/training/progress.ts";
import { resumeTraining, startTraining } from "../../src/trainer/trainer.ts";
import { comparableRow } from "./comparableRow.ts";
import { PROGRAM_FOLDER, readLines, runFolderWith } from "./localRun.ts";

const STEPS = 5;
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
  local/depot:
    splits: { train: { num_samples: 50 } }
    num_rollouts: 6
    nonterminal_reward: 0
batch_size: 6
max_steps: ${STEPS}
num_substeps: 2
learning_rate_schedule: cosine
max_active_tasks: 16
save_every: 2
`;

const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;

async function trained(
  folder: string,
): Promise<{ readonly rows: unknown; readonly tokens: readonly string[] }> {
  const run = join(folder, ".tinker-rl", "runs", "run");
  const rows = (await readLines(join(run, "metrics.jsonl"))).map(comparableRow);
  const tokens = [];
  for (let step = 0; step < STEPS; step++) {
    const bytes = await readFile(join(run, "rollouts", `step-00000${step}.tokens.bin`));
    tokens.push(bytes.toString("base64"));
  }
  return { rows, tokens };
}

describe("a run that is stopped and resumed", () => {
  it("gives the same metrics and the same tokens as one that was left alone", async () => {
    const whole = await runFolderWith(CONFIG);
    const left = startTraining({
      ...base,
      configPath: join(whole, "config.yaml"),
      watch: () => undefined,
    });
    expect((await left.ended).outcome).toBe("done");

    const halted = await runFolderWith(CONFIG);
    const seen: ProgressEvent[] = [];
    const stopped = startTraining({
      ...base,
      configPath: join(halted, "config.yaml"),
      watch: (event) => {
        seen.push(event);
        // In the middle of the fourth step: what it has done so far must not show in the end.
        if (event.kind === "rollout-finished" && event.step === 3 && event.done === 5)
          stopped.stopAndSave();
      },
    });
    const end = await stopped.ended;
    expect(end.outcome).toBe("stopped");
    expect(seen.some((event) => event.kind === "step-finished" && event.step === 3)).toBe(false);
    const resumed = resumeTraining({ ...base, folder: end.folder ?? "", watch: () => undefined });
    expect((await resumed.ended).outcome).toBe("done");

    expect(await trained(halted)).toEqual(await trained(whole));
  });
});

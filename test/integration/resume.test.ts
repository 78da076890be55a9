import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { resumeTraining, startTraining } from "../../src/trainer/trainer.ts";
import { comparableRow, withoutKeys } from "./comparableRow.ts";
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
evaluation: { splits: { local/calculator: [test] }, every: 3, num_samples: 4, temperatures: [1] }
`;

const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;

/** What a run leaves that does not depend on time. */
async function trained(folder: string) {
  const run = join(folder, ".tinker-rl", "runs", "run");
  const rows = (await readLines(join(run, "metrics.jsonl"))).map(comparableRow);
  const evaluations = withoutKeys(
    await readLines(join(run, "eval", "results.jsonl")),
    new Set(["timeMs"]),
  );
  const tokens = [];
  for (let step = 0; step < STEPS; step++) {
    const bytes = await readFile(join(run, "rollouts", `step-00000${step}.tokens.bin`));
    tokens.push(bytes.toString("base64"));
  }
  return { rows, evaluations, tokens };
}

let whole: Awaited<ReturnType<typeof trained>>;

beforeAll(async () => {
  const folder = await runFolderWith(CONFIG);
  const configPath = join(folder, "config.yaml");
  const left = startTraining({ ...base, configPath, watch: () => undefined });
  expect((await left.ended).outcome).toBe("done");
  whole = await trained(folder);
});

describe("a run that is stopped and resumed", () => {
  it.each([
    ["in the middle of the fourth step", 5],
    ["just after it has begun beside an evaluation", 1],
  ])("%s leaves the same as one that was left alone", async (_, done) => {
    const halted = await runFolderWith(CONFIG);
    const seen: ProgressEvent[] = [];
    const stopped = startTraining({
      ...base,
      configPath: join(halted, "config.yaml"),
      watch: (event) => {
        seen.push(event);
        if (event.kind !== "rollout-finished" || event.step !== 3) return;
        // What was done so far must not show in the end.
        if (event.done === done) stopped.stopAndSave();
      },
    });
    const end = await stopped.ended;
    expect(end.outcome).toBe("stopped");
    expect(seen.some((event) => event.kind === "step-finished" && event.step === 3)).toBe(false);
    const folder = end.folder ?? "";
    const resumed = resumeTraining({ ...base, folder, watch: () => undefined });
    expect((await resumed.ended).outcome).toBe("done");
    expect(await trained(halted)).toEqual(whole);
  });
});

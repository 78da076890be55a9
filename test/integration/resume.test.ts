import { beforeAll, describe, expect, it } from "vitest";
import { trained } from "./comparedRuns.ts";
import { resume, runIn, train } from "./controlledRun.ts";
import { runFolderWith } from "./localRun.ts";

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
max_steps: 5
num_substeps: 2
learning_rate_schedule: cosine
max_active_tasks: 16
save_every: 2
evaluation: { splits: { local/calculator: [test] }, every: 3, num_samples: 4, temperatures: [1] }
`;

let whole: unknown;

beforeAll(async () => {
  const folder = await runFolderWith(CONFIG);
  expect((await train(folder).ended).outcome).toBe("done");
  whole = await trained(runIn(folder));
});

describe("a run that is stopped and resumed", () => {
  it.each([
    ["in the middle of the fourth step", 5],
    ["just after it has begun during an evaluation", 1],
  ])("%s gives the same result as an undisturbed run", async (_, done) => {
    const halted = await runFolderWith(CONFIG);
    const run = train(halted);
    await run.saw(
      (event) => event.kind === "rollout-finished" && event.step === 3 && event.done === done,
    );
    // Progress so far must not affect the result.
    run.stopAndSave();
    expect((await run.ended).outcome).toBe("stopped");
    const isDone = run.events.some((event) => event.kind === "step-finished" && event.step === 3);
    expect(isDone).toBe(false);
    expect((await resume(halted).ended).outcome).toBe("done");
    expect(await trained(runIn(halted))).toEqual(whole);
  });
});

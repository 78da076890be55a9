import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/core/config/schema.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import { readState } from "../../../src/core/run/state.ts";
import { type LoopPosition, runLoop, START } from "../../../src/core/training/loop.ts";
import { result, scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "./builders.ts";
import { aContext, FOLDER, linesOf, PATHS } from "./fakeContext.ts";

const identity = { runId: "run", configHash: "h", changedKeys: [], generation: 1 };

interface Wishes {
  readonly config?: Partial<Config>;
  readonly steps?: number | null;
  /** Rewards given one after the other, again and again. */
  readonly rewards?: readonly number[];
}

/** Groups of two, one in each step; the model answers at once. */
function setUp({ config, steps = 3, rewards = [1, 0] }: Wishes = {}) {
  let answers = 0;
  const onCall = () =>
    result("", { reward: rewards[answers++ % rewards.length] ?? 0, finished: true });
  const context = aContext({
    remote: scriptedEnvironment([{ onCall }]),
    totalSteps: steps,
    config: aConfig({
      batch_size: 1,
      environments: { [ENVIRONMENT]: anEnvironment({ num_rollouts: 2 }) },
      save_every: 0,
      rolling_save_every: 0,
      ...config,
    }),
  });
  const sampler = scriptedSampler([ended(call("answer"))]);
  context.client.sampler = sampler;
  const run = (start: LoopPosition = START) => context.clock.run(runLoop(context, start, identity));
  const saves = () => context.client.calls.filter((name) => name.startsWith("saveState"));
  return { context, sampler, run, saves, state: () => readState(context.fileSystem, FOLDER) };
}

describe("the loop", () => {
  it("runs step after step to the end of the plan and leaves a lasting checkpoint", async () => {
    const { run, context, saves, state } = setUp();
    expect(await run()).toEqual({
      outcome: "done",
      step: 3,
      rewards: [0.5, 0.5, 0.5],
      statePath: "tinker://S:train:0/weights/final_000003",
      samplerPath: "tinker://S:train:0/sampler_weights/final_000003",
    });
    expect(saves()).toEqual(["saveState final_000003"]);
    expect(linesOf(context, PATHS.metrics)).toHaveLength(3);
    expect(await state()).toMatchObject({
      step: 3,
      optimizer_updates: 3,
      dataset: { cursor: 3 },
      counters: { rollouts: { reached_terminal_state: 6 }, consecutive_empty_steps: 0 },
    });
  });

  it("saves after every save_every steps, and the last such save is also the final one", async () => {
    const { run, saves, context } = setUp({ config: { save_every: 2 }, steps: 4 });
    expect((await run()).statePath).toBe("tinker://S:train:0/weights/checkpoint_000004");
    expect(saves()).toEqual(["saveState checkpoint_000002", "saveState checkpoint_000004"]);
    expect(linesOf(context, PATHS.checkpoints)).toHaveLength(3);
  });

  it("submits a save behind the update it holds and before the next one", async () => {
    const { run, context } = setUp({ config: { rolling_save_every: 1 }, steps: 2 });
    await run();
    const step = ["forwardBackward", "optimStep", "ephemeralSampler"];
    expect(context.client.calls.slice(0, 8)).toEqual([
      "ephemeralSampler",
      ...step,
      "saveState rolling_000001",
      ...step,
    ]);
  });

  it("goes on from a saved position as if it had never ended", async () => {
    const whole = setUp({ steps: 5 });
    await whole.run();
    const first = setUp({ steps: 3 });
    await first.run();
    const state = await first.state();
    if (state === null) throw new Error("the run has left a state");
    const rest = setUp({ steps: 5 });
    await rest.run({
      step: state.step,
      cursor: state.dataset.cursor,
      optimizerUpdates: state.optimizer_updates,
      counters: state.counters,
    });
    expect([...first.sampler.requests, ...rest.sampler.requests]).toEqual(whole.sampler.requests);
    const losses = ({ context }: typeof whole) => context.client.lossCalls;
    expect([...losses(first), ...losses(rest)]).toEqual(losses(whole));
    const { counters, dataset, optimizer_updates } = (await whole.state()) ?? {};
    expect(await rest.state()).toMatchObject({ counters, dataset, optimizer_updates });
  });
});

describe("a loop that is asked to stop", () => {
  it("gives up the step under way and saves the last completed one", async () => {
    const { run, context, saves, state } = setUp({ steps: null });
    context.client.sampler = scriptedSampler([ended(call("answer"))], {
      beforeAnswer: async () => {
        if (linesOf(context, PATHS.metrics).length === 2) context.control.stop();
      },
    });
    expect(await run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(saves()).toEqual(["saveState interrupt_000002"]);
    expect((await state())?.step).toBe(2);
    expect(context.client.adamCalls).toHaveLength(2);
  });

  it("saves at once where no step was completed", async () => {
    const { run, context, saves } = setUp();
    context.control.stop();
    expect(await run()).toMatchObject({ outcome: "stopped", step: 0 });
    expect(saves()).toEqual(["saveState interrupt_000000"]);
  });

  it("has done its work when all steps were completed", async () => {
    const { run, context } = setUp({ steps: 1 });
    const { forwardBackward } = context.client;
    context.client.forwardBackward = (...call) => {
      context.control.stop();
      return forwardBackward.apply(context.client, call);
    };
    expect(await run()).toMatchObject({ outcome: "done", step: 1 });
  });
});

describe("steps without anything to train on", () => {
  const config = { max_consecutive_empty_steps: 2 };

  it("have a row of metrics, keep the sampler and go on", async () => {
    const { run, context } = setUp({ steps: 2, rewards: [1, 1, 1, 0] });
    expect(await run()).toMatchObject({ outcome: "done", rewards: [1, 0.5] });
    expect(linesOf(context, PATHS.metrics)).toHaveLength(2);
    expect(context.client.adamCalls).toHaveLength(1);
  });

  it("end the run with a diagnosis after so many in a row, and the run is saved", async () => {
    const { run, saves, state } = setUp({ config, steps: null, rewards: [1, 0, 1, 1, 1, 1] });
    await expect(run()).rejects.toMatchObject({
      code: "empty-steps",
      configPath: "max_consecutive_empty_steps",
      message: expect.stringMatching(/^2 steps in a row .*temperature/),
    });
    expect(saves()).toEqual(["saveState interrupt_000003"]);
    expect((await state())?.counters.consecutive_empty_steps).toBe(2);
  });

  it("are counted anew after a step that trained", async () => {
    const { run } = setUp({ config, steps: 4, rewards: [1, 1, 1, 0] });
    expect(await run()).toMatchObject({ outcome: "done", step: 4 });
  });
});

describe("evaluations", () => {
  const evaluation = {
    splits: { [ENVIRONMENT]: ["test"] },
    at_start: true,
    at_end: true,
    every: 2,
    num_samples: 1,
    rollouts_per_task: 1,
    temperatures: [0],
  };

  it("come before the first step and after every so many, and go into the next row", async () => {
    const { run, context } = setUp({ config: { evaluation }, steps: 3, rewards: [1] });
    await run();
    const evaluated = context.progress.flatMap((event) =>
      event.kind === "evaluated" ? [[event.purpose, event.step]] : [],
    );
    expect(evaluated).toEqual([
      ["start", 0],
      ["periodic", 2],
    ]);
    const rows = linesOf(context, PATHS.metrics).filter(isJsonObject);
    const withEvaluation = rows.map((row) => Object.hasOwn(row, "eval"));
    expect(withEvaluation).toEqual([true, false, true]);
  });

  it("do not come again at the start when a run goes on", async () => {
    const { run, context } = setUp({ config: { evaluation: { ...evaluation, every: null } } });
    await run({ ...START, step: 1, cursor: 1 });
    expect(context.progress.some(({ kind }) => kind === "evaluated")).toBe(false);
  });
});

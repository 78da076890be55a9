import { describe, expect, it } from "vitest";
import type { Agent } from "../../../../src/core/agents/agent.ts";
import { readChatCompletion } from "../../../../src/core/endpoint/openaiChat.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { FinishedRollout } from "../../../../src/core/rollout/rollout.ts";
import { emptySteps } from "../../../../src/core/training/endConditions.ts";
import { START } from "../../../../src/core/training/step/loopPosition.ts";
import { scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aGroup } from "../builders.ts";
import { linesOf, PATHS } from "../fakeContext.ts";
import { resultOf } from "../fakeTrainingClient.ts";
import { duringRollouts, duringUpdate, positionOf, prepareRun } from "./prepareRun.ts";

const TEACHER = { model: null, checkpoint: null, context: null, coef: 1, discount: 0 };

/** A run whose store fails one method from the call to `fail` on. */
function prepareFailing(method: "addRollout" | "addTokens", error: AppError) {
  let isFailing = false;
  const failing = () => Promise.reject(error);
  const run = prepareRun({
    steps: null,
    wrapStore: (store) => ({
      ...store,
      addRollout: (record) =>
        isFailing && method === "addRollout" ? failing() : store.addRollout(record),
      addTokens: (step, records) =>
        isFailing && method === "addTokens" ? failing() : store.addTokens(step, records),
    }),
  });
  const fail = () => {
    isFailing = true;
  };
  return { run, fail };
}

describe("a loop whose disk is full", () => {
  const full = new AppError("disk", "The disk is full.");

  it("saves the last completed step while the weights still match it", async () => {
    const { run, fail } = prepareFailing("addRollout", full);
    duringRollouts(run, 2, fail);
    await expect(run.run()).rejects.toMatchObject({ code: "disk" });
    expect(run.saves()).toEqual(["interrupt_000002"]);
    expect((await run.state())?.step).toBe(2);
  });

  it("does not save weights that include an update without a row", async () => {
    const { run, fail } = prepareFailing("addTokens", full);
    duringUpdate(run, 2, fail);
    await expect(run.run()).rejects.toMatchObject({ code: "disk" });
    expect(run.context.client.adamCalls).toHaveLength(3);
    expect(run.saves()).toEqual([]);
  });
});

describe("a loop with a loss that is not a number", () => {
  it("does not save the resulting weights", async () => {
    const { run, context, saves } = prepareRun({ steps: null });
    const { answer } = context.client;
    context.client.answer = (call) => {
      const result = answer(call);
      const isThird = context.client.lossCalls.length === 3;
      return isThird ? { ...result, metrics: { "loss:sum": Number.NaN } } : result;
    };
    await expect(run()).rejects.toMatchObject({ code: "training-not-finite" });
    expect(saves()).toEqual([]);
  });
});

/** Samples one turn, then fails with a traceback. */
const crashing: Agent = {
  settings: { timeoutMs: null, reward: "session" },
  run: async ({ model, signal }) => {
    const messages = [{ role: "user", content: "What is 1 + 1?" }];
    const request = readChatCompletion({ model: "any", messages });
    await model.turn(request, { signal, needsLogprobs: true });
    return { code: 1, output: "TypeError: no\n", rewardLine: null };
  },
};

describe("steps with nothing to train on", () => {
  const config = { max_consecutive_empty_steps: 2 };

  it("have a row of metrics, keep the sampler, and let the run continue", async () => {
    const { run, context } = prepareRun({ steps: 2, rewards: [1, 1, 1, 0] });
    expect(await run()).toMatchObject({ outcome: "done" });
    expect(linesOf(context, PATHS.metrics)).toMatchObject([
      { rollout: { reward: { mean: 1 } } },
      { rollout: { reward: { mean: 0.5 } } },
    ]);
    expect(context.client.adamCalls).toHaveLength(1);
  });

  it("end the run with a diagnosis after too many in a row, and the run is saved", async () => {
    const { run, saves, state } = prepareRun({ config, steps: null, rewards: [1, 0, 1, 1, 1, 1] });
    await expect(run()).rejects.toMatchObject({
      code: "empty-steps",
      configPath: "max_consecutive_empty_steps",
      message: expect.stringMatching(/^2 steps in a row .*temperature/),
    });
    expect(saves()).toEqual(["interrupt_000003"]);
    expect((await state())?.counters.consecutive_empty_steps).toBe(2);
  });

  it("are diagnosed with the correction that masks everything, after a warning for each", async () => {
    const { run, context } = prepareRun({
      config: { ...config, off_policy_correction: "sequence_mask" },
      steps: null,
    });
    // Half as likely as under the sampler.
    context.client.answer = (call) => resultOf(call, -0.5 - Math.LN2);
    await expect(run()).rejects.toMatchObject({
      code: "empty-steps",
      configPath: "off_policy_correction",
      message: expect.stringMatching(/^2 steps in a row .*off_policy_correction_config/),
    });
    expect(context.client.adamCalls).toEqual([]);
    expect(linesOf(context, PATHS.metrics)).toMatchObject([
      { skipped: true, optim: { off_policy_masked_frac: 1 } },
      { skipped: true, optim: { off_policy_masked_frac: 1 } },
    ]);
    expect(context.recorded.filter(({ kind }) => kind === "step-masked")).toHaveLength(2);
  });

  it("are diagnosed with the reason of the first failure when all rollouts failed", async () => {
    const remote = scriptedEnvironment([new AppError("environment-tool-crashed", "no data")]);
    const { run } = prepareRun({ config, remote, steps: null });
    await expect(run()).rejects.toMatchObject({
      code: "empty-steps",
      message: expect.stringMatching(/in the last one all 2 rollouts failed\. The first: no data/),
    });
  });

  it.each([
    [
      "nonterminal_reward",
      { stop: "max_turns" as const, reward: null },
      /without a reward, most with max_turns\. .*`nonterminal_reward: 0`/,
    ],
    [
      "a reward for each end",
      { stop: "reached_terminal_state" as const, reward: null },
      /Give a reward with the call that ends/,
    ],
    [
      "recipes",
      { stop: "reached_terminal_state" as const, reward: 0 },
      /no rollout earned a reward.*docs\/recipes\.md/,
    ],
    [
      "more variety",
      { stop: "reached_terminal_state" as const, reward: 1 },
      /all had the same reward.*higher temperature/,
    ],
  ])("name %s by how most of the last rollouts ended", (_, played, message) => {
    const { stop, reward } = played;
    const rollouts = aGroup([reward, reward]).map(
      (rollout): FinishedRollout => ({
        ...rollout,
        record: { ...rollout.record, stop, error: null },
      }),
    );
    expect(emptySteps(2, { rollouts, isMasked: false, row: null }).message).toMatch(message);
  });

  it.each([
    ["what the environment broke", { environmentFault: "KeyError: 'K86'" }, /1 of 4 .* KeyError/],
    ["rewards that are missing", {}, /1 of 4 rollouts ended without a reward, and the others/],
  ])("name %s in some of them", (_, fault, message) => {
    const [first, ...others] = aGroup([null, 0, 0, 0]);
    if (first === undefined) throw new Error("no rollout");
    const stop = "environmentFault" in fault ? "tool_crashed" : "reached_terminal_state";
    const broken: FinishedRollout = {
      ...first,
      record: { ...first.record, stop, error: null },
      facts: { ...first.facts, ...fault },
    };
    const rollouts = [...others, broken];
    expect(emptySteps(2, { rollouts, isMasked: false, row: null }).message).toMatch(message);
  });

  it("are diagnosed with the environment's own words when its calls crash", async () => {
    const onCall = () => {
      throw new AppError("environment-tool-crashed", "no table scores");
    };
    const { run } = prepareRun({
      config,
      environment: { nonterminal_reward: 0 },
      remote: scriptedEnvironment([{ onCall }]),
      steps: null,
    });
    await expect(run()).rejects.toMatchObject({
      code: "empty-steps",
      message: expect.stringMatching(
        /2 of 2 rollouts ended with tool_crashed\. The first: .*no table scores\. .* Fix that cause/,
      ),
    });
  });

  it("are diagnosed with how the agent ended when all agents failed, after a warning for each", async () => {
    const { run, context } = prepareRun({ config, steps: null, agent: crashing });
    await expect(run()).rejects.toMatchObject({
      code: "empty-steps",
      message:
        "2 steps in a row gave nothing to train on: in the last one all 2 rollouts failed. The first: The agent of Owner/Game ended with code 1. The run is saved. `tinker-rl env play --agent` runs the agent alone. Fix that cause, then resume the run.",
    });
    expect(context.recorded.filter(({ kind }) => kind === "rollouts-failed")).toMatchObject([
      { level: "warn", message: expect.stringMatching(/^step 1: all 2 rollouts failed/) },
      { level: "warn", message: expect.stringMatching(/TypeError: no$/) },
    ]);
    const agent = { count: 2, failed_frac: 1 };
    expect(linesOf(context, PATHS.metrics)).toMatchObject([
      { rollout: { agent } },
      { rollout: { agent } },
    ]);
  });

  it("do not count as success when the whole plan had only such steps, also after a resume", async () => {
    const prepared = prepareRun({ steps: 2, rewards: [1, 1] });
    const { run, saves } = prepared;
    const nothing = { code: "empty-steps", message: expect.stringMatching(/^2 steps in a row/) };
    await expect(run()).rejects.toMatchObject(nothing);
    expect(saves()).toEqual(["interrupt_000002"]);
    const resumed = prepareRun({ steps: 2 }).run(await positionOf(prepared));
    await expect(resumed).rejects.toMatchObject({ code: "empty-steps" });
  });

  it("are not reported when a checkpoint without its run folder already has the planned steps", async () => {
    const { run, saves, context } = prepareRun({ steps: 2 });
    await expect(run({ ...START, step: 3, cursor: 3 })).rejects.toMatchObject({
      code: "config-invalid",
      configPath: "max_steps",
      message: expect.stringMatching(/already has 3 steps.* Raise max_steps/),
    });
    expect(saves()).toEqual([]);
    expect(context.client.lossCalls).toEqual([]);
  });

  it("are diagnosed with the teacher that has the policy's weights", async () => {
    const model = "Owner/Same";
    const { run } = prepareRun({
      config: { ...config, teacher: { ...TEACHER, model, rewards: false } },
      steps: null,
      // The same as the sampler's.
      samplerForBase: async () =>
        scriptedSampler([], { computeLogprobs: (tokens) => tokens.map(() => -0.5) }),
    });
    await expect(run()).rejects.toMatchObject({
      code: "empty-steps",
      configPath: "teacher",
      message: expect.stringMatching(/^2 steps in a row .*the teacher .* the same weights/),
    });
  });

  it("are not a streak when there is only one", async () => {
    const { run } = prepareRun({ steps: 1, rewards: [1, 1] });
    await expect(run()).rejects.toThrow(/^1 step gave nothing to train on: /);
  });

  it("are counted from zero after a step that trained", async () => {
    const { run } = prepareRun({ config, steps: 4, rewards: [1, 1, 1, 0] });
    expect(await run()).toMatchObject({ outcome: "done", step: 4 });
  });
});

it("a run that another trainer took over is not saved by the first one", async () => {
  const taken = new AppError("run-taken-over", "Process 42 has taken over the run.");
  const { run, fail } = prepareFailing("addRollout", taken);
  duringRollouts(run, 2, fail);
  await expect(run.run()).rejects.toBe(taken);
  expect(run.saves()).toEqual([]);
});

import { describe, expect, it } from "vitest";
import type { Agent } from "../../../../src/core/agents/agent.ts";
import { readChatCompletion } from "../../../../src/core/endpoint/openaiChat.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import { stepPaths } from "../../../../src/core/runFolder/files/layout.ts";
import {
  flattenMetrics,
  type MetricsRow,
} from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { FOLDER, linesOf, PATHS } from "../fakeContext.ts";
import { duringRollouts, positionOf, prepareRun } from "./prepareRun.ts";

describe("the loop", () => {
  it("runs all planned steps and leaves a lasting checkpoint", async () => {
    const { run, context, saves, state } = prepareRun();
    expect(await run()).toMatchObject({
      outcome: "done",
      step: 3,
      samplerPath: "tinker://S:train:0/sampler_weights/final_000003",
    });
    expect(saves()).toEqual(["final_000003"]);
    expect(linesOf(context, PATHS.metrics)).toHaveLength(3);
    expect(await state()).toMatchObject({
      step: 3,
      optimizer_updates: 3,
      dataset: { cursor: 3 },
      counters: { consecutive_empty_steps: 0 },
      last_checkpoint: { state_path: "tinker://S:train:0/weights/final_000003" },
    });
  });

  it("saves every save_every steps, and reuses the last such save as the final one", async () => {
    const { run, saves, context, state } = prepareRun({ config: { save_every: 2 }, steps: 4 });
    await run();
    const state_path = "tinker://S:train:0/weights/checkpoint_000004";
    expect(await state()).toMatchObject({ last_checkpoint: { state_path } });
    expect(saves()).toEqual(["checkpoint_000002", "checkpoint_000004"]);
    expect(linesOf(context, PATHS.checkpoints)).toHaveLength(3);
  });

  it("submits a save after its own update and before the next one", async () => {
    const { run, context } = prepareRun({ config: { rolling_save_every: 1 }, steps: 2 });
    await run();
    const step = ["forwardBackward", "optimStep", "ephemeralSampler"];
    expect(context.client.calls.slice(0, 8)).toEqual([
      "ephemeralSampler",
      ...step,
      "saveState rolling_000001",
      ...step,
    ]);
  });

  it("renews a rolling save before it expires when steps take hours", async () => {
    const slow = prepareRun({ config: { rolling_save_every: 4 }, steps: 7 });
    const { now } = slow.context.clock;
    let hours = 0;
    slow.context.clock.now = () => now.call(slow.context.clock) + hours * 3_600_000;
    duringRollouts(slow, 5, () => {
      hours = 13;
    });
    await slow.run();
    expect(slow.saves().slice(0, 2)).toEqual(["rolling_000004", "rolling_000006"]);
  });

  it("resumes from a saved position as if it had never stopped", async () => {
    const whole = prepareRun({ steps: 5 });
    await whole.run();
    const first = prepareRun({ steps: 3 });
    await first.run();
    const rest = prepareRun({ steps: 5 });
    await rest.run(await positionOf(first));
    expect([...first.sampler.requests, ...rest.sampler.requests]).toEqual(whole.sampler.requests);
    const losses = ({ context }: typeof whole) => context.client.lossCalls;
    expect([...losses(first), ...losses(rest)]).toEqual(losses(whole));
    const { counters, dataset, optimizer_updates } = (await whole.state()) ?? {};
    expect(await rest.state()).toMatchObject({ counters, dataset, optimizer_updates });
  });
});

function hasTurnAdvantages(line: unknown): boolean {
  return isJsonObject(line) && "turnAdvantages" in line;
}

describe("the loop with an agent that prints its reward", () => {
  it("trains on it by turn, as the reward of the last turn", async () => {
    const rewards = ["1", "0"];
    const printing: Agent = {
      settings: { timeoutMs: null, reward: "output" },
      run: async ({ model, tools, signal }) => {
        for (const content of ["What is 1 + 1?", "And 2 + 2?"]) {
          const request = readChatCompletion({
            model: "any",
            messages: [{ role: "user", content }],
          });
          await model.turn(request, { signal, needsLogprobs: true });
          await tools.call("answer", {});
        }
        return { code: 0, output: "", rewardLine: rewards.shift() ?? null };
      },
    };
    const { run, context } = prepareRun({
      agent: printing,
      config: { credit: "reward_to_go", discount: 0.5, advantage_calculation: "centered" },
      // What the session gives does not count.
      remote: scriptedEnvironment([{ onCall: () => result("", { reward: 7 }) }]),
      steps: 1,
    });
    expect(await run()).toMatchObject({ outcome: "done" });
    const scored = linesOf(context, stepPaths(FOLDER, 0).index).filter(hasTurnAdvantages);
    expect(scored).toMatchObject([
      { turnAdvantages: [0.25, 0.5] },
      { turnAdvantages: [-0.25, -0.5] },
    ]);
  });
});

describe("a loop that gets a stop command", () => {
  it("abandons the step in progress and saves the last completed one", async () => {
    const { run, context, saves, state } = prepareRun({ steps: null });
    context.client.sampler = scriptedSampler([ended(call("answer"))], {
      beforeAnswer: async () => {
        if (linesOf(context, PATHS.metrics).length === 2) context.control.stop();
      },
    });
    expect(await run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(saves()).toEqual(["interrupt_000002"]);
    expect((await state())?.step).toBe(2);
    expect(context.client.adamCalls).toHaveLength(2);
  });

  it("saves immediately when no step was completed", async () => {
    const { run, context, saves } = prepareRun();
    context.control.stop();
    expect(await run()).toMatchObject({ outcome: "stopped", step: 0 });
    expect(saves()).toEqual(["interrupt_000000"]);
  });

  it("succeeds when all steps were completed", async () => {
    const { run, context } = prepareRun({ steps: 1 });
    const { forwardBackward } = context.client;
    context.client.forwardBackward = (...call) => {
      context.control.stop();
      return forwardBackward.apply(context.client, call);
    };
    expect(await run()).toMatchObject({ outcome: "done", step: 1 });
  });
});

const SECRET = "open-sesame-9731";

it("a metric is not named after a secret that the model used as a tool name", async () => {
  const redactor = new Redactor();
  redactor.learn(SECRET);
  const onCall = () => result("", { reward: rewards.next().value ?? 0, finished: true });
  const rewards = [1, 0].values();
  const run = prepareRun({ steps: 1, redactor, remote: scriptedEnvironment([{ onCall }]) });
  run.context.client.sampler = scriptedSampler([ended(call(SECRET))]);
  await run.run();
  const names = run.rows().flatMap((row) => Object.keys(flattenMetrics(row as MetricsRow)));
  expect(names).toContain("rollout/tool/***/count");
  expect(names.join("\n")).not.toContain(SECRET);
});

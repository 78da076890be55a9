import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import type { Example } from "../../../../src/core/examples/example.ts";
import { createExampleSet } from "../../../../src/core/examples/exampleSet.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import { createRunReader } from "../../../../src/core/runFolder/reader.ts";
import { readUsage } from "../../../../src/core/runFolder/usageLog.ts";
import { runLoop } from "../../../../src/core/training/loop.ts";
import { type LoopPosition, START } from "../../../../src/core/training/step/loopPosition.ts";
import { SupervisedSteps } from "../../../../src/core/training/supervised/supervisedSteps.ts";
import { createTaskSequence } from "../../../../src/core/training/tasks/dataset.ts";
import { sha256 } from "../../../../src/node/hash.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { call, ended, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aRecord } from "../../runFolder/builders.ts";
import { aConfig, anEnvironment, anEvaluation, ENVIRONMENT } from "../builders.ts";
import { aContext, FOLDER, linesOf, PATHS } from "../fakeContext.ts";
import { resultOf } from "../fakeTrainingClient.ts";

const IDENTITY = { runId: "run", configHash: "h", generation: 1 };

/** Two prompt tokens, then `length` trained ones. */
function example(index: number, length = 2): Example {
  const ledger = new Ledger([1, 2]);
  ledger.addGivenTurn(
    Array.from({ length }, (_, i) => 10 * (index + 1) + i),
    true,
  );
  const record = aRecord({ reward: null, stop: "example" });
  const place = { source: "demos.jsonl", index, task: `${index}`, split: "train" } as const;
  return { ...place, streams: [ledger], record };
}

function prepare(changes: Partial<Config> = {}, examples = [0, 1, 2, 3].map((i) => example(i))) {
  const config = aConfig({
    method: "sft",
    batch_size: 2,
    held_out: 0,
    shuffle: false,
    save_every: 0,
    rolling_save_every: 0,
    environments: {},
    ...changes,
  });
  const { held_out: heldOut, seed, max_steps: totalSteps } = config;
  const set = createExampleSet(examples, { seed, heldOut, sha256 });
  const source = {
    environment: "data",
    split: "train",
    count: set.trained.length,
    shuffle: false,
    numSamples: null,
    weight: 1,
  };
  const sequence = createTaskSequence([source], seed, "proportional", sha256);
  const context = { ...aContext({ config, sequence, totalSteps }), examples: set };
  const run = () => context.clock.run(runLoop(context, START, IDENTITY));
  return { context, run, rows: () => linesOf(context, PATHS.metrics) };
}

describe("a step of supervised fine-tuning", () => {
  it("trains only the model's turns, with the same weight for each token", async () => {
    const { context, run } = prepare({ max_steps: 1 }, [example(0), example(1, 3)]);
    await run();
    expect(context.client.lossCalls).toEqual([
      {
        lossFn: "cross_entropy",
        lossConfig: {},
        forwardOnly: false,
        data: [
          {
            tokens: Int32Array.of(1, 2, 10),
            lossInputs: {
              target_tokens: Int32Array.of(2, 10, 11),
              weights: Float32Array.of(0, 1, 1),
            },
          },
          {
            tokens: Int32Array.of(1, 2, 20, 21),
            lossInputs: {
              target_tokens: Int32Array.of(2, 20, 21, 22),
              weights: Float32Array.of(0, 1, 1, 1),
            },
          },
        ],
      },
    ]);
  });

  it.each([
    ["token_mean", [1 / 5, 1 / 5]],
    ["sequence_mean", [1 / (2 * 2), 1 / (3 * 2)]],
  ] as const)("weighs tokens by %s", async (loss_normalization, weights) => {
    const { context, run } = prepare({ max_steps: 1, loss_normalization }, [
      example(0),
      example(1, 3),
    ]);
    await run();
    const [call] = context.client.lossCalls;
    const sent = call?.data.map(({ lossInputs }) => lossInputs["weights"]?.at(-1));
    expect(sent).toEqual(weights.map((weight) => Math.fround(weight)));
  });

  it("reports the mean loss of the trained tokens, and continues through the epochs", async () => {
    const { context, run, rows } = prepare({ max_steps: 3, num_epochs: 2 });
    context.client.answer = (call) => resultOf(call, -0.5 * context.client.lossCalls.length);
    const end = await run();
    expect([end.outcome, end.step]).toEqual(["done", 3]);
    expect(rows()).toMatchObject([
      { step: 0, loss: 0.5, num_examples: 2, train: { action_tokens: 4 }, progress: { epoch: 0 } },
      { step: 1, loss: 1, progress: { cursor: 4, epoch: 1, optim_updates: 2 } },
      { step: 2, loss: 1.5, progress: { cursor: 6, done_frac: 1 } },
    ]);
  });

  it("evaluates the alarms for each row, and reports when one begins", async () => {
    const { context, run, rows } = prepare({ max_steps: 10, num_epochs: 5 });
    // The first batch is number 1, and each loss is higher than the one before.
    context.client.answer = (call) => resultOf(call, -0.5 * context.client.lossCalls.length);
    await run();
    const stored = rows().map((row) => isJsonObject(row) && row["alarm"]);
    expect(stored[4]).toMatchObject({ loss_rise: 0, overfitting: 0 });
    expect(stored[5]).toMatchObject({ loss_rise: 1, overfitting: 0 });
    expect(context.recorded.map(({ step, data }) => [step, data["alarm"]])).toContainEqual([
      5,
      "loss_rise",
    ]);
    expect(rows()[0]).not.toHaveProperty("trend");
  });

  it("has the time that its batch trained, even while another step waited for an evaluation", async () => {
    const { context, rows } = prepare({ max_steps: 2 });
    const { clock } = context;
    // The service answers one request after another, each after a second.
    let before: Promise<void> = Promise.resolve();
    Object.defineProperty(context.client, "hold", {
      get: () => {
        before = before.then(() => clock.sleep(1000));
        return before;
      },
    });
    const steps = new SupervisedSteps();
    const run = async (position: LoopPosition, extraMs: number) => {
      const extra = clock.sleep(extraMs).then(() => ({}));
      const rest = { settingsHash: "", secondsUntilNow: () => 0, stepsAhead: () => 1 };
      return await steps.run({ context, position, extra, mayFollow: () => true, ...rest });
    };
    await clock.run(run(START, 10_000).then(({ position }) => run(position, 0)));
    expect(rows()).toMatchObject([
      { time: { train_s: 2 }, throughput: { trained_tok_s: 3 } },
      { time: { train_s: 2 }, throughput: { trained_tok_s: 3 } },
    ]);
  });

  it("submits the next update before it has the results of the previous one", async () => {
    const { context } = prepare({ max_steps: 2 });
    let release = (): void => undefined;
    context.client.hold = new Promise((resolve) => {
      release = resolve;
    });
    const running = runLoop(context, START, IDENTITY);
    await settle();
    expect(context.client.calls).toEqual([
      ...["forwardBackward", "optimStep"],
      ...["forwardBackward", "optimStep"],
    ]);
    release();
    await running;
  });

  it("evaluates the held-out examples after the first step, at each interval, and after the last", async () => {
    const examples = Array.from({ length: 10 }, (_, i) => example(i));
    const { context, run, rows } = prepare(
      { max_steps: 5, held_out: 0.2, held_out_every: 3 },
      examples,
    );
    context.client.answer = (call) => resultOf(call, call.forwardOnly ? -3 : -1);
    await run();
    const measured = { loss: 3, examples: 2, tokens: 4 };
    expect(rows().map((row) => isJsonObject(row) && row["held_out"])).toEqual([
      measured,
      undefined,
      measured,
      undefined,
      measured,
    ]);
  });

  it("stores its examples as rollouts with the model's log-probabilities", async () => {
    const { context, run } = prepare({ max_steps: 1 });
    await run();
    const reader = createRunReader(context.fileSystem, FOLDER);
    const [first] = await reader.rollouts(0);
    expect(first).toMatchObject({
      environment: "demos.jsonl",
      index: 0,
      stop: "example",
      score: { trainingUse: "trained", advantage: null },
    });
    const [place] = first?.tokenData ?? [];
    const tokens = place && (await reader.tokens({ source: "training", step: 0 }, place));
    expect(Array.from(tokens?.ids ?? [])).toEqual([1, 2, 10, 11]);
    expect(Array.from(tokens?.trainerLogprobs ?? []).slice(2)).toEqual([-1, -1]);
  });

  it("submits no further batch when one uses up the budget", async () => {
    const { context, run } = prepare({ max_steps: 2, max_tokens_total: 6 });
    expect(await run()).toMatchObject({ step: 1, ending: { code: "token-budget" } });
    expect(context.client.lossCalls).toHaveLength(1);
  });

  it.each(["at_start", "every"])(
    "sends no batch that a stop during an evaluation (%s) would leave behind",
    async (when) => {
      const how = when === "every" ? { every: 1 } : { at_start: true };
      const evaluation = anEvaluation({ num_samples: 1, temperatures: [0], ...how });
      const environments = { [ENVIRONMENT]: anEnvironment({}) };
      const { context, run } = prepare({ max_steps: 2, evaluation, environments });
      const sampler = scriptedSampler([ended(call("answer"))]);
      context.client.sampler = {
        ...sampler,
        sample: (request, options) => {
          context.control.stop();
          return sampler.sample(request, options);
        },
      };
      const { step } = await run();
      expect(step).toBe(when === "every" ? 1 : 0);
      expect(context.client.adamCalls).toHaveLength(step);
    },
  );

  it("ends the run when the loss is not a number, and counts the submitted tokens", async () => {
    const { context, run } = prepare({ max_steps: 2 });
    context.client.answer = (call) => resultOf(call, Number.NaN);
    await expect(run()).rejects.toMatchObject({ code: "training-not-finite" });
    const { training } = await readUsage(context.fileSystem, FOLDER);
    expect(training.trained).toBe(context.client.lossCalls.length * 6);
  });
});

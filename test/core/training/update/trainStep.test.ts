import { describe, expect, it } from "vitest";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import { tinkerError } from "../../../../src/core/tinker/transport/errors.ts";
import type { TrainingDatum } from "../../../../src/core/training/update/datums.ts";
import { trainStep } from "../../../../src/core/training/update/trainStep.ts";
import { sha256 } from "../../../../src/node/hash.ts";
import { FakeClock, settle } from "../../../fakes/fakeClock.ts";
import { aBatch, aConfig, aDatum, aDatumOfLength } from "../builders.ts";
import { FakeTrainingClient, type LossCall, resultOf } from "../fakeTrainingClient.ts";

type Changes = Parameters<typeof aConfig>[0];

function setUp() {
  const client = new FakeTrainingClient();
  const clock = new FakeClock();
  const saveSampler = () => client.ephemeralSampler();
  const train = async (
    data: readonly TrainingDatum[],
    changes: Changes = {},
    learningRate = 1e-3,
  ) => {
    const services = { client, clock, saveSampler, step: 3, sha256 };
    const { trained } = await trainStep(services, aBatch(data), aConfig(changes), learningRate);
    return await trained;
  };
  return { client, clock, train };
}

/** Two turns of one token each, with a tool result between them. */
function aDatumWithGap(): TrainingDatum {
  const ledger = new Ledger([1, 2]);
  ledger.addTurn([4], [-0.5]);
  ledger.addContext([], [7]);
  ledger.addTurn([5], [-0.25]);
  return aDatum({ ledger, advantage: 2 });
}

const fourGroups = [0, 1, 2, 3].map((group) => aDatumOfLength(5, group));

describe("a training step", () => {
  it("submits everything before it waits for anything", async () => {
    const { client, train } = setUp();
    const { promise, resolve } = withResolver();
    client.hold = promise;
    const training = train(fourGroups, { num_substeps: 2 });
    await settle();
    expect(client.calls).toEqual([
      "forwardBackward",
      "optimStep",
      "forwardBackward",
      "optimStep",
      "ephemeralSampler",
    ]);
    resolve();
    expect((await training).sampler.samplerId).toBe("next");
  });

  it("names the likely cause when the service refuses data for stable_reinforce", async () => {
    const { client, train } = setUp();
    client.forwardBackward = async () => {
      throw tinkerError("tinker-request-failed", "Tinker could not: unknown sequence");
    };
    const ledger = new Ledger([1, 2]);
    ledger.addTurn([4], [-0.5], "q");
    const config = { loss_fn: "stable_reinforce" } as const;
    await expect(train([aDatum({ ledger })], config)).rejects.toMatchObject({
      code: "tinker-request-failed",
      message: expect.stringMatching(
        /unknown sequence\. loss_fn: stable_reinforce trains only on samples .* resume the run/,
      ),
    });
    await expect(train(fourGroups)).rejects.toThrow(/unknown sequence\. Remove the cause/);
  });

  it("sends each substep's groups in order, with exactly the three loss inputs", async () => {
    const { client, train } = setUp();
    await train(fourGroups, { num_substeps: 2 });
    expect(client.lossCalls.map(({ data }) => data.length)).toEqual([2, 2]);
    const sent = client.lossCalls.flatMap(({ data }) => data);
    expect(sent.map(({ tokens }) => tokens)).toEqual(fourGroups.map(({ tokens }) => tokens));
    for (const { lossInputs } of sent) {
      expect(Object.keys(lossInputs)).toEqual(["target_tokens", "logprobs", "advantages"]);
    }
  });

  it("passes on the loss and the optimizer settings", async () => {
    const { client, train } = setUp();
    const loss_fn_config = { clip_high_threshold: 1.28 };
    await train([aDatum()], { loss_fn_config, adam_eps: 1e-8, grad_clip_norm: 2 }, 4e-5);
    expect(client.lossCalls[0]).toMatchObject({ lossFn: "ppo", lossConfig: loss_fn_config });
    expect(client.adamCalls).toEqual([
      {
        learning_rate: 4e-5,
        beta1: 0.9,
        beta2: 0.95,
        eps: 1e-8,
        weight_decay: 0,
        grad_clip_norm: 2,
      },
    ]);
  });

  it("returns the log-probs in data order, and the loss of all substeps", async () => {
    const { client, train } = setUp();
    client.answer = (call) => resultOf(call, -client.lossCalls.indexOf(call) - 1);
    const trained = await train(fourGroups, { num_substeps: 2 });
    expect(trained.logprobs.map((row) => row[0])).toEqual([-1, -1, -2, -2]);
    expect(trained).toMatchObject({ loss: 4, substeps: 2 });
    expect(trained.serverMetrics).toEqual({
      "loss:sum": 4,
      "tokens:mean": 2,
      "grad_norm:mean": 1.5,
    });
  });

  it("averages norms, losses, and means over substeps, adds sums, keeps extremes, and takes the last of other metrics", async () => {
    const { client, train } = setUp();
    client.answer = (call) => {
      const nth = client.lossCalls.indexOf(call) + 1;
      const metrics = {
        "x:max": 5 - nth,
        "x:min": nth,
        "x:mean": nth,
        "skyrl.ai/loss": nth,
        y: nth,
      };
      return { ...resultOf(call, -1), metrics };
    };
    const trained = await train(fourGroups, { num_substeps: 2 });
    expect(trained.serverMetrics).toEqual({
      "x:max": 4,
      "x:min": 1,
      "x:mean": 1.5,
      "skyrl.ai/loss": 1.5,
      y: 2,
      "grad_norm:mean": 1.5,
    });
  });

  it("has no loss when the service reports none", async () => {
    const { client, train } = setUp();
    client.answer = (call) => ({ ...resultOf(call, -1), metrics: {} });
    expect((await train([aDatum()])).loss).toBeNull();
  });

  it("sums the token losses when the service reports only those", async () => {
    const { client, train } = setUp();
    client.answer = (call) => ({
      outputs: resultOf(call, -1).outputs.map((output) => ({
        ...output,
        losses: output.logprobs.map(() => 0.5),
      })),
      metrics: {},
    });
    const data = [aDatumOfLength(5, 0), aDatumOfLength(3, 1)];
    expect((await train(data, { num_substeps: 2 })).loss).toBe(4);
  });

  it.each<[string, number, number]>([
    ["the loss", Number.NaN, -1],
    ["a log-prob", 1, Number.NEGATIVE_INFINITY],
  ])("fails when %s is not a number", async (_name, loss, logprob) => {
    const { client, train } = setUp();
    client.answer = (call) => ({ ...resultOf(call, logprob), metrics: { "loss:sum": loss } });
    await expect(train([aDatum()])).rejects.toMatchObject({
      code: "training-not-finite",
      message: expect.stringMatching(/Resume from the last checkpoint/),
    });
  });

  it("measures the sampler's time from the moment the training results arrive", async () => {
    const { client, clock, train } = setUp();
    const { ephemeralSampler } = client;
    client.ephemeralSampler = async () => {
      await clock.sleep(3_000);
      return ephemeralSampler.call(client);
    };
    expect((await clock.run(train([aDatum()]))).samplerS).toBe(3);
  });
});

describe("a training step of several passes", () => {
  const groups = Array.from({ length: 8 }, (_, group) => aDatumOfLength(5 + group, group));
  const lengths = ({ data }: LossCall) => data.map(({ tokens }) => tokens.length);

  it("trains each datum once per pass: the first in data order, each later pass in its own order", async () => {
    const { client, train } = setUp();
    await train(groups, { num_passes: 3, num_substeps: 2 });
    expect(client.calls).toHaveLength(3 * 2 * 2 + 1);
    const updates = client.lossCalls.map(lengths);
    const passes = [0, 2, 4].map((i) => updates.slice(i, i + 2).flat());
    const inOrder = groups.map(({ tokens }) => tokens.length);
    expect(passes[0]).toEqual(inOrder);
    for (const pass of passes) expect(pass.toSorted((a, b) => a - b)).toEqual(inOrder);
    expect(new Set(passes.map(String)).size).toBe(3);
  });

  it("starts with the update of a single pass, and repeats identically", async () => {
    const run = async (changes: Changes) => {
      const { client, train } = setUp();
      await train(groups, { num_substeps: 2, ...changes });
      return client.lossCalls;
    };
    const twice = await run({ num_passes: 2 });
    expect(twice.slice(0, 2)).toEqual(await run({}));
    expect(await run({ num_passes: 2 })).toEqual(twice);
    expect((await run({ num_passes: 2, seed: 7 })).slice(2)).not.toEqual(twice.slice(2));
  });

  it("returns the log-probs of the first and the last pass in data order, and the mean loss over passes", async () => {
    const { client, train } = setUp();
    client.answer = (call) => {
      const later = client.lossCalls.indexOf(call) < 2 ? 0 : 100;
      const outputs = call.data.map(({ tokens: { length } }) => ({
        logprobs: new Float32Array(length).fill(-length - later),
      }));
      return { outputs, metrics: { "loss:sum": 2 } };
    };
    const trained = await train(groups, { num_passes: 2, num_substeps: 2 });
    const inOrder = groups.map(({ tokens }) => -tokens.length);
    expect(trained.logprobs.map((row) => row[0])).toEqual(inOrder);
    expect(trained.lastLogprobs?.map((row) => row[0])).toEqual(inOrder.map((own) => own - 100));
    expect(trained).toMatchObject({ loss: 4, substeps: 4 });
    expect((await setUp().train(groups)).lastLogprobs).toBeNull();
  });

  it("requests the learner's own log-probs before each update with dro", async () => {
    const { client, train } = setUp();
    await train(groups, { loss_fn: "dro", num_passes: 2, num_substeps: 2 });
    const forward = client.lossCalls.filter(({ forwardOnly }) => forwardOnly);
    expect(forward).toHaveLength(4);
  });
});

describe("a training step with dro", () => {
  const dro = { loss_fn: "dro" } as const;

  it("gives positions that were not sampled the learner's own log-probs", async () => {
    const { client, train } = setUp();
    client.answer = (call) => resultOf(call, call.forwardOnly ? -3 : -1);
    await train([aDatumWithGap()], dro);
    expect(client.calls.slice(0, 3)).toEqual(["forward", "forwardBackward", "optimStep"]);
    const [forward, backward] = client.lossCalls;
    expect(forward?.lossFn).toBe("importance_sampling");
    expect(backward?.lossFn).toBe("dro");
    // Targets: prompt, sampled, tool result, sampled.
    const inputs = backward?.data[0]?.lossInputs;
    expect(inputs?.["logprobs"]).toEqual(Float32Array.of(-3, -0.5, -3, -0.25));
    expect(inputs?.["advantages"]).toEqual(Float32Array.of(0, 2, 0, 2));
  });

  it("recomputes them for every substep, from the weights at that substep", async () => {
    const { client, train } = setUp();
    await train(fourGroups, { ...dro, num_substeps: 2 });
    const one = ["forward", "forwardBackward", "optimStep"];
    expect(client.calls).toEqual([...one, ...one, "ephemeralSampler"]);
    expect(client.lossCalls[2]?.data).toHaveLength(2);
  });

  it("always sends a coefficient, its own default when none is configured", async () => {
    const betaOf = async (loss_fn_config: Readonly<Record<string, number>>) => {
      const { client, train } = setUp();
      await train([aDatum()], { ...dro, loss_fn_config });
      return client.lossCalls[1]?.lossConfig;
    };
    expect(await betaOf({})).toEqual({ beta: 0.05 });
    expect(await betaOf({ beta: 0.1 })).toEqual({ beta: 0.1 });
  });
});

function withResolver() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

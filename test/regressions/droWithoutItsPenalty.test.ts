import { describe, expect, it } from "vitest";
import { evaluateLoss } from "../../src/local/engine/losses.ts";
import { type Played, playStep } from "../core/training/playedStep.ts";

const MIXED: readonly Played[] = [
  { reward: 1, length: 0 },
  { reward: 0.5, length: 2 },
  { reward: 0, length: 0 },
];
const DRO = { loss_fn: "dro", loss_fn_config: { beta: 0.5 } } as const;

describe("dro", () => {
  it("has a gradient where the advantage is 0: beta times the distance of the log-probs", () => {
    const datum = {
      tokens: Int32Array.of(1),
      targets: Int32Array.of(2),
      weights: Float32Array.of(0),
      logprobs: Float32Array.of(-0.5),
    };
    const p = Float32Array.of(-1.5);
    const { loss, coefficients } = evaluateLoss(
      { name: "dro", beta: 0.5, clipLow: 0, clipHigh: 0 },
      datum,
      p,
    );
    // 0.5 * 0.5 * (-1.5 + 0.5)^2, and its derivative 0.5 * (-1.5 + 0.5).
    expect([loss, ...coefficients]).toEqual([0.25, -0.5]);
  });

  it("gets rollouts with an advantage of 0, with the sampler's log-probs to stay close to", async () => {
    const { client } = await playStep([MIXED], DRO);
    const backward = client.lossCalls.find(({ forwardOnly }) => !forwardOnly);
    expect(backward?.data.map(({ lossInputs }) => lossInputs["advantages"]?.at(-1))).toEqual([
      0.5, 0, -0.5,
    ]);
    expect(backward?.data[1]?.lossInputs["logprobs"]?.at(-1)).toBe(-0.5);
  });

  it("trains a step in which every advantage is 0", async () => {
    const equal = [1, 1].map((reward) => ({ reward, length: 0 }));
    const { client, output } = await playStep([equal], { ...DRO, zero_variance: "keep" });
    expect(client.calls).toEqual(["forward", "forwardBackward", "optimStep", "ephemeralSampler"]);
    expect(output.trained).not.toBeNull();
  });

  it("without a penalty gets no more than other losses", async () => {
    const { client } = await playStep([MIXED], { loss_fn: "dro", loss_fn_config: { beta: 0 } });
    expect(client.lossCalls.at(-1)?.data).toHaveLength(2);
  });
});

it.each(["importance_sampling", "ppo", "cispo"] as const)(
  "%s gets no rollout with an advantage of 0, which would change nothing",
  async (loss_fn) => {
    const { client } = await playStep([MIXED], { loss_fn });
    expect(client.lossCalls[0]?.data).toHaveLength(2);
  },
);

import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import { resultOf } from "../fakeTrainingClient.ts";
import { type Played, playStep } from "../playedStep.ts";

const GROUPS: readonly (readonly Played[])[] = [
  [
    { reward: 1, length: 0 },
    { reward: 0, length: 2 },
  ],
  [
    { reward: 1, length: 1 },
    { reward: 0, length: 0 },
  ],
];

const DRO: Partial<Config> = { loss_fn: "dro", loss_fn_config: { beta: 0.5 } };

it("dro with a correction uses the trainer's log-probs, also for tokens that were not sampled", async () => {
  const { client } = await playStep(GROUPS, { ...DRO, off_policy_correction: "tis" });
  const [asked, trained] = client.lossCalls;
  if (asked === undefined) throw new Error("nothing was asked for");
  const known = resultOf(asked, -1).outputs.map(({ logprobs }) => logprobs);
  expect(trained?.data.map(({ lossInputs }) => lossInputs["logprobs"])).toEqual(known);
});

const MIXED: readonly Played[] = [
  { reward: 1, length: 0 },
  { reward: 0.5, length: 2 },
  { reward: 0, length: 0 },
];

const plainDRO = { loss_fn: "dro", loss_fn_config: { beta: 0.5 } } as const;

describe("dro", () => {
  it("includes rollouts with an advantage of 0, with the sampler's log-probs to stay close to", async () => {
    const { client } = await playStep([MIXED], plainDRO);
    const backward = client.lossCalls.find(({ forwardOnly }) => !forwardOnly);
    expect(backward?.data.map(({ lossInputs }) => lossInputs["advantages"]?.at(-1))).toEqual([
      0.5, 0, -0.5,
    ]);
    expect(backward?.data[1]?.lossInputs["logprobs"]?.at(-1)).toBe(-0.5);
  });

  it("trains a step in which every advantage is 0", async () => {
    const equal = [1, 1].map((reward) => ({ reward, length: 0 }));
    const { client, output } = await playStep([equal], { ...plainDRO, zero_variance: "keep" });
    expect(client.calls).toEqual(["forward", "forwardBackward", "optimStep", "ephemeralSampler"]);
    expect(output.trained).not.toBeNull();
  });
});

import { expect, it } from "vitest";
import type { Config } from "../../src/core/config/fields/schema.ts";
import { resultOf } from "../core/training/fakeTrainingClient.ts";
import { type Played, playStep } from "../core/training/playedStep.ts";

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

// Each of the two needs the same numbers, and each made a forward pass of the whole batch.
it.each(["icepop", "sequence_mask"] as const)(
  "dro with off_policy_correction %s makes one forward pass before the first update",
  async (correction) => {
    const { client } = await playStep(GROUPS, {
      ...DRO,
      off_policy_correction: correction,
      off_policy_correction_config: { ratio_low: 0.1, ratio_high: 10 },
    });
    expect(client.calls).toEqual(["forward", "forwardBackward", "optimStep", "ephemeralSampler"]);
  },
);

it("dro with a correction asks again once the weights have moved", async () => {
  const config = { ...DRO, off_policy_correction: "tis", num_substeps: 2 } as const;
  const { client } = await playStep(GROUPS, config);
  expect(client.calls).toEqual([
    ...["forward", "forwardBackward", "optimStep"],
    ...["forward", "forwardBackward", "optimStep"],
    "ephemeralSampler",
  ]);
});

it("dro with a correction starts from the trainer's log-probs, also where nothing was sampled", async () => {
  const { client } = await playStep(GROUPS, { ...DRO, off_policy_correction: "tis" });
  const [asked, trained] = client.lossCalls;
  if (asked === undefined) throw new Error("nothing was asked for");
  const known = resultOf(asked, -1).outputs.map(({ logprobs }) => logprobs);
  expect(trained?.data.map(({ lossInputs }) => lossInputs["logprobs"])).toEqual(known);
});

import { expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import type { LossCall } from "../fakeTrainingClient.ts";
import { type Played, playStep, sampledTokens } from "../playedStep.ts";

/** Centered, the first group has the advantages 1/2, 0, and -1/2, and the second has 0 three times. */
const MIXED: readonly Played[] = [
  { reward: 1, length: 0 },
  { reward: 0.5, length: 8 },
  { reward: 0, length: 4 },
];
const EQUAL: readonly Played[] = [
  { reward: 1, length: 3 },
  { reward: 1, length: 7 },
  { reward: 1, length: 5 },
];
const [a, b, c] = MIXED.map(sampledTokens) as [number, number, number];
const [d, e, f] = EQUAL.map(sampledTokens) as [number, number, number];

/** The advantage of the last token of each datum of an update. */
function advantages(call: LossCall | undefined): readonly (number | undefined)[] {
  return (call?.data ?? []).map(({ lossInputs }) => lossInputs["advantages"]?.at(-1));
}

type Normalization = Config["loss_normalization"];

/** The two advantages that are sent, doubled. */
async function sent(changes: Pick<Config, "loss_normalization" | "zero_variance">) {
  const { client } = await playStep([MIXED, EQUAL], { ...changes, max_response_tokens: 100 });
  const [call] = client.lossCalls;
  // Datums with an advantage of 0 would cost as much as the others and change nothing.
  expect(call?.data).toHaveLength(2);
  return advantages(call).map((advantage) => 2 * (advantage ?? 0));
}

it.each<[Normalization, readonly [number, number]]>([
  ["token_sum", [1, 1]],
  ["token_mean", [1 / (a + b + c + d + e + f), 1 / (a + b + c + d + e + f)]],
  ["sequence_mean", [1 / (a * 6), 1 / (c * 6)]],
  ["group_mean", [1 / ((a + b + c) * 2), 1 / ((a + b + c) * 2)]],
  ["constant", [1 / (6 * 100), 1 / (6 * 100)]],
])("%s counts rollouts with an advantage of 0", async (loss_normalization, [first, last]) => {
  const found = await sent({ loss_normalization, zero_variance: "keep" });
  expect(found).toEqual([expect.closeTo(first, 8), expect.closeTo(-last, 8)]);
});

it.each<[Normalization, readonly [number, number]]>([
  ["token_mean", [1 / (a + b + c), 1 / (a + b + c)]],
  ["sequence_mean", [1 / (a * 3), 1 / (c * 3)]],
  ["group_mean", [1 / (a + b + c), 1 / (a + b + c)]],
  ["constant", [1 / (3 * 100), 1 / (3 * 100)]],
])("%s does not count a group that is left out", async (loss_normalization, [first, last]) => {
  const found = await sent({ loss_normalization, zero_variance: "drop" });
  expect(found).toEqual([expect.closeTo(first, 8), expect.closeTo(-last, 8)]);
});

it("a group that sends nothing counts toward the update of the previous group", async () => {
  const { client } = await playStep([EQUAL, MIXED, EQUAL, MIXED, EQUAL], {
    loss_normalization: "group_mean",
    zero_variance: "keep",
    num_substeps: 2,
  });
  expect(client.lossCalls.map(({ data }) => data.length)).toEqual([2, 2]);
  const tokens = a + b + c;
  // The first update has three groups, including the leading one that sends nothing; the second has two.
  expect(advantages(client.lossCalls[0])[0]).toBeCloseTo(1 / 2 / (tokens * 3), 8);
  expect(advantages(client.lossCalls[1])[0]).toBeCloseTo(1 / 2 / (tokens * 2), 8);
});

it("rollouts that all have an advantage of 0 make no update", async () => {
  const { client, output } = await playStep([EQUAL], { zero_variance: "keep" });
  expect(client.calls).toEqual([]);
  expect(output.trained).toBeNull();
});

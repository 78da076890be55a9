import { describe, expect, it } from "vitest";
import { lossFactors } from "../../../../src/core/training/update/lossNormalization.ts";
import { aDatumWithTurn, asCounted } from "../builders.ts";

/** Two groups; the second rollout of the first is in two pieces. */
const DATA = [
  aDatumWithTurn(2, { group: 0, rollout: 0 }),
  aDatumWithTurn(3, { group: 0, rollout: 1 }),
  aDatumWithTurn(5, { group: 0, rollout: 1 }),
  aDatumWithTurn(10, { group: 1, rollout: 0 }),
];

describe("the factors of the advantages", () => {
  it.each([
    ["token_sum", [1, 1, 1, 1]],
    ["token_mean", [1 / 20, 1 / 20, 1 / 20, 1 / 20]],
    ["sequence_mean", [1 / 6, 1 / 24, 1 / 24, 1 / 30]],
    ["group_mean", [1 / 20, 1 / 20, 1 / 20, 1 / 20]],
    ["constant", [1 / 300, 1 / 300, 1 / 300, 1 / 300]],
  ] as const)("of %s", (loss_normalization, expected) => {
    const factors = lossFactors(DATA, DATA.map(asCounted), {
      loss_normalization,
      max_response_tokens: 100,
    });
    factors.forEach((factor, i) => {
      expect(factor).toBeCloseTo(expected[i] ?? 0, 12);
    });
  });

  it("of group_mean let groups of different lengths count alike", () => {
    const [short, , , long] = [...DATA.slice(0, 3), aDatumWithTurn(40, { group: 1 })];
    const data = [short, long].flatMap((datum) => datum ?? []);
    const config = { loss_normalization: "group_mean", max_response_tokens: 100 } as const;
    expect(lossFactors(data, data.map(asCounted), config)).toEqual([1 / 4, 1 / 80]);
  });
});

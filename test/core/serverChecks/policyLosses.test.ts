import { describe, expect, it } from "vitest";
import { lossParameters } from "../../../src/core/config/rules/lossDefaults.ts";
import { type DocumentedLoss, policyLoss } from "../../../src/core/serverChecks/policyLosses.ts";

/** p, q, advantage; then the values of the single-token losses with their default parameters. */
const VECTORS = [
  [-1, -1.2, 1.5, -1.8321041, -1.8, 1.8321041, 1.501],
  [-1, -1.2, -1.5, 1.8321041, 1.8321041, -1.8321041, -1.499],
  [-2, -0.5, 1, -0.2231302, -0.2231302, 0.4462603, 2.05625],
  [-0.1, -2.5, -1, 11.0231764, 11.0231764, -0.4, 0.044],
] as const;
const LOSSES: readonly DocumentedLoss[] = ["importance_sampling", "ppo", "cispo", "dro"];

describe.each(VECTORS)("at p %f, q %f and advantage %f", (p, q, advantage, ...expected) => {
  it.each(LOSSES.map((loss, i) => [loss, expected[i]] as const))("%s is %f", (loss, value) => {
    const parameters = lossParameters({ loss_fn: loss, loss_fn_config: {} });
    const [own] = policyLoss(loss, parameters)([{ p, q, advantage }]);
    expect(own).toBeCloseTo(value ?? 0, 6);
  });
});

it("gspo uses the sequence ratio for every token", () => {
  const parameters = { clip_low_threshold: 0.9, clip_high_threshold: 1.1 };
  const tokens = [
    { p: -1, q: -1.2, advantage: 1.5 },
    { p: -2, q: -2.1, advantage: -1 },
    { p: -0.5, q: -3, advantage: 0 },
  ];
  // exp((0.2 + 0.1) / 2) = 1.1618342, which the bound 1.1 clips only for the first token.
  expect(policyLoss("gspo", parameters)(tokens)).toEqual([
    expect.closeTo(-1.65, 6),
    expect.closeTo(1.1618342, 6),
    expect.closeTo(0, 6),
  ]);
});

describe("the parameters of a loss", () => {
  it("come from the configuration before the defaults", () => {
    const loss_fn_config = { clip_high_threshold: 1.28 };
    expect(lossParameters({ loss_fn: "ppo", loss_fn_config })).toEqual({
      clip_low_threshold: 0.8,
      clip_high_threshold: 1.28,
    });
  });
});

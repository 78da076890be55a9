import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import type { TrainingDatum } from "../../../../src/core/training/update/datums.ts";
import {
  correctOffPolicy,
  isMasked,
} from "../../../../src/core/training/update/offPolicyCorrection.ts";
import { aConfig, aDatum } from "../builders.ts";

/** Two turns of one token each, with a context token between them. */
function datum(place: Partial<TrainingDatum>, q: readonly [number, number], advantage: number) {
  const ledger = new Ledger([1, 2]);
  ledger.addTurn([5], [q[0]]);
  ledger.addContext([], [6]);
  ledger.addTurn([7], [q[1]]);
  return { ...aDatum({ ledger, advantage }), ...place };
}

/** Trainer log-probabilities that give these ratios for the two turns. */
function trainerAt({ logprobs }: TrainingDatum, [first, second]: readonly [number, number]) {
  return Float32Array.of(
    -9,
    (logprobs[1] ?? 0) + Math.log(first),
    -9,
    (logprobs[3] ?? 0) + Math.log(second),
  );
}

const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 5));

/** Two rollouts; the ratios of their four trained tokens are 0.25, 1.5, 4, and 8. */
const data = [datum({ rollout: 0 }, [-1, -2], 2), datum({ rollout: 1 }, [-1, -2], -1)];
type Ratios = readonly (readonly [number, number])[];
const RATIOS: Ratios = [
  [0.25, 1.5],
  [4, 8],
];

function correct(changes: Partial<Config>, given = data, ratios: Ratios = RATIOS) {
  const trainer = given.map((one, d) => trainerAt(one, ratios[d] ?? [1, 1]));
  const corrected = correctOffPolicy(given, trainer, aConfig(changes));
  const kept = corrected.data.filter((each) => !isMasked(each));
  return { trainer, ...corrected, kept };
}

describe("truncated importance sampling", () => {
  it("weighs each token by its ratio, up to the bound", () => {
    const { data: corrected, metrics } = correct({ off_policy_correction: "tis" });
    // 0.25 and 1.5 times 2; the bound 2 for both times -1.
    expect(corrected.map(({ advantages }) => [...advantages])).toEqual([
      close([0, 0.5, 0, 3]),
      close([0, -2, 0, -2]),
    ]);
    expect(metrics).toEqual({
      off_policy_weight_mean: expect.closeTo((0.25 + 1.5 + 2 + 2) / 4, 5),
      off_policy_truncated_frac: 0.5,
    });
  });

  it("uses the trainer's log-probabilities for the loss ratio, and keeps the sampler's for the record", () => {
    const { data: corrected, trainer } = correct({ off_policy_correction: "tis" });
    expect([...(corrected[0]?.oldLogprobs ?? [])]).toEqual([
      0,
      trainer[0]?.[1],
      0,
      trainer[0]?.[3],
    ]);
    expect(corrected[0]?.logprobs).toEqual(data[0]?.logprobs);
  });

  it("uses the configured bound", () => {
    const bounds = { off_policy_correction_config: { ratio_high: 5 } };
    const { data: corrected } = correct({ off_policy_correction: "tis", ...bounds });
    expect([...(corrected[1]?.advantages ?? [])]).toEqual(close([0, -4, 0, -5]));
  });
});

describe("icepop", () => {
  it("weighs tokens by their ratio within the bounds, and others by 0", () => {
    const { data: corrected, metrics } = correct({ off_policy_correction: "icepop" });
    expect(corrected.map(({ advantages }) => [...advantages])).toEqual([
      close([0, 0, 0, 3]),
      close([0, -4, 0, 0]),
    ]);
    expect(metrics).toEqual({
      off_policy_weight_mean: expect.closeTo((1.5 + 4) / 4, 5),
      off_policy_masked_frac: 0.5,
    });
  });

  it("masks a datum whose tokens all have weight 0", () => {
    const bounds = { off_policy_correction_config: { ratio_high: 2 } };
    const { kept, metrics } = correct({ off_policy_correction: "icepop", ...bounds });
    expect(kept.map(({ rollout }) => rollout)).toEqual([0]);
    expect(metrics).toMatchObject({ off_policy_masked_frac: 0.75 });
  });
});

describe("a sequence mask", () => {
  const masked = (given: readonly TrainingDatum[], ratios: Ratios) =>
    correct({ off_policy_correction: "sequence_mask" }, [...given], ratios);

  it("leaves a rollout out by the geometric mean of its ratios, and leaves other weights at 1", () => {
    // The means are sqrt(0.5 · 2.01) = 1.00250 and sqrt(1.01 · 1.02) = 1.01499.
    const { kept: corrected, metrics } = masked(data, [
      [0.5, 2.01],
      [1.01, 1.02],
    ]);
    expect(corrected.map(({ rollout }) => rollout)).toEqual([0]);
    expect([...(corrected[0]?.advantages ?? [])]).toEqual([0, 2, 0, 2]);
    expect(corrected[0]?.oldLogprobs).toBeUndefined();
    expect(metrics).toEqual({ off_policy_weight_mean: 0.5, off_policy_masked_frac: 0.5 });
  });

  it("judges all streams of a rollout together", () => {
    const streams = [
      datum({ rollout: 0, stream: 0 }, [-1, -2], 1),
      datum({ rollout: 0, stream: 1 }, [-1, -2], 1),
    ];
    // Each stream alone is out of the bounds; 2 · 2 · 0.5 · 0.5 = 1.
    const { kept: corrected } = masked(streams, [
      [2, 2],
      [0.5, 0.5],
    ]);
    expect(corrected).toHaveLength(2);
  });

  it("may mask everything", () => {
    expect(masked(data, RATIOS)).toMatchObject({
      kept: [],
      metrics: { off_policy_weight_mean: 0 },
    });
  });
});

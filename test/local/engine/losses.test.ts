import { describe, expect, it } from "vitest";
import type { EngineDatum, LossSpec } from "../../../src/local/engine/engine.ts";
import { evaluateLoss } from "../../../src/local/engine/losses.ts";

const PPO: LossSpec = { name: "ppo", clipLow: 0.8, clipHigh: 1.2, beta: 0 };
const CISPO: LossSpec = { name: "cispo", clipLow: 0, clipHigh: 4, beta: 0 };
const DRO: LossSpec = { name: "dro", clipLow: 0, clipHigh: 0, beta: 0.05 };
const IMPORTANCE: LossSpec = { name: "importance_sampling", clipLow: 0, clipHigh: 0, beta: 0 };
const CROSS_ENTROPY: LossSpec = { name: "cross_entropy", clipLow: 0, clipHigh: 0, beta: 0 };
const RATIO_LOSSES = [IMPORTANCE, PPO, CISPO];

interface Token {
  /** Log-prob of the learner, log-prob of the sampler, advantage or weight. */
  readonly p: number;
  readonly q: number;
  readonly a: number;
}

function datum(tokens: readonly Token[]): EngineDatum {
  return {
    tokens: new Int32Array(tokens.length),
    targets: new Int32Array(tokens.length),
    weights: Float32Array.from(tokens, ({ a }) => a),
    logprobs: Float32Array.from(tokens, ({ q }) => q),
  };
}

function evaluate(spec: LossSpec, token: Token): { readonly loss: number; readonly slope: number } {
  const { loss, coefficients } = evaluateLoss(spec, datum([token]), Float32Array.of(token.p));
  return { loss, slope: coefficients[0] ?? Number.NaN };
}

/** A token whose learner is `ratio` times as likely as its sampler. */
function atRatio(ratio: number, a: number): Token {
  return { p: -1, q: -1 - Math.log(ratio), a };
}

// One row per token: p, q and advantage, then one value per loss, by the formulas of docs/protocols/tinker.md#losses.
const TABLE = [
  [-1, -1.2, 1.5, -1.8321041, -1.8, 1.8321041, 1.501],
  [-1, -1.2, -1.5, 1.8321041, 1.8321041, -1.8321041, -1.499],
  [-2, -0.5, 1, -0.2231302, -0.2231302, 0.4462603, 2.05625],
  [-0.1, -2.5, -1, 11.0231764, 11.0231764, -0.4, 0.044],
] as const;

describe("the losses", () => {
  it.each(TABLE)(
    "have their published values at p %d, q %d, advantage %d",
    (p, q, a, ...values) => {
      for (const [index, spec] of [IMPORTANCE, PPO, CISPO, DRO].entries()) {
        const difference = evaluate(spec, { p, q, a }).loss - (values[index] ?? Number.NaN);
        // Log-probs arrive as 32-bit floats.
        expect(Math.abs(difference), spec.name).toBeLessThan(2e-6);
      }
    },
  );

  it("weigh the log-prob for cross entropy", () => {
    const { loss, slope } = evaluate(CROSS_ENTROPY, { p: -2, q: 0, a: 0.25 });
    expect({ loss, slope }).toEqual({ loss: 0.5, slope: -0.25 });
  });

  it("are sums over tokens", () => {
    const tokens = TABLE.map(([p, q, a]) => ({ p, q, a }));
    for (const spec of [CROSS_ENTROPY, IMPORTANCE, PPO, CISPO, DRO]) {
      const whole = evaluateLoss(
        spec,
        datum(tokens),
        Float32Array.from(tokens, ({ p }) => p),
      );
      const single = tokens.map((token) => evaluate(spec, token));
      expect(whole.loss).toBeCloseTo(
        single.reduce((sum, { loss }) => sum + loss, 0),
        9,
      );
      expect(Array.from(whole.coefficients)).toEqual(single.map(({ slope }) => slope));
    }
  });
});

/** Central difference in steps that 32-bit log-probs hold exactly. */
function numericSlope(spec: LossSpec, token: Token): number {
  const h = 2 ** -10;
  const at = (p: number): number => evaluate(spec, { ...token, p }).loss;
  return (at(token.p + h) - at(token.p - h)) / (2 * h);
}

describe("the derivatives", () => {
  const around = [0.25, 0.79, 0.81, 1, 1.19, 1.21, 3.9].flatMap((ratio) =>
    [1.5, -1.5].map((a) => atRatio(ratio, a)),
  );

  it.each([CROSS_ENTROPY, IMPORTANCE, PPO, DRO])("of $name match finite differences", (spec) => {
    for (const token of around) {
      const numeric = numericSlope(spec, token);
      const allowed = 1e-4 * Math.max(1, Math.abs(numeric));
      expect(Math.abs(evaluate(spec, token).slope - numeric), JSON.stringify(token)).toBeLessThan(
        allowed,
      );
    }
  });

  it("of cispo hold the clipped ratio constant", () => {
    const spec: LossSpec = { ...CISPO, clipLow: 0.8, clipHigh: 1.2 };
    expect(evaluate(spec, atRatio(0.25, 2)).slope).toBeCloseTo(-1.6, 6);
    expect(evaluate(spec, atRatio(1.1, 2)).slope).toBeCloseTo(-2.2, 6);
    expect(evaluate(spec, atRatio(5, 2)).slope).toBeCloseTo(-2.4, 6);
    expect(evaluate(spec, atRatio(5, -2)).slope).toBeCloseTo(2.4, 6);
  });

  it("of ppo vanish only if the step would go further in the direction already taken", () => {
    expect(evaluate(PPO, atRatio(1.21, 1)).slope).toBe(0);
    expect(evaluate(PPO, atRatio(1.19, 1)).slope).toBeCloseTo(-1.19, 5);
    expect(evaluate(PPO, atRatio(0.79, 1)).slope).toBeCloseTo(-0.79, 5);
    expect(evaluate(PPO, atRatio(0.79, -1)).slope).toBe(0);
    expect(evaluate(PPO, atRatio(0.81, -1)).slope).toBeCloseTo(0.81, 5);
    expect(evaluate(PPO, atRatio(1.21, -1)).slope).toBeCloseTo(1.21, 5);
  });

  it("agree at ratio 1, where the sampler is the learner", () => {
    for (const a of [1.5, -0.5]) {
      for (const spec of RATIO_LOSSES) expect(evaluate(spec, atRatio(1, a)).slope).toBe(-a);
    }
  });

  it("are 0 at advantage 0 even when the ratio overflows", () => {
    for (const spec of RATIO_LOSSES) {
      expect(evaluate(spec, { p: 0, q: -1000, a: 0 })).toEqual({ loss: 0, slope: 0 });
    }
  });

  it("of dro pull toward the sampler at advantage 0, according to its formula", () => {
    expect(evaluate(DRO, { p: -1, q: -3, a: 0 }).slope).toBeCloseTo(0.1, 7);
  });
});

describe("gspo", () => {
  const GSPO: LossSpec = { name: "gspo", clipLow: 0.9, clipHigh: 1.1, beta: 0 };
  const p = Float32Array.of(-1, -2, -0.5);
  const evaluateAt = (weights: readonly number[], spec = GSPO) =>
    evaluateLoss(
      spec,
      {
        ...datum([]),
        weights: Float32Array.from(weights),
        logprobs: Float32Array.of(-1.2, -2.1, -3),
        ratioMask: Float32Array.of(1, 1, 0),
      },
      p,
    );

  it("clips the geometric mean of the ratios of the masked tokens", () => {
    // exp((0.2 + 0.1) / 2) = 1.1618342, which the bound 1.1 clips where the advantage is positive.
    const { loss, coefficients } = evaluateAt([1.5, -1, 0]);
    expect(loss).toBeCloseTo(-1.65 + 1.1618342, 6);
    expect(Array.from(coefficients)).toEqual([0, expect.closeTo(1.1618342, 6), 0]);
  });

  it("gives every token the gradient of its own log-prob, with the ratio of the sequence", () => {
    const { loss, coefficients } = evaluateAt([1.5, -1, 2], { ...GSPO, clipHigh: 1.3 });
    expect(loss).toBeCloseTo(-2.5 * 1.1618342, 5);
    expect(Array.from(coefficients)).toEqual(
      [-1.5, 1, -2].map((each) => expect.closeTo(each * 1.1618342, 5)),
    );
  });
});

describe("per-token clip bounds", () => {
  it("replace the bounds of the loss, token by token", () => {
    const token = atRatio(1.5, 1);
    const data: EngineDatum = {
      ...datum([token, token, token]),
      clipLow: Float32Array.of(0.5, 0.5, 1.75),
      clipHigh: Float32Array.of(1.25, 2, 2),
    };
    const p = Float32Array.of(token.p, token.p, token.p);
    const ppo = Array.from(evaluateLoss(PPO, data, p).coefficients);
    expect(ppo.map((slope) => Math.round(slope * 1e4) / 1e4)).toEqual([0, -1.5, -1.5]);
    const cispo = Array.from(evaluateLoss(CISPO, data, p).coefficients);
    expect(cispo.map((slope) => Math.round(slope * 1e4) / 1e4)).toEqual([-1.25, -1.5, -1.75]);
  });
});

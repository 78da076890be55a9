import { describe, expect, it } from "vitest";
import { type Trend, trendOf } from "../../src/shared/trend.ts";
import type { TrendPoint } from "../../src/shared/trendPoint.ts";
import { createUniform } from "../../src/shared/uniform.ts";

/** A reward curve over `count` steps from 0. */
interface Curve {
  readonly steps: number;
  readonly at: (step: number) => number;
}

/** Standard deviation of the mean reward of a step: 8 groups of 8 rollouts with success 0.5 have about 0.09. */
const NOISE = 0.07;
const RUNS = 100;
/** Enough steps to detect a movement in nearly all of them. */
const MOVING_RUNS = 50;

const RISE: Curve = { steps: 40, at: (step) => 0.16 + (0.68 * step) / 39 };
const SLOW_CLIMB: Curve = { steps: 200, at: (step) => 0.3 + (0.2 * step) / 199 };
const COLLAPSE: Curve = {
  steps: 20,
  at: (step) => (step < 5 ? 0.2 + 0.13 * step : Math.max(0.23, 0.72 - 0.05 * (step - 4))),
};
const PARTIAL_FALL: Curve = {
  steps: 60,
  at: (step) => (step < 40 ? 0.2 + 0.015 * step : 0.8 - 0.015 * (step - 39)),
};
const COLLAPSED_BY_NOW: Curve = { steps: 15, at: COLLAPSE.at };
const COLLAPSED_LONG_AGO: Curve = { steps: 60, at: COLLAPSE.at };
const FALLEN_AND_RECOVERED: Curve = {
  steps: 60,
  at: (step) => (step < 15 ? 0.7 : step < 25 ? 0.25 : Math.min(0.7, 0.25 + 0.03 * (step - 24))),
};
const RECOVERING: Curve = { steps: 38, at: FALLEN_AND_RECOVERED.at };
const STEP_DOWN: Curve = { steps: 40, at: (step) => (step < 35 ? 0.7 : 0.3) };
const LONG_PLATEAU: Curve = { steps: 60, at: (step) => Math.min(0.8, 0.2 + 0.02 * step) };
const FALLEN_LONG_AGO: Curve = {
  steps: 90,
  at: (step) => (step < 40 ? 0.2 + 0.015 * step : Math.max(0.5, 0.8 - 0.015 * (step - 39))),
};

function level(steps: number): Curve {
  return { steps, at: () => 0.5 };
}

/** Trends of a curve with normal noise whose neighbors correlate by `rho`; the same for the same seed. */
function trends({ steps, at }: Curve, rho = 0, runs = RUNS): readonly Trend[] {
  const uniform = createUniform(7);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return Array.from({ length: runs }, () => {
    let noise = normal();
    return trendOf(
      Array.from({ length: steps }, (_, step) => {
        if (step > 0) noise = rho * noise + Math.sqrt(1 - rho ** 2) * normal();
        return { step, value: at(step) + NOISE * noise };
      }),
    );
  });
}

/** The share of runs with one of these directions. */
function share(found: readonly Trend[], ...directions: readonly Trend["direction"][]): number {
  return found.filter(({ direction }) => directions.includes(direction)).length / found.length;
}

describe("a constant reward", () => {
  it.each([6, 8, 10, 15, 20, 40, 200])(
    "is called rising or falling in at most 3 of 100 runs of %i steps",
    (steps) => {
      expect(share(trends(level(steps)), "rising", "falling")).toBeLessThanOrEqual(0.03);
    },
  );

  it.each([8, 15, 30, 200])(
    "moves in at most 12 of 100 runs of %i steps whose neighbors correlate by 0.5",
    (steps) => {
      expect(share(trends(level(steps), 0.5), "rising", "falling")).toBeLessThanOrEqual(0.12);
    },
  );

  it("is flat from 20 steps on, and unclear before that", () => {
    expect(share(trends(level(20)), "flat")).toBeGreaterThan(0.95);
    expect(share(trends(level(19)), "unclear")).toBeGreaterThan(0.95);
  });
});

/** A run of 4 groups of 8 rollouts with success probability `share`: independent, or identical within a group. */
function flatRun(share: number, isAlike: boolean, seed: number): readonly TrendPoint[] {
  const uniform = createUniform(seed);
  const groupMean = (): number => {
    const own = isAlike ? Number(uniform() < share) : share;
    return Array.from({ length: 8 }, uniform).filter((one) => one < own).length / 8;
  };
  return Array.from({ length: 500 }, (_, step) => {
    const means = Array.from({ length: 4 }, groupMean);
    const value = means.reduce((sum, own) => sum + own) / 4;
    const squares = means.reduce((sum, own) => sum + (own - value) ** 2, 0);
    return { step, value, groups: 4, error: Math.sqrt(squares / 3 / 4) };
  });
}

describe("a constant reward with four groups per step", () => {
  const runs = (share: number, isAlike: boolean) =>
    Array.from({ length: RUNS }, (_, run) => flatRun(share, isAlike, 1 + run));

  it.each([
    [0.01, true],
    [0.02, true],
    [0.2, true],
    [0.95, true],
    [0.02, false],
  ] as const)(
    "is called rising or falling in at most 3 of 100 runs of 500 steps, for all success rates: %d, alike in a group: %s",
    (chance, isAlike) => {
      const found = runs(chance, isAlike).map(trendOf);
      expect(share(found, "rising", "falling")).toBeLessThanOrEqual(0.03);
    },
  );

  it("is flat also if the noise shows only between neighboring steps, because a step has one group", () => {
    const found = runs(0.02, true).map((points) =>
      trendOf(points.map(({ step, value }) => ({ step, value: Math.ceil(value), groups: 1 }))),
    );
    expect(share(found, "rising", "falling")).toBeLessThanOrEqual(0.03);
  });
});

describe("a changing reward", () => {
  it.each([
    ["a rise", RISE, "rising", 0.98],
    ["a straight climb over 200 steps by 3 times the noise", SLOW_CLIMB, "rising", 0.95],
    ["a collapse", COLLAPSE, "falling", 0.85],
    ["a partial fall after a peak", PARTIAL_FALL, "falling", 0.95],
    ["a sudden fall 5 steps ago", STEP_DOWN, "falling", 0.95],
    ["a plateau after a rise", LONG_PLATEAU, "flat", 0.95],
    ["a fall that has stopped, not made up for", FALLEN_LONG_AGO, "falling", 0.95],
    ["a collapse within 15 steps, which stays", COLLAPSED_BY_NOW, "falling", 0.85],
    ["a collapse 46 steps ago, which stays", COLLAPSED_LONG_AGO, "falling", 0.95],
    ["a recovery after a fall", RECOVERING, "rising", 0.95],
    ["a plateau after a recovery", FALLEN_AND_RECOVERED, "flat", 0.9],
  ] as const)("is detected reliably: %s", (_name, curve, direction, least) => {
    expect(share(trends(curve, 0, MOVING_RUNS), direction)).toBeGreaterThanOrEqual(least);
  });

  it("is hardly ever detected in the wrong direction", () => {
    for (const curve of [RISE, SLOW_CLIMB]) {
      expect(share(trends(curve, 0.3, MOVING_RUNS), "falling")).toBeLessThanOrEqual(0.02);
    }
    for (const curve of [COLLAPSE, COLLAPSED_LONG_AGO, PARTIAL_FALL, STEP_DOWN]) {
      expect(share(trends(curve, 0.3, MOVING_RUNS), "rising")).toBeLessThanOrEqual(0.06);
    }
  });
});

describe("the trend of a curve without noise", () => {
  const points = ({ steps, at }: Curve) =>
    Array.from({ length: steps }, (_, step) => ({ step, value: at(step) }));

  it("starts a fall at the last step of the plateau before it", () => {
    const rise = [0.21, 0.21, 0.17, 0.31, 0.48, 0.52, 0.52, 0.65, 0.67];
    const plateau = [0.79, 0.77, 0.73, 0.67, 0.81, 0.75];
    const values = [...rise, ...plateau, ...Array.from({ length: 9 }, () => 0)];
    const trend = trendOf(values.map((value, step) => ({ step, value, groups: 8, error: 0.08 })));
    expect(trend).toMatchObject({ direction: "falling", since: 14 });
  });

  it("never lies outside the observed range", () => {
    const trend = trendOf(points({ steps: 40, at: (step) => Math.min(1, step / 20) }));
    expect(trend).toMatchObject({ direction: "flat", now: 1 });
  });

  it("has the slope per step with its error", () => {
    expect(trendOf(points(RISE))).toMatchObject({ slope: expect.closeTo(0.68 / 39, 6) });
    const [noisy] = trends(SLOW_CLIMB);
    if (noisy === undefined || noisy.direction === "unclear") throw new Error("no trend");
    expect(Math.abs(noisy.slope - 0.2 / 199)).toBeLessThan(4 * noisy.slopeError);
  });
});

it("has no level outside the means of two steps, even if a line overshoots a curve that levels off", () => {
  const rewards = [0.19, 0.25, 0.39, 0.61, 0.61, 0.72, 0.83, 0.72];
  expect(trendOf(rewards.map((value, step) => ({ step, value })))).toMatchObject({
    direction: "rising",
    was: expect.closeTo((0.19 + 0.25) / 2, 2),
    now: expect.closeTo((0.72 + 0.83) / 2, 12),
  });
});

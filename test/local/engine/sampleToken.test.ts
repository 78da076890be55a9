import { describe, expect, it } from "vitest";
import {
  type SampleTokenOptions,
  sampleToken,
  topTokens,
} from "../../../src/local/engine/sampleToken.ts";
import { createUniform } from "../../../src/shared/uniform.ts";

const PLAIN: SampleTokenOptions = { temperature: 1, topK: -1, topP: 1 };
const PROBABILITIES = [0.05, 0.3, 0.02, 0.2, 0.13, 0.1, 0.15, 0.05];
const ROW = logRow(PROBABILITIES);
const DRAWS = 20_000;
/** Chi-square with seven degrees of freedom exceeds this once in a thousand. */
const CHI_SQUARE_LIMIT = 24.3;

function logRow(probabilities: readonly number[]): Float32Array {
  return Float32Array.from(probabilities, Math.log);
}

function frequencies(options: SampleTokenOptions, seed: number): readonly number[] {
  const uniform = createUniform(seed);
  const counts = PROBABILITIES.map(() => 0);
  for (let i = 0; i < DRAWS; i++) {
    const id = sampleToken(ROW, options, uniform());
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

function chiSquare(counts: readonly number[], weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return counts.reduce((sum, count, id) => {
    const expected = (DRAWS * (weights[id] ?? 0)) / total;
    return expected === 0
      ? sum + count * Number.MAX_VALUE
      : sum + (count - expected) ** 2 / expected;
  }, 0);
}

describe("sampleToken", () => {
  it.each([1, 2, 3])("draws with the model's probabilities, seed %i", (seed) => {
    expect(chiSquare(frequencies(PLAIN, seed), PROBABILITIES)).toBeLessThan(CHI_SQUARE_LIMIT);
  });

  it.each([0.5, 1.7])("draws from the tempered distribution at temperature %f", (temperature) => {
    const weights = PROBABILITIES.map((probability) => probability ** (1 / temperature));
    expect(chiSquare(frequencies({ ...PLAIN, temperature }, 4), weights)).toBeLessThan(
      CHI_SQUARE_LIMIT,
    );
  });

  it("keeps the top k in proportion", () => {
    const weights = [0, 0.3, 0, 0.2, 0, 0, 0.15, 0];
    expect(chiSquare(frequencies({ ...PLAIN, topK: 3 }, 5), weights)).toBeLessThan(
      CHI_SQUARE_LIMIT,
    );
  });

  it("keeps the smallest nucleus that reaches top p", () => {
    const weights = [0, 0.3, 0, 0.2, 0, 0, 0.15, 0];
    expect(chiSquare(frequencies({ ...PLAIN, topP: 0.6 }, 6), weights)).toBeLessThan(
      CHI_SQUARE_LIMIT,
    );
  });

  it("measures the nucleus within the top k", () => {
    // 0.3 + 0.2 is 77 percent of the top three.
    const weights = [0, 0.3, 0, 0.2, 0, 0, 0, 0];
    const options = { ...PLAIN, topK: 3, topP: 0.7 };
    expect(chiSquare(frequencies(options, 7), weights)).toBeLessThan(CHI_SQUARE_LIMIT);
  });

  it("always keeps one token, however small top p", () => {
    expect(sampleToken(ROW, { ...PLAIN, topP: 1e-9 }, 0.999)).toBe(1);
    expect(sampleToken(ROW, { ...PLAIN, topP: 0 }, 0.999)).toBe(1);
  });

  it("is greedy at temperature 0, the lowest id winning ties", () => {
    const tied = logRow([0.1, 0.4, 0.4, 0.1]);
    expect(sampleToken(tied, { ...PLAIN, temperature: 0 }, 0.99)).toBe(1);
    expect(sampleToken(tied, { ...PLAIN, topK: 1 }, 0.99)).toBe(1);
  });

  it("returns the last token when rounding leaves the total mass below the uniform number", () => {
    expect(sampleToken(logRow([0.5, 0.4999]), PLAIN, 0.99999)).toBe(1);
  });
});

describe("topTokens", () => {
  it("lists the most likely first, ties by id", () => {
    expect(topTokens(logRow([0.1, 0.4, 0.1, 0.4]), 3).map(({ id }) => id)).toEqual([1, 3, 0]);
  });
});

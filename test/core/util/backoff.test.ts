import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs, doubledMs } from "../../../src/core/util/backoff.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const chance = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const milliseconds = fc.integer({ min: 1, max: 600_000 });

function randomOf(uniform: number) {
  return { uuid: () => "", uniform: () => uniform };
}

describe("a backoff", () => {
  it("doubles from the first wait up to the longest", () => {
    const waits = [0, 1, 2, 3, 4, 5000].map((n) => doubledMs({ firstMs: 500, maxMs: 3_000 }, n));
    expect(waits).toEqual([500, 1_000, 2_000, 3_000, 3_000, 3_000]);
  });

  it("is between the smallest random fraction and the full wait after any number of attempts", () => {
    fc.assert(
      fc.property(
        ...([milliseconds, milliseconds, share, fc.nat(5_000), chance] as const),
        (firstMs, maxMs, jitter, repeats, uniform) => {
          const wholeMs = doubledMs({ firstMs, maxMs }, repeats);
          const waitMs = backoffMs({ firstMs, maxMs, jitter }, repeats, randomOf(uniform));
          expect(wholeMs).toBeLessThanOrEqual(maxMs);
          expect(waitMs).toBeLessThanOrEqual(wholeMs);
          expect(waitMs).toBeGreaterThanOrEqual(wholeMs * (1 - jitter) - 1e-6);
        },
      ),
    );
  });

  it("never gets shorter with further attempts at the same random value", () => {
    fc.assert(
      fc.property(share, fc.nat(40), chance, (jitter, repeats, uniform) => {
        const wait = (n: number) =>
          backoffMs({ firstMs: 250, maxMs: 60_000, jitter }, n, randomOf(uniform));
        expect(wait(repeats + 1)).toBeGreaterThanOrEqual(wait(repeats));
      }),
    );
  });
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { isAppError } from "../../../src/core/errors.ts";
import { Spending } from "../../../src/server/mcp/spending.ts";

it("the limits of started runs never add up to more than the user allowed", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000 }),
      fc.array(fc.record({ cents: fc.integer({ min: 1, max: 500 }), starts: fc.boolean() })),
      (maxCents, requests) => {
        const spending = new Spending(maxCents / 100);
        let used = 0;
        for (const { cents, starts } of requests) {
          const isTaken = used + cents <= maxCents;
          let restore: (() => void) | null = null;
          try {
            restore = spending.reserve(cents / 100);
          } catch (error) {
            expect(isAppError(error, "not-allowed")).toBe(true);
          }
          expect(restore !== null).toBe(isTaken);
          if (restore === null) continue;
          if (starts) used += cents;
          else {
            restore();
            restore();
          }
          expect(spending.leftUsd).toBeCloseTo((maxCents - used) / 100, 6);
        }
      },
    ),
  );
});

it("rejects an amount that is not a finite number", () => {
  const spending = new Spending(5);
  for (const usd of [Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => spending.reserve(usd)).toThrow("$5.00");
  }
  expect(spending.leftUsd).toBe(5);
});

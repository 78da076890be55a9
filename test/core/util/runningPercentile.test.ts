import fc from "fast-check";
import { expect, test } from "vitest";
import { RunningPercentile } from "../../../src/core/util/runningPercentile.ts";
import { percentile } from "../../../src/core/util/stats.ts";

test("the running percentile equals that of a list of the same numbers", () => {
  const numbers = fc.array(fc.float({ min: 0, noNaN: true }), { maxLength: 60 });
  fc.assert(
    fc.property(numbers, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const running = new RunningPercentile();
      for (const value of values) running.add(value);
      const each = (take: (value: number) => void) => {
        for (const value of values) take(value);
      };
      expect(running.at(share, each)).toEqual(percentile(values, share));
    }),
  );
});

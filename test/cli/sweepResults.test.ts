import { expect, it } from "vitest";
import { type SweepResult, sweepExitCode } from "../../src/cli/sweepResults.ts";
import { EXIT } from "../../src/shared/exitCodes.ts";

function codes(...all: readonly number[]): number {
  const result: Omit<SweepResult, "exitCode"> = {
    ...{ settings: [], state: "done", steps: 1, lastReward: null, bestReward: null, totalS: 1 },
    ...{ folder: null, problem: null },
  };
  return sweepExitCode(all.map((exitCode) => ({ ...result, exitCode })));
}

it("is 0 only when every run is done, else the worst of their codes", () => {
  const { done, stopped, interrupted, limit, service, invalid, fault } = EXIT;
  expect(codes(done, done)).toBe(done);
  const fromBad = [fault, invalid, service, limit, interrupted, stopped];
  for (const [index, worst] of fromBad.entries()) {
    expect(codes(done, ...fromBad.slice(index).toReversed())).toBe(worst);
  }
});

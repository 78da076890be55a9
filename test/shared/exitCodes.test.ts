import { expect, it } from "vitest";
import { EXIT, worstExit } from "../../src/shared/exitCodes.ts";

it("several runs are done only if each is; otherwise the worst exit code counts", () => {
  const { done, stopped, interrupted, limit, service, invalid, fault } = EXIT;
  expect([worstExit([]), worstExit([done, done])]).toEqual([done, done]);
  const fromBad = [fault, invalid, service, limit, interrupted, stopped];
  for (const [index, worst] of fromBad.entries()) {
    expect(worstExit([done, ...fromBad.slice(index).toReversed()])).toBe(worst);
  }
});

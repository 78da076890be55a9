import { expect, it } from "vitest";
import { SamplerSaves } from "../../../../src/core/training/generation/samplerSaves.ts";
import { aContext } from "../fakeContext.ts";

it("a sampler lacks the updates since it was first used", () => {
  const { client, services } = aContext();
  const saves = new SamplerSaves(services, false);
  const uses = [
    ["a", 0],
    ["b", 1],
    ["b", 1],
    ["b", 3],
    ["c", 4],
  ] as const;
  const policies = uses.map(([samplerId, optimizerUpdates], step) =>
    saves.policyOf({ ...client.sampler, samplerId }, { step, optimizerUpdates }),
  );
  expect(policies.map(({ updates, behind }) => [updates, behind])).toEqual([
    [0, 0],
    [1, 0],
    [1, 0],
    [1, 2],
    [4, 0],
  ]);
});

import { expect, it } from "vitest";
import { deleteSaved } from "../../../../src/core/training/run/deleteSaved.ts";
import { aContext } from "../fakeContext.ts";

const WHY = { step: 1, why: "later weights take its place" };

it("what no session of the run saved is kept, even if the run names it", async () => {
  const context = aContext();
  const path = "tinker://Other:train:0/sampler_weights/final";
  expect(await deleteSaved(context, path, WHY)).toBe("not-own");
  expect(context.deleted).toEqual([]);
});

it("what the run saved goes, and an event says which and why", async () => {
  const context = aContext();
  const path = `tinker://${context.client.modelId}/sampler_weights/one`;
  expect(await deleteSaved(context, path, WHY)).toBe("deleted");
  expect(context.deleted).toEqual([path]);
  expect(context.recorded.at(-1)).toMatchObject({
    // Nobody acts on it: the log of the dashboard leaves it out.
    level: "debug",
    kind: "checkpoint-deleted",
    message: `Deleted ${path}: later weights take its place.`,
  });
});

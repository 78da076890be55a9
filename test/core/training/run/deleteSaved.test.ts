import { expect, it } from "vitest";
import { deleteSaved } from "../../../../src/core/training/run/deleteSaved.ts";
import { aContext } from "../fakeContext.ts";

const WHY = { step: 1, why: "later weights take its place" };

it("keeps checkpoints that no session of the run saved, even if the run names them", async () => {
  const context = aContext();
  const path = "tinker://Other:train:0/sampler_weights/final";
  expect(await deleteSaved(context, path, WHY)).toBe("not-own");
  expect(context.deleted).toEqual([]);
});

it("deletes the run's own checkpoints, and logs which and why", async () => {
  const context = aContext();
  const path = `tinker://${context.client.modelId}/sampler_weights/one`;
  expect(await deleteSaved(context, path, WHY)).toBe("deleted");
  expect(context.deleted).toEqual([path]);
  expect(context.recorded.at(-1)).toMatchObject({
    // It needs no action, so the dashboard log leaves it out.
    level: "debug",
    kind: "checkpoint-deleted",
    message: `Deleted ${path}: later weights take its place.`,
  });
});

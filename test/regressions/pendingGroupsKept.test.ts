import { expect, it } from "vitest";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { FOLDER } from "../core/training/fakeContext.ts";
import { prepareAhead, stopAtUpdate } from "../core/training/loop/prepareAhead.ts";
import { positionOf } from "../core/training/loop/prepareRun.ts";

it("groups that were sampled ahead are removed when the run goes on without sampling ahead", async () => {
  const options = { steps: 4, config: { rolling_save_every: 1 } };
  const first = prepareAhead({ ...options, stepsAhead: 2 });
  const { fileSystem } = first.context;
  const pending = () => fileSystem.list(runPaths(FOLDER).pendingFolder);
  stopAtUpdate(first, 1);
  await first.run();
  expect(await pending()).not.toEqual([]);
  const rest = prepareAhead({ ...options, stepsAhead: 0, fileSystem });
  expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: 4 });
  expect(await pending()).toEqual([]);
});

import { expect, it } from "vitest";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { gatherFacts } from "../../src/host/dashboard/runFacts.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";

it("the page learns which model was evaluated, and nothing of where it lies", async () => {
  const fileSystem = createMemoryFileSystem();
  const folder = "/runs/evaluation";
  const model = { name: "step 10", path: "tinker://r/sampler_weights/c" };
  const line = { step: 10, purpose: "asked", timeMs: 0, model, results: [] };
  await fileSystem.append(runPaths(folder).evaluations, `${JSON.stringify(line)}\n`);
  const follower = new RunFollower({ fileSystem, folder });
  await follower.refresh();
  const { evaluations } = await gatherFacts({
    id: "e",
    name: "e",
    follower,
    fileSystem,
    liveness: { nowMs: 0, isProcessAlive: () => false },
    evaluated: null,
    maxSteps: null,
    shortenPath: (path) => path,
  });
  expect(evaluations).toEqual([{ step: 10, results: [], model: { name: "step 10" } }]);
});

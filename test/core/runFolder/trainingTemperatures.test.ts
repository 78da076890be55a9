import { expect, it } from "vitest";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { readTrainingTemperatures } from "../../../src/core/runFolder/trainingTemperatures.ts";
import { createMemoryFileSystem } from "./memoryFileSystem.ts";

const FOLDER = "/runs/demo";

it("an environment's temperature is that of its training rollouts, and 1 by default", async () => {
  const files = createMemoryFileSystem();
  expect((await readTrainingTemperatures(files, FOLDER))("math")).toBe(1);
  const environments = { math: { temperature: 0.7 }, code: { temperature: null } };
  await files.append(runPaths(FOLDER).resolvedConfig, JSON.stringify({ environments }));
  const trainedAt = await readTrainingTemperatures(files, FOLDER);
  expect(["math", "code", "unknown"].map(trainedAt)).toEqual([0.7, 1, 1]);
});

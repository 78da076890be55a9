import { expect, test } from "vitest";
import { stepPaths } from "../../../../src/core/runFolder/files/layout.ts";
import { summarizeRollout } from "../../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { TaskStepFinder } from "../../../../src/core/runFolder/rollouts/taskSteps.ts";
import { aRecord } from "../builders.ts";
import { createMemoryFileSystem } from "../memoryFileSystem.ts";

test("a task is found in every step that played it, in every epoch", async () => {
  const files = createMemoryFileSystem();
  const play = (step: number, index: number, pass: number) => {
    const record = aRecord({ step, index, taskKey: `local/calculator:train:${index}#${pass}` });
    const line = summarizeRollout(record, { offset: 0, length: 1 });
    return files.append(stepPaths("run", step).index, `${JSON.stringify(line)}\n`);
  };
  for (const step of [0, 1, 2, 3]) await play(step, step % 2, step);
  const finder = new TaskStepFinder(files, "run");
  const task = { environment: "local/calculator", split: "train", index: 1 };
  const found = () => finder.find(task, 3, [0, 1, 2, 3]);
  expect(await found()).toEqual({ steps: [1, 3], isComplete: true });
  await play(2, 1, 9);
  expect(await found()).toEqual({ steps: [1, 2, 3], isComplete: true });
});

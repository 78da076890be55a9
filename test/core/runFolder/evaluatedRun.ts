/** Stored evaluations for tests. */

import type { FolderFiles } from "../../../src/core/ports.ts";
import { evalPath, runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { createRunReader } from "../../../src/core/runFolder/reader.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { aRecord, aStoredResult } from "./builders.ts";
import { createMemoryFileSystem } from "./memoryFileSystem.ts";

const TASKS = 4;
const ROLLOUTS = 2;
const TEMPERATURES = [0, 1];

/** An evaluation of `local/calculator` at temperatures 0 and 1; `share` of the rollouts get reward 1. Default `model`: the run's. */
export async function writeEvaluation(
  fileSystem: FolderFiles,
  folder: string,
  step: number,
  share: number,
  model?: string,
): Promise<void> {
  await fileSystem.makeDirectory(runPaths(folder).evalFolder);
  const results = [];
  for (const temperature of TEMPERATURES) {
    const rewards: number[] = [];
    // Tasks end in any order.
    for (const group of Array.from({ length: TASKS }, (_, index) => TASKS - 1 - index)) {
      for (let rollout = 0; rollout < ROLLOUTS; rollout += 1) {
        const reward = (group * ROLLOUTS + rollout) / (TASKS * ROLLOUTS) < share ? 1 : 0;
        rewards.push(reward);
        const index = 10 + group;
        const task = { environment: "local/calculator", split: "test", index };
        const promptText = `Task ${index} at ${temperature} after ${step}`;
        const taskKey = `local/calculator:test:${index}`;
        const record = aRecord({ ...task, step, group, rollout, taskKey, promptText, reward });
        const line = { ...record, temperature, purpose: "periodic", model, tokenData: [] };
        await fileSystem.append(evalPath(folder, step), encodeJsonLine(line));
      }
    }
    const rewardMean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
    const counts = { tasks: TASKS, rollouts: rewards.length, successFraction: rewardMean };
    const interval = { low: rewardMean / 2, high: (1 + rewardMean) / 2 };
    const taken = { temperature, rewardMean, tokensMean: 12 };
    results.push(aStoredResult({ ...taken, ...counts, ...interval }));
  }
  const line = { step, purpose: "periodic", timeMs: 1_000 + step, results };
  await fileSystem.append(runPaths(folder).evaluations, encodeJsonLine(line));
}

/** A run with evaluations after 0 and 40 steps, and readers of it. */
export async function evaluatedRun(folder: string) {
  const fileSystem = createMemoryFileSystem();
  const files = fileSystem.within(folder);
  await writeEvaluation(files, folder, 0, 0.25);
  await writeEvaluation(files, folder, 40, 0.75);
  const follower = new RunFollower({ fileSystem, folder });
  await follower.refresh();
  return { files, follower, reader: createRunReader(files, folder) };
}

import { expect, it } from "vitest";
import { runPaths, supersededFolder } from "../../../../../src/core/runFolder/files/layout.ts";
import { ReplayedSteps } from "../../../../../src/core/tracking/wandb/run/replayedSteps.ts";
import { sha256 } from "../../../../../src/node/hash.ts";
import { createMemoryFileSystem } from "../../../runFolder/memoryFileSystem.ts";

const rowOf = (attempt: number, queueReady: number, loss = 0.5) => ({
  step: 3,
  loss,
  progress: { attempt },
  async: { queue_depth: 12, queue_ready: queueReady, wait_for_batch_s: queueReady },
  // Some rollouts were replayed because a service failed.
  tokens: { sampled: 100 + queueReady, trained: 90, discarded: { sampled: queueReady } },
  cost: { step_usd: queueReady },
});

it("a repeated step equals the original for W&B regardless of queued groups and token usage", async () => {
  const fileSystem = createMemoryFileSystem();
  const path = runPaths(supersededFolder("/run", 1)).metrics;
  await fileSystem.append(path, `${JSON.stringify(rowOf(1, 4))}\n`);
  const replayed = new ReplayedSteps({ fileSystem, sha256, folder: "/run" });
  const positions = { next: 4, history: 4, log: 4, events: 0, step: 4, runtimeS: 1 };
  const cursor = { ...positions, sent: { 1: 3 }, file: null };
  expect(await replayed.isReported(rowOf(2, 12), cursor)).toBe(true);
  expect(await replayed.isReported(rowOf(2, 12, 0.25), cursor)).toBe(false);
});

import { expect, it } from "vitest";
import { SamplingScheduler } from "../../../src/local/engine/samplingScheduler.ts";
import type { WorkerThread } from "../../../src/local/engine/workerThread.ts";

/** A worker that records its requests and answers none. */
function aThread() {
  const requests: string[] = [];
  const stub: Partial<WorkerThread> = {
    loadSet: () => undefined,
    score: () => {
      requests.push("score");
      return new Promise(() => undefined);
    },
  };
  return { requests, thread: stub as WorkerThread };
}

it("spreads requests for scores over all workers", () => {
  const threads = [aThread(), aThread()];
  const scheduler = new SamplingScheduler(
    threads.map(({ thread }) => thread),
    { slots: 2, sets: 1 },
  );
  const request = { prompt: Int32Array.of(1, 2), top: 0, targets: null, targetsPerPosition: 0 };
  for (let nth = 0; nth < 4; nth += 1) void scheduler.score({ key: 0, adapter: null }, request);
  expect(threads.map(({ requests }) => requests.length)).toEqual([2, 2]);
});

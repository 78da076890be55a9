import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/core/errors.ts";
import { ModelQueue } from "../../../../../src/local/engine/service/models/modelQueue.ts";

const unloaded = new AppError("invalid-request", "the model was unloaded");

function recording() {
  const queue = new ModelQueue();
  const ran: number[] = [];
  const enqueue = (seqId: number) =>
    queue.enqueue(seqId, async () => {
      ran.push(seqId);
      return seqId;
    });
  return { queue, ran, enqueue };
}

describe("ModelQueue", () => {
  it("runs parallel chunks that arrive as 2, 3, 1 in numerical order", async () => {
    const { ran, enqueue } = recording();
    await enqueue(0);
    const chunks = [enqueue(2), enqueue(3), enqueue(1)];
    expect(await Promise.all(chunks)).toEqual([2, 3, 1]);
    expect(ran).toEqual([0, 1, 2, 3]);
  });

  it("runs any order of arrival by number, one task at a time", async () => {
    const arrivals = fc
      .integer({ min: 1, max: 12 })
      .chain((size) => fc.shuffledSubarray([...Array(size).keys()], { minLength: size }));
    await fc.assert(
      fc.asyncProperty(arrivals, async (order) => {
        const queue = new ModelQueue();
        const events: string[] = [];
        const task = (seqId: number) => async () => {
          events.push(`start ${seqId}`);
          await Promise.resolve();
          events.push(`end ${seqId}`);
        };
        await Promise.all(order.map((seqId) => queue.enqueue(seqId, task(seqId))));
        const inOrder = order.toSorted((a, b) => a - b);
        expect(events).toEqual(inOrder.flatMap((seqId) => [`start ${seqId}`, `end ${seqId}`]));
      }),
    );
  });

  it("continues after a task that failed", async () => {
    const { queue, enqueue } = recording();
    const failing = queue.enqueue(0, () => Promise.reject(new Error("bad batch")));
    const next = enqueue(1);
    await expect(failing).rejects.toThrow("bad batch");
    expect(await next).toBe(1);
  });

  it("counts the number of a rejected request as done", async () => {
    const { queue, enqueue } = recording();
    const next = enqueue(1);
    queue.skip(0);
    expect(await next).toBe(1);
  });

  it("rejects a number that is waiting, done or skipped", async () => {
    const { queue, enqueue } = recording();
    await enqueue(0);
    queue.skip(1);
    const parked = enqueue(3);
    for (const seqId of [0, 1, 3])
      expect(() => enqueue(seqId)).toThrow(`${seqId} was already used or skipped`);
    expect(await Promise.all([enqueue(2), parked])).toEqual([2, 3]);
  });

  it("finishes runnable tasks when closed, and fails those that wait for a number that never came", async () => {
    const { queue, ran, enqueue } = recording();
    const possible = [enqueue(0), enqueue(1)];
    const parked = enqueue(5);
    const closed = queue.close(unloaded);
    await expect(parked).rejects.toBe(unloaded);
    await closed;
    expect(await Promise.all(possible)).toEqual([0, 1]);
    expect(ran).toEqual([0, 1]);
    expect(() => enqueue(2)).toThrow(unloaded);
  });
});

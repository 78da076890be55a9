import fc from "fast-check";
import { expect, test } from "vitest";
import { Limiter } from "../../../src/core/util/limiter.ts";

/** Lets everything that needs no release continue. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

test("tasks run up to the limit, and the others follow in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 12 }),
      async (limit, count) => {
        const limiter = new Limiter(limit);
        const started: number[] = [];
        let most = 0;
        const tasks = Array.from({ length: count }, (_, index) =>
          limiter.run(async () => {
            started.push(index);
            most = Math.max(most, limiter.active);
            await settle();
          }),
        );
        await Promise.all(tasks);
        expect(most).toBeLessThanOrEqual(limit);
        expect(started).toEqual(Array.from({ length: count }, (_, index) => index));
        expect(limiter.active).toBe(0);
      },
    ),
    { numRuns: 50 },
  );
});

test("work that was sent back waits before the others", async () => {
  const limiter = new Limiter(1);
  const release = await limiter.acquire();
  const order: string[] = [];
  const first = limiter.run(async () => void order.push("first"));
  const returned = limiter.run(async () => void order.push("returned"), { atHead: true });
  release();
  await Promise.all([first, returned]);
  expect(order).toEqual(["returned", "first"]);
});

test("a raised limit admits waiting work immediately, and a lowered one waits for room", async () => {
  const limiter = new Limiter(1);
  const releases: (() => void)[] = [];
  const waiting = [1, 2, 3].map(async () => void releases.push(await limiter.acquire()));
  await settle();
  expect(limiter).toMatchObject({ active: 1, waiting: 2 });
  limiter.resize(3);
  await Promise.all(waiting);
  expect(limiter.active).toBe(3);
  limiter.resize(1);
  const late = limiter.acquire();
  releases[0]?.();
  releases[1]?.();
  expect(limiter).toMatchObject({ active: 1, waiting: 1 });
  releases[2]?.();
  (await late)();
  expect(limiter.active).toBe(0);
});

test("an aborted wait rejects with the reason and takes no slot", async () => {
  const limiter = new Limiter(1);
  const release = await limiter.acquire();
  const controller = new AbortController();
  const aborted = limiter.acquire({ signal: controller.signal });
  const patient = limiter.acquire();
  controller.abort("stopped");
  await expect(aborted).rejects.toBe("stopped");
  release();
  (await patient)();
  expect(limiter).toMatchObject({ active: 0, waiting: 0 });
  await expect(limiter.acquire({ signal: controller.signal })).rejects.toBe("stopped");
});

test("releasing a slot twice frees it once, and a failing task frees its own", async () => {
  const limiter = new Limiter(2);
  const release = await limiter.acquire();
  await limiter.acquire();
  release();
  release();
  expect(limiter.active).toBe(1);
  await expect(limiter.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(limiter.active).toBe(1);
});

test("a limit below one is rejected", () => {
  expect(() => new Limiter(0)).toThrow(RangeError);
  expect(() => new Limiter(1.5)).toThrow(RangeError);
});

test("sized work runs when it fits, in order of arrival, and oversized work runs alone", async () => {
  const limiter = new Limiter(100);
  const entered: number[] = [];
  const enter = async (units: number, signal?: AbortSignal) => {
    const release = await limiter.acquire({ units, signal });
    entered.push(units);
    return release;
  };
  const leave = await enter(60);
  const giveUp = new AbortController();
  const large = enter(90, giveUp.signal);
  const fitting = enter(30);
  await settle();
  expect(entered).toEqual([60]);
  giveUp.abort("enough");
  await expect(large).rejects.toBe("enough");
  const leaveFitting = await fitting;
  const larger = enter(500);
  leave();
  await settle();
  expect(entered).toEqual([60, 30]);
  leaveFitting();
  await larger;
  expect(entered).toEqual([60, 30, 500]);
});

import { expect, test, vi } from "vitest";
import { EventLoopThrottle } from "../../src/node/eventLoopThrottle.ts";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a limited number of actions start at once, the rest in later turns and in order", async () => {
  const throttle = new EventLoopThrottle(2);
  const begun: number[] = [];
  for (let i = 0; i < 5; i++) throttle.run(() => begun.push(i));
  expect(begun).toEqual([0, 1]);
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3]);
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  await nextTurn();
  throttle.run(() => begun.push(5));
  expect(begun.at(-1)).toBe(5);
});

test("an action's follow-up runs after pending work", async () => {
  const throttle = new EventLoopThrottle(1);
  const begun: string[] = [];
  throttle.run(() => {
    begun.push("first");
    throttle.run(() => begun.push("asked for by the first"));
  });
  throttle.run(() => begun.push("second"));
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(begun).toEqual(["first", "asked for by the first", "second"]);
});

test("few actions wait for no turn, and those of earlier turns count", async () => {
  const awaitTurn = vi.spyOn(globalThis, "setImmediate");
  const throttle = new EventLoopThrottle(3);
  const begun: number[] = [];
  for (let i = 0; i < 2; i++) throttle.run(() => begun.push(i));
  expect(awaitTurn).not.toHaveBeenCalled();
  await nextTurn();
  for (let i = 2; i < 8; i++) throttle.run(() => begun.push(i));
  expect(begun).toEqual([0, 1, 2]);
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  awaitTurn.mockRestore();
});

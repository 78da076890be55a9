import { expect, test } from "vitest";
import { systemClock } from "../../src/node/clock.ts";

test("a sleep ends by itself, even with a signal", async () => {
  await systemClock.sleep(1);
  await systemClock.sleep(1, new AbortController().signal);
});

test("an aborted sleep rejects with the reason, before or during the wait", async () => {
  const controller = new AbortController();
  const during = systemClock.sleep(1_000_000, controller.signal);
  controller.abort("stopped");
  await expect(during).rejects.toBe("stopped");
  await expect(systemClock.sleep(1, controller.signal)).rejects.toBe("stopped");
});

test("a sleep longer than the maximum timer does not end immediately", async () => {
  const controller = new AbortController();
  const endless = systemClock.sleep(Number.POSITIVE_INFINITY, controller.signal);
  await systemClock.sleep(5);
  controller.abort("still asleep");
  await expect(endless).rejects.toBe("still asleep");
});

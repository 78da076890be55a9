import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { whileHeld } from "../../src/node/whileHeld.ts";

const held = (code: string) => Object.assign(new Error(code), { code });
const on = (platform: string) =>
  vi.stubGlobal("process", Object.create(process, { platform: { value: platform } }));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it.each(["EPERM", "EACCES", "EBUSY"])(
  "a file that a virus scanner holds for seconds on Windows, with %s, is changed afterward",
  async (code) => {
    on("win32");
    const start = Date.now();
    const change = whileHeld(async () => {
      if (Date.now() < start + 5_000) throw held(code);
    });
    await vi.runAllTimersAsync();
    await expect(change).resolves.toBeUndefined();
  },
);

it("a file that stays locked is given up after ten seconds", async () => {
  on("win32");
  const start = Date.now();
  const change = expect(whileHeld(() => Promise.reject(held("EBUSY")))).rejects.toThrow("EBUSY");
  await vi.runAllTimersAsync();
  await change;
  expect((Date.now() - start) / 1000).toBeCloseTo(10, 0);
});

it.each([
  ["win32", "ENOSPC"],
  ["linux", "EPERM"],
])("another error causes no wait: on %s %s", async (platform, code) => {
  on(platform);
  const change = vi.fn(() => Promise.reject(held(code)));
  await expect(whileHeld(change)).rejects.toThrow(code);
  expect(change).toHaveBeenCalledOnce();
});

import { hostname } from "node:os";
import { expect, it } from "vitest";
import { isProcessAlive } from "../../src/node/processes.ts";

/** Above any real process id. */
const NOBODY = 2 ** 30;

it("detects the processes of this computer", () => {
  expect(isProcessAlive(process.pid, hostname())).toBe(true);
  expect(isProcessAlive(NOBODY, hostname())).toBe(false);
  expect(isProcessAlive(NOBODY)).toBe(false);
});

it("never reports a process on another computer as dead", () => {
  expect(isProcessAlive(NOBODY, `${hostname()}-other`)).toBe(true);
});

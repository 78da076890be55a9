import { hostname } from "node:os";
import { expect, it } from "vitest";
import { isProcessAlive } from "../../src/node/processes.ts";

/** Above what any system hands out. */
const NOBODY = 2 ** 30;

it("knows the processes of this computer", () => {
  expect(isProcessAlive(process.pid, hostname())).toBe(true);
  expect(isProcessAlive(NOBODY, hostname())).toBe(false);
  expect(isProcessAlive(NOBODY)).toBe(false);
});

it("calls no one dead who runs on another computer", () => {
  expect(isProcessAlive(NOBODY, `${hostname()}-other`)).toBe(true);
});

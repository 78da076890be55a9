import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { createInterrupts } from "../../../src/cli/terminal/interrupts.ts";

/** The stop requests that a command receives for `signals`. */
function heard(
  signals: readonly NodeJS.Signals[],
  env: Record<string, string> = {},
  parentStatus: string | null = null,
): number {
  const source = new EventEmitter();
  let count = 0;
  createInterrupts(
    source,
    env,
    parentStatus,
  )(() => {
    count++;
  });
  for (const signal of signals) source.emit(signal);
  return count;
}

it("counts each Ctrl+C and each system stop", () => {
  expect(heard(["SIGINT", "SIGTERM", "SIGINT"])).toBe(3);
});

it("counts the closing of a terminal once, and not after another request", () => {
  expect(heard(["SIGHUP"])).toBe(1);
  expect(heard(["SIGHUP", "SIGHUP"])).toBe(1);
  expect(heard(["SIGTERM", "SIGHUP"])).toBe(1);
});

it("lets a person immediately end a run that the closing of a terminal is stopping", () => {
  expect(heard(["SIGHUP", "SIGINT"])).toBe(2);
});

it("ignores the closing of a terminal under nohup, also outside a run", () => {
  const env = { _: "/usr/bin/nohup" };
  expect(heard(["SIGHUP", "SIGHUP"], env)).toBe(0);
  const source = new EventEmitter();
  createInterrupts(source, env, null);
  expect(source.listenerCount("SIGHUP")).toBe(1);
});

it("ignores the closing of a terminal if its parent script does, according to /proc on Linux", () => {
  const statusOf = (ignored: string) =>
    `Name:\tbash\nSigBlk:\t0000000000000001\nSigIgn:\t${ignored}\nSigCgt:\t0000000000000001\n`;
  expect(heard(["SIGHUP"], {}, statusOf("0000000000000005"))).toBe(0);
  expect(heard(["SIGHUP"], {}, statusOf("0000000000001004"))).toBe(1);
});

it("returns signals to the system once released", () => {
  const source = new EventEmitter();
  createInterrupts(source, {}, null)(() => undefined)();
  expect(source.eventNames()).toEqual([]);
});

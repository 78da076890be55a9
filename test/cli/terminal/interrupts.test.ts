import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { createInterrupts } from "../../../src/cli/terminal/interrupts.ts";

/** What a command hears of `signals`. */
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

it("counts Ctrl+C and a stop by the system each time", () => {
  expect(heard(["SIGINT", "SIGTERM", "SIGINT"])).toBe(3);
});

it("counts the closing of a terminal once, and not after another request", () => {
  expect(heard(["SIGHUP"])).toBe(1);
  expect(heard(["SIGHUP", "SIGHUP"])).toBe(1);
  expect(heard(["SIGTERM", "SIGHUP"])).toBe(1);
});

it("lets a person end at once what the closing of a terminal stopped", () => {
  expect(heard(["SIGHUP", "SIGINT"])).toBe(2);
});

it("ignores the closing of a terminal under nohup, also outside a run", () => {
  const env = { _: "/usr/bin/nohup" };
  expect(heard(["SIGHUP", "SIGHUP"], env)).toBe(0);
  const source = new EventEmitter();
  createInterrupts(source, env, null);
  expect(source.listenerCount("SIGHUP")).toBe(1);
});

it("ignores the closing of a terminal when the script that starts it does, as Linux describes it", () => {
  const statusOf = (ignored: string) =>
    `Name:\tbash\nSigBlk:\t0000000000000001\nSigIgn:\t${ignored}\nSigCgt:\t0000000000000001\n`;
  expect(heard(["SIGHUP"], {}, statusOf("0000000000000005"))).toBe(0);
  expect(heard(["SIGHUP"], {}, statusOf("0000000000001004"))).toBe(1);
});

it("leaves signals to the system once released", () => {
  const source = new EventEmitter();
  createInterrupts(source, {}, null)(() => undefined)();
  expect(source.eventNames()).toEqual([]);
});

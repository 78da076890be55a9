import { getEventListeners } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { TextThreads } from "../../../src/node/texts/textThreads.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";

/** Answers with the number of its thread, and ends as the folder says. */
const WORKER = `
  import { parentPort, threadId } from "node:worker_threads";
  const end = { kind: "end" };
  parentPort.on("message", ({ kind, folder }) => {
    if (kind === "stop") return parentPort.postMessage(end);
    parentPort.postMessage({ kind: "report", report: threadId });
    if (folder === "short") parentPort.postMessage(end);
    if (folder === "faulty") setImmediate(() => { throw new Error("No memory is left."); });
    if (folder === "ended") setImmediate(() => process.exit());
    if (folder === "deaf") setImmediate(() => { for (;;); });
  });
`;
const IDLE_MS = 30_000;
const parent = mkdtempSync(join(tmpdir(), "text-threads-"));
const workerPath = join(parent, "worker.mjs");
writeFileSync(workerPath, WORKER);

let clock: FakeClock;
let threads: TextThreads;

beforeEach(() => {
  clock = new FakeClock();
  threads = new TextThreads({ workerPath, clock });
});

afterEach(() => threads.dispose());

afterAll(() => rmSync(parent, { recursive: true }));

/** Of a question that goes on until it is left. */
async function begin(folder: string, signal?: AbortSignal) {
  const reports = threads.reports({ kind: "behaviour", folder, readOnly: [] }, signal);
  const first = await reports.next();
  return { thread: first.value, reports };
}

/** The thread that answers a short question. */
async function askedThread(signal?: AbortSignal): Promise<unknown> {
  const { thread, reports } = await begin("short", signal);
  expect(await reports.next()).toMatchObject({ done: true });
  return thread;
}

it("answers one question after the other in one thread", async () => {
  const first = await askedThread();
  expect(first).toEqual(expect.any(Number));
  expect(await askedThread()).toBe(first);
});

it("ends a thread that was asked nothing for a while", async () => {
  const first = await askedThread();
  await clock.advance(IDLE_MS - 1);
  expect(await askedThread()).toBe(first);
  await clock.advance(IDLE_MS);
  expect(clock.sleeping).toBe(0);
  expect(await askedThread()).not.toBe(first);
});

it("answers three questions at a time, and the fourth when one of them has ended", async () => {
  const open = [await begin("long"), await begin("long"), await begin("long")];
  expect(new Set(open.map(({ thread }) => thread)).size).toBe(3);
  const fourth = begin("long");
  await open[1]?.reports.return();
  expect((await fourth).thread).toBe(open[1]?.thread);
});

it("stops a question that nobody takes reports of any more, and keeps its thread", async () => {
  const { thread, reports } = await begin("long");
  await reports.return();
  expect(await askedThread()).toBe(thread);
});

it("stops a question that is cancelled, and keeps its thread", async () => {
  const cancelling = new AbortController();
  const { thread, reports } = await begin("long", cancelling.signal);
  cancelling.abort(new Error("cancelled"));
  await expect(reports.next()).rejects.toThrow("cancelled");
  expect(await askedThread()).toBe(thread);
});

it("ends a cancelled question that does not stop with its thread", async () => {
  const cancelling = new AbortController();
  const { thread, reports } = await begin("deaf", cancelling.signal);
  const left = expect(reports.next()).rejects.toThrow("cancelled");
  cancelling.abort(new Error("cancelled"));
  await clock.advance(250);
  await left;
  expect(await askedThread()).not.toBe(thread);
});

it("never begins a question that was cancelled before", async () => {
  const reports = begin("deaf", AbortSignal.abort(new Error("cancelled")));
  await expect(reports).rejects.toThrow("cancelled");
  expect(clock.sleeping).toBe(0);
});

it.each([
  ["faulty", "No memory is left."],
  ["ended", "The thread that reads texts ended."],
])("says why a thread failed that is %s, and replaces it", async (folder, message) => {
  const thread = await askedThread();
  // What a thread reported just before it failed may be lost.
  const readAll = async () => {
    for await (const report of threads.reports({ kind: "behaviour", folder, readOnly: [] })) {
      expect(report).toBe(thread);
    }
  };
  await expect(readAll()).rejects.toMatchObject({ code: "text-failed", message });
  expect(await askedThread()).not.toBe(thread);
});

it("ends its threads when it is disposed of", async () => {
  await askedThread();
  const { reports } = await begin("deaf");
  threads.dispose();
  await expect(reports.next()).rejects.toMatchObject({ code: "text-failed" });
  expect(clock.sleeping).toBe(0);
});

it("leaves no listener at a signal that stays", async () => {
  const { signal } = new AbortController();
  for (let count = 0; count < 3; count += 1) await askedThread(signal);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

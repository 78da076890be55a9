import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addSentNotice, readSentNotices, wasSent } from "../../../src/core/notify/sentLog.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { aNotice, anEnd } from "./notices.ts";

let folder: string;
const fileSystem = createFileSystem();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sent-"));
});
afterAll(async () => {
  await fileSystem.close();
  await rm(folder, { recursive: true, force: true });
});

it("knows after a resume which alarms and ends were sent, and takes a failure for news", async () => {
  const files = fileSystem.within(folder);
  expect(await readSentNotices(files, folder)).toEqual([]);
  const sent = [
    { key: "tool_errors", isEnd: false, step: 3, timeMs: 1 },
    { key: "done", isEnd: true, step: 3, timeMs: 2 },
    { key: "failed", isEnd: true, step: 3, timeMs: 3 },
  ];
  for (const each of sent) await addSentNotice(files, folder, each);
  const past = await readSentNotices(files, folder);
  expect(past).toEqual(sent);
  const later = { ...aNotice().facts, step: 4 };
  expect(wasSent(aNotice(), past)).toBe(true);
  expect(wasSent(aNotice({ facts: later }), past)).toBe(false);
  expect(wasSent(aNotice({ key: "stale_sampler" }), past)).toBe(false);
  expect(wasSent(anEnd(), past)).toBe(true);
  expect(wasSent(anEnd({ key: "failed" }), past)).toBe(false);
});

it("reads the end of a file of any size and leaves out what it did not write", async () => {
  const line = JSON.stringify({ key: "done", isEnd: true, step: null, timeMs: 1 });
  const text = `${"x".repeat(200_000)}\n{"key":1}\nnull\n${line}\n{"key":"cut`;
  await writeFile(join(folder, "notify.jsonl"), text);
  expect(await readSentNotices(fileSystem.within(folder), folder)).toEqual([JSON.parse(line)]);
});

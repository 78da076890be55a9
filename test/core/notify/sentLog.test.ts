import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  addSentNotice,
  NoticeRate,
  readSentNotices,
  type SentNotice,
  wasSent,
} from "../../../src/core/notify/sentLog.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";
import { aNotice, anEnd } from "./notices.ts";

const folder = folderOfAllTests();
const fileSystem = filesOnDisk();

it("remembers sent alarms and ends across a resume, and treats a failure as news", async () => {
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

it("reads the end of a file of any size and skips foreign lines", async () => {
  const line = JSON.stringify({ key: "done", isEnd: true, step: null, timeMs: 1 });
  const text = `${"x".repeat(200_000)}\n{"key":1}\nnull\n${line}\n{"key":"cut`;
  await writeFile(join(folder, "notify.jsonl"), text);
  expect(await readSentNotices(fileSystem.within(folder), folder)).toEqual([JSON.parse(line)]);
});

const MINUTE_MS = 60_000;

const alarm = (key: string, minute: number): SentNotice => {
  return { key, isEnd: false, step: null, timeMs: minute * MINUTE_MS };
};
const end = (key: string, minute: number): SentNotice => {
  return { key, isEnd: true, step: null, timeMs: minute * MINUTE_MS };
};

describe("the rate limit of notices", () => {
  it("allows the same alarm every half hour, and others immediately", () => {
    const rate = new NoticeRate([]);
    const admitted = [alarm("a", 0), alarm("a", 29), alarm("b", 29), alarm("a", 30)];
    expect(admitted.map((notice) => rate.admit(notice))).toEqual([true, false, true, true]);
  });

  it("allows ten alarms per hour, plus an end", () => {
    const rate = new NoticeRate([]);
    const many = Array.from({ length: 15 }, (_, index) => rate.admit(alarm(`a${index}`, index)));
    expect(many.filter((isAdmitted) => isAdmitted)).toHaveLength(10);
    expect(rate.admit(end("failed", 15))).toBe(true);
    expect(rate.admit(alarm("later", 61))).toBe(true);
  });

  it("counts what earlier attempts sent, for a run that fails repeatedly and finally succeeds", () => {
    const past = Array.from({ length: 10 }, (_, index) => end("failed", index));
    const rate = new NoticeRate(past);
    expect(rate.admit(end("failed", 11))).toBe(false);
    expect(rate.admit(end("done", 12))).toBe(true);
    expect(rate.admit(end("failed", 61))).toBe(true);
  });

  it("is not affected by a future time in the folder", () => {
    expect(new NoticeRate([alarm("a", 1e9)]).admit(alarm("a", 0))).toBe(true);
  });
});

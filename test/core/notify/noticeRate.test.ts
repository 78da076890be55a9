import { describe, expect, it } from "vitest";
import { NoticeRate, type SentNotice } from "../../../src/core/notify/sentLog.ts";

const MINUTE_MS = 60_000;

const alarm = (key: string, minute: number): SentNotice => {
  return { key, isEnd: false, step: null, timeMs: minute * MINUTE_MS };
};
const end = (key: string, minute: number): SentNotice => {
  return { key, isEnd: true, step: null, timeMs: minute * MINUTE_MS };
};

describe("the rate of notices", () => {
  it("lets the same alarm through every half an hour, and others at once", () => {
    const rate = new NoticeRate([]);
    const admitted = [alarm("a", 0), alarm("a", 29), alarm("b", 29), alarm("a", 30)];
    expect(admitted.map((notice) => rate.admit(notice))).toEqual([true, false, true, true]);
  });

  it("lets ten alarms an hour through, and an end besides", () => {
    const rate = new NoticeRate([]);
    const many = Array.from({ length: 15 }, (_, index) => rate.admit(alarm(`a${index}`, index)));
    expect(many.filter((isAdmitted) => isAdmitted)).toHaveLength(10);
    expect(rate.admit(end("failed", 15))).toBe(true);
    expect(rate.admit(alarm("later", 61))).toBe(true);
  });

  it("counts what earlier attempts sent: a run that fails again and again, and is done in the end", () => {
    const past = Array.from({ length: 10 }, (_, index) => end("failed", index));
    const rate = new NoticeRate(past);
    expect(rate.admit(end("failed", 11))).toBe(false);
    expect(rate.admit(end("done", 12))).toBe(true);
    expect(rate.admit(end("failed", 61))).toBe(true);
  });

  it("is not stopped by a time that a folder claims for later", () => {
    expect(new NoticeRate([alarm("a", 1e9)]).admit(alarm("a", 0))).toBe(true);
  });
});

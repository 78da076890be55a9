import { describe, expect, it } from "vitest";
import type { Notice } from "../../../src/core/notify/notice.ts";
import { type EndedRun, RunNotices } from "../../../src/core/notify/runNotices.ts";
import type { ProgressEvent } from "../../../src/core/training/run/progress.ts";
import { anAlarm, aStep, STARTED } from "./notices.ts";

function noticesAfter(...events: readonly ProgressEvent[]): RunNotices {
  const notices = new RunNotices(() => ({ model_name: "Qwen/Qwen3-8B", max_cost_usd: 20 }));
  for (const event of events) notices.onProgress(event);
  return notices;
}

function endOf(end: EndedRun, ...events: readonly ProgressEvent[]): Notice | null {
  return noticesAfter(STARTED, aStep(0), ...events).onEnd(end);
}

const DONE = { outcome: "done" } as const;
const ending = (code: string) => ({ code, message: `Because of ${code}.` });

describe("the end of a run", () => {
  it("says how long it was, its reward, and what it cost of its budget", () => {
    const notice = endOf(DONE);
    expect(notice?.title).toBe("Run first (Qwen/Qwen3-8B) is done after 1 step.");
    expect(notice?.detail).toBe("Mean reward 0.75 in the last step. 1.2M tokens, $3.10 of $20.00.");
    expect(notice?.facts).toMatchObject({
      outcome: "done",
      step: 1,
      total_steps: 40,
      reward: 0.75,
    });
  });

  it.each<readonly [string, EndedRun, readonly string[], string]>([
    ["by its plan", DONE, ["end"], "is done after 1 step"],
    [
      "at its target",
      { ...DONE, ending: ending("target-reached") },
      ["end"],
      "is done after 1 step",
    ],
    [
      "by its user",
      { outcome: "stopped", ending: ending("stopped") },
      ["end"],
      "was stopped after 1 step",
    ],
    [
      "by a budget",
      { outcome: "stopped", ending: ending("cost-budget") },
      ["budget", "end"],
      "ended after 1 step",
    ],
    [
      "with nothing trained",
      { outcome: "stopped", ending: ending("empty-steps") },
      ["failure"],
      "failed after 1 step",
    ],
    [
      "by a fault",
      { outcome: "failed", ending: ending("disk") },
      ["failure"],
      "failed after 1 step",
    ],
  ])("%s is reported as such", (_, end, events, topic) => {
    const notice = endOf(end);
    expect([notice?.events, notice?.topic, notice?.isEnd]).toEqual([events, topic, true]);
    const isTold = end.ending !== undefined && end.ending.code !== "stopped";
    expect(notice?.detail.includes("Because of")).toBe(isTold);
  });

  it("is none for a run that was done before, or that did not begin", () => {
    expect(noticesAfter().onEnd({ outcome: "failed", ending: ending("key-missing") })).toBeNull();
    const resumed = noticesAfter();
    resumed.claimed("first");
    expect(resumed.onEnd(DONE)).toBeNull();
    const failed = resumed.onEnd({ outcome: "failed", ending: ending("disk") });
    expect(failed?.title).toBe("Run first (Qwen/Qwen3-8B) failed.");
  });

  it("of an evaluation has its results", () => {
    const started = {
      kind: "evaluation-started",
      folder: "/runs/e",
      name: "e",
      models: ["base"],
    } as const;
    const result = { environment: "Owner/Game", split: "test", temperature: 0, rewardMean: 0.5 };
    const evaluated = {
      kind: "evaluated",
      step: 0,
      purpose: "asked",
      results: [result],
      baseline: null,
    };
    const notice = noticesAfter(started, evaluated as unknown as ProgressEvent).onEnd(DONE);
    expect(notice?.title).toBe("Evaluation e (Qwen/Qwen3-8B) is done.");
    expect(notice?.detail).toBe("Owner/Game test greedy: mean reward 0.50.");
  });
});

describe("an alarm", () => {
  it("is reported with its step, what was seen and what it means", () => {
    const notice = noticesAfter(STARTED, aStep(0)).onProgress(anAlarm("tool_errors"));
    expect(notice).toMatchObject({
      events: ["alarm"],
      key: "tool_errors",
      isEnd: false,
      title: "Run first (Qwen/Qwen3-8B), step 3: Most tool calls fail.",
      facts: { alarm: "tool_errors", severity: "warning", step: 3 },
    });
    expect(notice?.detail).toMatch(/^This was seen\. This is what it means\. /);
  });

  it("about a budget counts as news of the budget", () => {
    const notice = noticesAfter(STARTED).onProgress(anAlarm("cost_budget"));
    expect(notice?.events).toEqual(["budget"]);
  });
});

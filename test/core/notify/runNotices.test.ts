import { describe, expect, it } from "vitest";
import type { Notice } from "../../../src/core/notify/notice.ts";
import { type EndedRun, RunNotices } from "../../../src/core/notify/runNotices.ts";
import type { ProgressEvent } from "../../../src/core/training/run/progress.ts";
import { aStoredResult } from "../runFolder/builders.ts";
import { aConfig } from "../training/builders.ts";
import { anAlarm, aStep, STARTED } from "./notices.ts";

function noticesAfter(...events: readonly ProgressEvent[]): RunNotices {
  const notices = new RunNotices(() => ({
    ...aConfig(),
    model_name: "Qwen/Qwen3-8B",
    max_cost_usd: 20,
  }));
  for (const event of events) notices.onProgress(event);
  return notices;
}

function endOf(end: EndedRun, ...events: readonly ProgressEvent[]): Notice | null {
  return noticesAfter(STARTED, aStep(0), ...events).onEnd(end);
}

const DONE = { outcome: "done" } as const;
const ending = (code: string) => ({ code, message: `Because of ${code}.` });

describe("the notice of a run's end", () => {
  it("has the run's length, its reward, and its cost out of the budget", () => {
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
      { outcome: "failed", ending: ending("empty-steps") },
      ["failure"],
      "failed after 1 step",
    ],
    [
      "by a fault",
      { outcome: "failed", ending: ending("disk") },
      ["failure"],
      "failed after 1 step",
    ],
  ])("reports %s as such", (_, end, events, topic) => {
    const notice = endOf(end);
    expect([notice?.events, notice?.topic, notice?.isEnd]).toEqual([events, topic, true]);
    const isTold = end.ending !== undefined && end.ending.code !== "stopped";
    expect(notice?.detail.includes("Because of")).toBe(isTold);
  });

  it("is not sent for a run that was already done, or that did not begin", () => {
    expect(noticesAfter().onEnd({ outcome: "failed", ending: ending("key-missing") })).toBeNull();
    const resumed = noticesAfter();
    resumed.claimed("first");
    expect(resumed.onEnd(DONE)).toBeNull();
    const failed = resumed.onEnd({ outcome: "failed", ending: ending("disk") });
    expect(failed?.title).toBe("Run first (Qwen/Qwen3-8B) failed.");
  });

  it("reports held-out results of a training run, even if the first evaluation was before a resume", () => {
    const was = [aStoredResult({ split: "test", temperature: 1, rewardMean: 0.25, low: null })];
    const now = [aStoredResult({ split: "test", temperature: 1, rewardMean: 0.75, low: null })];
    const notice = endOf(DONE, {
      kind: "evaluated",
      step: 1,
      purpose: "end",
      results: now,
      baseline: was,
    });
    expect(notice?.detail).toMatch(
      /^Held-out 0\.25 → 0\.75\. Mean reward 0\.75 in the last step\./,
    );
    expect(notice?.facts.results).toMatchObject([{ model: null, split: "test", reward: 0.75 }]);
  });

  it("has a line for each model in an evaluation, and their total usage", () => {
    const models = ["base", "step 10"];
    const notice = noticesAfter(
      { kind: "evaluation-started", folder: "/runs/e", name: "e", models },
      ...models.map(
        (name, index): ProgressEvent => ({
          kind: "evaluated",
          step: 0,
          purpose: "asked",
          model: { name, path: null },
          results: [aStoredResult({ environment: "Owner/Game", rewardMean: index / 2 })],
          baseline: null,
        }),
      ),
      {
        kind: "evaluation-ended",
        outcome: "done",
        used: { tokens: 1_200_000, costUsd: 3.1 },
      },
    ).onEnd(DONE);
    expect(notice?.title).toBe("Evaluation e (Qwen/Qwen3-8B) is done.");
    expect(notice?.detail.split("\n")).toEqual([
      expect.stringMatching(/^base, Owner\/Game .*: mean reward 0\.00\.$/),
      expect.stringMatching(/^step 10, Owner\/Game .*: mean reward 0\.50\.$/),
      "1.2M tokens, $3.10 of $20.00.",
    ]);
    expect(notice?.facts).toMatchObject({ tokens: 1_200_000, cost_usd: 3.1, reward: null });
    expect(notice?.facts.results.map(({ model, reward }) => [model, reward])).toEqual([
      ["base", 0],
      ["step 10", 0.5],
    ]);
  });
});

describe("an alarm", () => {
  it("is reported with its step, its observation, and its meaning", () => {
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

  it("about a budget is of the budget kind", () => {
    const notice = noticesAfter(STARTED).onProgress(anAlarm("cost_budget"));
    expect(notice?.events).toEqual(["budget"]);
  });
});

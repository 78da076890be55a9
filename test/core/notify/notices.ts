/** Notices and progress events of a run, for tests. */

import type { Notice } from "../../../src/core/notify/notice.ts";
import type { ProgressEvent } from "../../../src/core/training/run/progress.ts";

export function aNotice(changes: Partial<Notice> = {}): Notice {
  return {
    events: ["alarm"],
    key: "tool_errors",
    isEnd: false,
    topic: "Most tool calls fail",
    title: "Run first (Qwen/Qwen3-8B), step 3: Most tool calls fail.",
    detail: "60% of the calls were refused.",
    facts: {
      run: "first",
      model: "Qwen/Qwen3-8B",
      outcome: null,
      step: 3,
      total_steps: 40,
      reward: 0.5,
      loss: null,
      tokens: 1_000,
      cost_usd: null,
      max_cost_usd: null,
      alarm: "tool_errors",
      severity: "warning",
      results: [],
    },
    ...changes,
  };
}

export function anEnd(changes: Partial<Notice> = {}): Notice {
  const title = "Run first (Qwen/Qwen3-8B) is done after 40 steps.";
  const end = {
    events: ["end"],
    key: "done",
    isEnd: true,
    topic: "is done after 40 steps",
  } as const;
  return aNotice({ ...end, title, detail: "", ...changes });
}

export const STARTED: ProgressEvent = {
  kind: "started",
  folder: "/runs/first",
  name: "first",
  model: "Qwen/Qwen3-8B",
  step: 0,
  totalSteps: 40,
  isTotalAtMost: false,
  stopAtStep: null,
  groupsPerStep: 4,
  stepsAhead: 0,
  environments: ["Owner/Game"],
};

export function aStep(step: number): ProgressEvent {
  return {
    kind: "step-finished",
    step,
    totalSteps: 40,
    isTotalAtMost: false,
    rewardMean: 0.75,
    decidingReward: 0.75,
    trend: { direction: "unclear", steps: 1, groups: 4 },
    loss: 0,
    trainedGroups: 4,
    groups: 4,
    untrainedTokens: 0,
    failedAgents: 0,
    crashed: 0,
    learningRate: 1e-5,
    rolloutS: 1,
    trainS: 1,
    totalS: 2,
    sampledTokens: 100,
    etaS: null,
    used: { tokens: 1_200_000, costUsd: 3.1 },
  };
}

export function anAlarm(id: "tool_errors" | "cost_budget", step = 2): ProgressEvent {
  const isBudget = id === "cost_budget";
  return {
    kind: "alarm",
    id,
    step,
    title: isBudget ? "Most of the money is spent" : "Most tool calls fail",
    severity: isBudget ? "info" : "warning",
    seen: "This was seen.",
    meaning: "This is what it means.",
    edits: [],
  };
}

/** Facts about the model's behavior in a run's step. */

import type { BehaviorRow, RewardPart } from "../../../src/shared/changes.ts";

export function aBehaviorRow(step: number, ...parts: readonly Partial<RewardPart>[]): BehaviorRow {
  return {
    step,
    rollouts: 8,
    read: 8,
    tokens: 1,
    turns: 1,
    calls: 1,
    failedCalls: null,
    malformedCalls: null,
    thinking: null,
    answer: null,
    argument: null,
    refusals: null,
    stops: {},
    tools: {},
    parts: parts.map((part) => ({
      by: "split",
      name: "a train",
      mean: 0.5,
      low: 0.25,
      high: 0.75,
      rollouts: 8,
      ...part,
    })),
  };
}

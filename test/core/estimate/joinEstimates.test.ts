import { describe, expect, it } from "vitest";
import { joinEstimates } from "../../../src/core/estimate/joinEstimates.ts";
import { planWithoutRollouts } from "../../../src/core/estimate/plan.ts";
import type { EstimateReport, PartEstimate } from "../../../src/core/estimate/report.ts";

const range = (mean: number) => ({ mean, low: mean / 2, high: mean * 2 });
const BUDGETS = { max_cost_usd: 9, max_tokens_total: null, max_hours: null };
const PLAYED = { run: "/runs/one", steps: 4, groups: 8, rollouts: 64 };

function stage(name: string, tokens: number, changes: Partial<EstimateReport> = {}): PartEstimate {
  const none = range(0);
  const report: EstimateReport = {
    model: "Org/Model",
    estimate: {
      tokens: {
        sampled: range(tokens),
        prefill_cached: none,
        prefill_uncached: none,
        trained: none,
      },
      totalTokens: range(tokens),
      evaluationTokens: none,
      costUsd: range(tokens / 100),
      hours: { low: 1, high: 2 },
      steps: 5,
      unplayed: [],
    },
    plan: planWithoutRollouts(5),
    prices: null,
    restsOn: PLAYED,
    budgets: { max_cost_usd: null, max_tokens_total: null, max_hours: null },
    ...changes,
  };
  return { name, method: "rl", report };
}

function withEstimate(own: PartEstimate, changes: Partial<EstimateReport["estimate"]>) {
  const { report } = own;
  return { ...own, report: { ...report, estimate: { ...report.estimate, ...changes } } };
}

const stages = (...estimates: readonly PartEstimate[]) => ({ kind: "stages", estimates }) as const;

describe("the estimate of stages", () => {
  it("is their sum compared with the shared budget", () => {
    const joined = joinEstimates(stages(stage("a", 100), stage("b", 300)), BUDGETS);
    expect(joined.estimate).toMatchObject({
      totalTokens: { mean: 400, low: 200, high: 800 },
      costUsd: { mean: 4, low: 2, high: 8 },
      hours: { low: 2, high: 4 },
      steps: 10,
    });
    expect(joined).toMatchObject({ budgets: BUDGETS, plan: { steps: 10 }, restsOn: PLAYED });
    expect(joined.parts?.estimates.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("has no cost if one stage has none, and the time of stages whose time is known", () => {
    const examples = { run: null, steps: 0, groups: 0, rollouts: 0, examples: 20 };
    const imitated = withEstimate(stage("a", 100, { restsOn: examples }), {
      costUsd: null,
      hours: null,
    });
    const joined = joinEstimates(stages(imitated, stage("b", 300)), BUDGETS);
    expect(joined.estimate).toMatchObject({ costUsd: null, hours: { low: 1, high: 2 } });
    expect(joined.restsOn).toEqual(PLAYED);
    expect(joinEstimates(stages(imitated), BUDGETS)).toMatchObject({
      estimate: { hours: null },
      restsOn: examples,
    });
  });
});

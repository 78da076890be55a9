/** Output record of a training estimate. */

import * as z from "zod";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import type { EstimateParts, EstimateReport } from "../estimate/report.ts";
import { count, defineOutput, list } from "./output.ts";

const range = z.object({
  mean: z.number(),
  low: z.number().describe("90% of expected results are between low and high"),
  high: z.number(),
});

const method = z.enum(["rl", "sft", "collect"]);

const estimateShape = {
  steps: count.describe("steps covered by the estimate; 1 for an endless run"),
  isEndless: z.boolean(),
  tokens: z
    .object({
      sampled: range,
      prefill_cached: range,
      prefill_uncached: range,
      trained: range,
    })
    .describe("of training and evaluations together"),
  totalTokens: range,
  evaluationTokens: range.describe("the part for evaluations"),
  costUsd: range.nullable().describe("null: some prices are unknown"),
  hours: z.object({ low: z.number(), high: z.number() }).nullable(),
  unplayed: list(z.string()).describe("environments assumed to be like the others"),
  prices: z
    .object({
      source: z.enum(["configuration", "price_list"]),
      date: z.string().nullable().describe("when the list was fetched"),
      usdPerMillion: z.object({
        sampled: z.number(),
        prefill_cached: z.number(),
        prefill_uncached: z.number(),
        trained: z.number(),
      }),
    })
    .nullable(),
  restsOn: z.object({
    run: z.string().nullable().describe("folder of a past run; null: newly sampled groups"),
    steps: count,
    groups: count,
    rollouts: count,
    examples: count.exactOptional().describe("for a supervised run, the only basis"),
  }),
};

export const estimateOutput = defineOutput(
  { name: "estimate", version: 1, command: "estimate FILE --json" },
  {
    ...estimateShape,
    stages: list(z.object({ stage: z.string(), method, ...estimateShape }))
      .exactOptional()
      .describe("for a file with stages; all other fields are their sums"),
    runs: list(z.object({ run: z.string(), method, ...estimateShape }))
      .exactOptional()
      .describe("for a grid, named by their settings; all other fields are their sums"),
  },
);

export function describeEstimate(report: EstimateReport): ReturnType<typeof estimateOutput.of> {
  const partsOf = (kind: EstimateParts["kind"]) =>
    report.parts?.kind === kind ? report.parts.estimates : undefined;
  const stages = partsOf("stages")?.map(({ name, method, report: own }) => {
    return { stage: name, method, ...shaped(own) };
  });
  const runs = partsOf("runs")?.map(({ name, method, report: own }) => {
    return { run: name, method, ...shaped(own) };
  });
  return estimateOutput.of({ ...shaped(report), ...withoutUndefined({ stages, runs }) });
}

function shaped({ estimate, plan, prices, restsOn }: EstimateReport) {
  return {
    ...estimate,
    isEndless: plan.steps === null,
    prices: prices && { ...prices, usdPerMillion: prices.prices },
    restsOn,
  };
}

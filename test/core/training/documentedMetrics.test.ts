import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { fitMetrics } from "../../../src/core/runFolder/metrics/fitMetrics.ts";
import {
  flattenMetrics,
  type MetricsRow,
} from "../../../src/core/runFolder/metrics/metricsTree.ts";
import { buildSupervisedRow } from "../../../src/core/runFolder/metrics/supervisedRow.ts";
import { stepFacts } from "../runFolder/builders.ts";
import { anEvaluation } from "./builders.ts";
import { linesOf, PATHS } from "./fakeContext.ts";
import { prepareAhead } from "./loop/prepareAhead.ts";

/** The names in the first column of the table of metrics. A name without a `/` is beside the one before it in the row. */
function documented(): readonly RegExp[] {
  const [, section = ""] = readFileSync("docs/tracking.md", "utf8").split("\n| Metric |");
  return section.split("\n").flatMap((line) => {
    const [, cell = ""] = line.split(" | ")[0]?.split("| ") ?? [];
    let branch = "";
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, given = ""]) => {
      const name = given.includes("/") ? given : branch + given;
      branch = name.slice(0, name.lastIndexOf("/") + 1);
      // The children of a documented name are its statistics.
      return new RegExp(`^${name.replace(/…|<\w+>/g, ".+")}(/.+)?$`);
    });
  });
}

function undocumented(row: MetricsRow): readonly string[] {
  const names = documented();
  return Object.keys(flattenMetrics(row)).filter((key) => !names.some((name) => name.test(key)));
}

it("the tracking documentation has a row for each metric of a run that samples ahead and evaluates", async () => {
  const evaluation = anEvaluation({ at_start: true, at_end: true, every: 1, temperatures: [0, 1] });
  const config = {
    evaluation,
    num_passes: 2,
    overlong: "mask",
    off_policy_correction: "tis",
    refill: true,
    max_cost_usd: 100,
    prices: { sampled: 1, prefill_cached: 1, prefill_uncached: 1, trained: 1 },
  } as const;
  const run = prepareAhead({ stepsAhead: 1, steps: 4, config });
  await run.run();
  const rows = linesOf(run.context, PATHS.metrics) as readonly MetricsRow[];
  expect(Object.keys(flattenMetrics(rows.at(-1) ?? {})).length).toBeGreaterThan(100);
  expect([...new Set(rows.flatMap(undocumented))]).toEqual([]);
});

it("the tracking documentation has a row for each metric of a supervised run", () => {
  const row = buildSupervisedRow({
    ...stepFacts(),
    examples: 2,
    datums: 2,
    tokens: 20,
    trainedTokens: 10,
    heldOut: { loss: 1, examples: 1, tokens: 5 },
    trainS: 1,
    totalS: 2,
    extra: fitMetrics({ steps: 4, was: 2, now: 1, heldOut: 1 }),
  });
  expect(undocumented(row)).toEqual([]);
});

import { expect, it } from "vitest";
import { usedTotal } from "../../../webview-ui/views/usedTotal.ts";

/** The columns of a run whose last row has these values. */
function columnsWith(row: Readonly<Record<string, number>>) {
  return { rows: 1, at: (name: string) => row[name] ?? null };
}

const STEPS = { "tokens/cumulative/sampled": 300, "tokens/cumulative/trained": 200 };

it("tokens and cost of a run both include its evaluations, even one after the last row", () => {
  const columns = columnsWith({
    ...STEPS,
    "tokens/evaluation/prefill_uncached": 50,
    "cost/cumulative_usd": 2,
    "cost/evaluation_usd": 0.5,
  });
  expect(usedTotal(columns, { tokens: 0, costUsd: 0 })).toEqual({ tokens: 550, costUsd: 2.5 });
  expect(usedTotal(columns, { tokens: 9, costUsd: 1 })).toEqual({ tokens: 559, costUsd: 3.5 });
});

it("without prices there are tokens and no cost", () => {
  expect(usedTotal(columnsWith(STEPS), { tokens: 9, costUsd: null })).toEqual({
    tokens: 509,
    costUsd: null,
  });
});

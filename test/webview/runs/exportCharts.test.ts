// @vitest-environment happy-dom

import { expect, it } from "vitest";
import { saveCsv } from "../../../webview-ui/runs/exportCharts.ts";
import { aRow } from "./rows.ts";
import { aRunsPage } from "./runsPages.ts";

const COST = "cost/cumulative_usd";

/** The CSV of two runs over their cost, which only the first one has recorded. */
function csvOver(xRange: readonly [number, number] | null): string {
  const { runs, sent, receive, list } = aRunsPage();
  list([aRow("billed", 1, 1, 1), aRow("free", 1, 1, 1)]);
  runs.choose(["billed", "free"]);
  runs.compare.show(["billed", "free"], ["entropy"]);
  const part = (name: string, ...values: number[]) => {
    return { name, fromRow: 0, values: Float64Array.from(values) };
  };
  const run = { isReset: true, rows: 2, steps: part("", 0, 1) };
  const entropy = part("entropy", 3, 2);
  const columns = [entropy, part(COST, 0.5, 0.75)];
  receive({
    kind: "columns",
    runs: [
      { ...run, id: "billed", names: ["entropy", COST], columns },
      { ...run, id: "free", names: ["entropy"], columns: [entropy] },
    ],
  });
  runs.update({ charts: ["entropy"], xAxis: "cost", xRanges: { cost: xRange } });
  saveCsv(runs);
  const last = sent.at(-1);
  return last?.kind === "export" ? last.file.content : "";
}

it("a run that has not recorded the axis has no values for it", () => {
  expect(csvOver(null).trim().split(/\r?\n/)).toEqual([
    "run,step,cost,entropy",
    "billed,1,0.5,3",
    "billed,2,0.75,2",
    "free,1,,3",
    "free,2,,2",
  ]);
});

it("only the range of the horizontal zoom is exported", () => {
  expect(csvOver([0, 0.6]).trim().split(/\r?\n/)).toEqual([
    "run,step,cost,entropy",
    "billed,1,0.5,3",
  ]);
});

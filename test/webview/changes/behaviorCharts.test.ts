// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { BehaviorCharts } from "../../../webview-ui/changes/behaviorCharts.tsx";
import { aDashboard } from "../dashboards.ts";
import { drawn } from "../drawn.ts";
import { aBehaviorRow } from "./behaviorRows.ts";

function failedCallsChart(failures: readonly (number | null)[]): Element | undefined {
  const rows = failures.map((failedCalls, step) => ({ ...aBehaviorRow(step), failedCalls }));
  const { place } = drawn(
    h(BehaviorCharts, {
      dashboard: aDashboard().dashboard,
      behavior: { rows, steps: rows.length, progress: 1, isComplete: true, error: null },
      ranges: [],
    }),
  );
  return [...place.querySelectorAll(".behavior-chart")].find(({ textContent }) =>
    textContent?.includes("Failed calls"),
  );
}

it("a value in one step between two gaps is drawn as a point", () => {
  const chart = failedCallsChart([0.5, null, 0.25, 0.5]);
  const [line, points] = [...(chart?.querySelectorAll("path") ?? [])].map((path) =>
    path.getAttribute("d"),
  );
  expect(line?.match(/[ML]/g)?.join("")).toBe("MML");
  expect(points).toMatch(/^M[\d.]+ [\d.]+h0$/);
});

it("a tiny share is drawn low, and its highest value is labeled", () => {
  const rare = failedCallsChart([0, 0.01, 0]);
  expect(rare?.textContent).toContain("0% → 0%, highest 1%");
  const heights = rare
    ?.querySelector("path")
    ?.getAttribute("d")
    ?.match(/(?<= )[\d.]+/g)
    ?.map(Number);
  expect(heights?.[1]).toBeGreaterThan(24);
  expect(failedCallsChart([0, 1])?.textContent).not.toContain("highest");
});

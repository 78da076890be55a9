// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { BehaviorCharts } from "../../../webview-ui/changes/behaviorCharts.tsx";
import { aDashboard } from "../dashboards.ts";
import { drawn } from "../drawn.ts";
import { aBehaviorRow } from "./behaviorRows.ts";

it("what was measured in one step between two gaps is drawn as a point", () => {
  const failures = [0.5, null, 0.25, 0.5];
  const rows = failures.map((failedCalls, step) => ({ ...aBehaviorRow(step), failedCalls }));
  const { place } = drawn(
    h(BehaviorCharts, {
      dashboard: aDashboard().dashboard,
      behavior: { rows, steps: 4, progress: 1, isComplete: true, error: null },
      ranges: [],
    }),
  );
  const chart = [...place.querySelectorAll(".behavior-chart")].find(({ textContent }) =>
    textContent?.includes("Failed calls"),
  );
  const [line, points] = [...(chart?.querySelectorAll("path") ?? [])].map((path) =>
    path.getAttribute("d"),
  );
  expect(line?.match(/[ML]/g)?.join("")).toBe("MML");
  expect(points).toMatch(/^M[\d.]+ [\d.]+h0$/);
});

// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { LogNote } from "../../../../webview-ui/views/charts/chartFigure.tsx";
import { aDashboard } from "../../dashboards.ts";
import { drawn } from "../../drawn.ts";

it("a chart with a logarithmic axis says how many values it leaves out", () => {
  const { dashboard } = aDashboard();
  const note = (...columns: readonly number[][]) =>
    drawn(h(LogNote, { dashboard, columns: columns.map((own) => Float64Array.from(own)) })).place
      .textContent;
  expect(note([1, 0, -2])).toBe("");
  dashboard.update({ isLog: true });
  expect(note([1, Number.NaN])).toBe("");
  expect(note([1, 0, -2], [0])).toBe(
    "3 values at or below zero cannot be shown on a logarithmic axis.",
  );
});

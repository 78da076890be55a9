// @vitest-environment happy-dom

import { expect, it } from "vitest";
import { omittedText } from "../../../../webview-ui/views/charts/chartFigure.tsx";
import { aDashboard } from "../../dashboards.ts";

it("a chart with a logarithmic axis shows how many values it leaves out", () => {
  const { dashboard } = aDashboard();
  const note = (...columns: readonly number[][]) =>
    omittedText(
      dashboard,
      columns.map((own) => Float64Array.from(own)),
    );
  expect(note([1, 0, -2])).toBeNull();
  dashboard.update({ isLog: true });
  expect(note([1, Number.NaN])).toBeNull();
  expect(note([1, 0, -2], [0])).toBe(
    "3 values at or below zero cannot be shown on a logarithmic axis.",
  );
});

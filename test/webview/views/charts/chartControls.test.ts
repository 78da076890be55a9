// @vitest-environment happy-dom

import { h } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import { ChartControls } from "../../../../webview-ui/views/charts/chartControls.tsx";
import { aDashboard } from "../../dashboards.ts";
import { drawn } from "../../drawn.ts";

it("an axis selected for another run is neither shown nor offered if this run has not recorded it", () => {
  const { dashboard } = aDashboard();
  dashboard.update({ xAxis: "cost" });
  const { place } = drawn(h(ChartControls, { dashboard }));
  expect(place.textContent).not.toContain("Cost");
  void act(() => place.querySelector("button")?.click());
  expect(place.textContent).toContain("X axis");
  expect(place.textContent).not.toContain("Cost");
});

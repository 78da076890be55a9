// @vitest-environment happy-dom

import { h } from "preact";
import { act } from "preact/test-utils";
import { expect, it, vi } from "vitest";
import { SmallCharts } from "../../../../webview-ui/views/charts/smallCharts.tsx";
import { aDashboard } from "../../dashboards.ts";
import { drawn } from "../../drawn.ts";

// There is no canvas.
vi.mock("../../../../webview-ui/controls/plot.tsx", () => ({ Plot: () => null }));

it("a small chart shows the number of omitted values in its tooltip, so that nothing moves", () => {
  const { dashboard, receive } = aDashboard();
  const { place } = drawn(h(SmallCharts, { dashboard }));
  const append = (fromRow: number, value: number): void => {
    const values = Float64Array.of(value);
    const columns = [{ name: "optim/entropy", fromRow, values }];
    const steps = { name: "", fromRow, values: Float64Array.of(fromRow) };
    const names = fromRow === 0 ? ["optim/entropy"] : [];
    receive({ kind: "append", rows: fromRow + 1, names, steps, columns, isComplete: true });
  };
  const parts = () => Array.from(place.querySelectorAll(".small > *"), ({ tagName }) => tagName);
  const tooltip = () => place.querySelector(".small h3")?.getAttribute("title");
  void act(() => dashboard.update({ isLog: true }));
  append(0, 0.5);
  const before = { parts: parts(), tooltip: tooltip() };
  append(1, 0);
  expect(parts()).toEqual(before.parts);
  expect(tooltip()).toBe(
    `${before.tooltip}\n1 value at or below zero cannot be shown on a logarithmic axis.`,
  );
});

// @vitest-environment happy-dom

import { h } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import { CompareControls } from "../../../webview-ui/runs/compareControls.tsx";
import { drawn } from "../drawn.ts";
import { aRow } from "./rows.ts";
import { aRunsPage } from "./runsPages.ts";

it("the list of metrics opens with focus in its filter, and does not take focus back", () => {
  const { runs, receive, list } = aRunsPage();
  list([aRow("one", 1, 1, 1)]);
  runs.choose(["one"]);
  runs.compare.show(["one"], ["entropy"]);
  const steps = { name: "", fromRow: 0, values: Float64Array.of(0) };
  const of = { id: "one", isReset: true, rows: 1, steps };
  receive({ kind: "columns", runs: [{ ...of, names: ["entropy"], columns: [] }] });
  const { place } = drawn(h(CompareControls, { runs }));
  void act(() => place.querySelector<HTMLElement>(".metric-search button")?.click());
  expect(document.activeElement).toBe(place.querySelector("input[type=search]"));
  const box = place.querySelector<HTMLInputElement>(".metric-list input[type=checkbox]");
  box?.focus();
  void act(() => box?.click());
  expect(runs.layout.value.charts).toContain("entropy");
  expect(document.activeElement).toBe(box);
});

it("offers the horizontal axes that one of the runs has recorded, and draws over steps without the selected one", async () => {
  const { runs, receive, list } = aRunsPage();
  list([aRow("one", 1, 1, 1)]);
  runs.choose(["one"]);
  runs.compare.show(["one"], []);
  runs.update({ xAxis: "cost" });
  const offered = async (...names: string[]) => {
    const run = { id: "one", isReset: false, rows: 0, names, steps: null, columns: [] };
    receive({ kind: "columns", runs: [run] });
    await act(() => new Promise((resolve) => void requestAnimationFrame(() => resolve())));
    const { place } = drawn(h(CompareControls, { runs }));
    const [select] = place.querySelectorAll("select");
    const options = [...(select?.options ?? [])].map(({ value }) => value);
    return [options, select?.value, runs.xAxis.value];
  };
  expect(await offered("time/total_s")).toEqual([["step", "active"], "step", "step"]);
  const all = ["step", "active", "cost"];
  expect(await offered("cost/cumulative_usd")).toEqual([all, "cost", "cost"]);
});

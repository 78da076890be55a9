// @vitest-environment happy-dom

import { h } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import { CompareControls } from "../../../webview-ui/runs/compareControls.tsx";
import { drawn } from "../drawn.ts";
import { aRow } from "./rows.ts";
import { aRunsPage } from "./runsPages.ts";

it("the list of metrics begins at its filter, and leaves the focus where it is moved to", () => {
  const { runs, receive } = aRunsPage();
  receive({ kind: "rows", rows: [aRow("one", 1, 1, 1)], removed: [], settingKeys: [], unread: 0 });
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

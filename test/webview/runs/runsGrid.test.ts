// @vitest-environment happy-dom

import { h } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import { RunsGrid } from "../../../webview-ui/runs/runsGrid.tsx";
import { drawn } from "../drawn.ts";
import { aRow } from "./rows.ts";
import { aRunsPage } from "./runsPages.ts";

/** Runs 0 to 7, sorted by reward, highest first. */
function aGrid() {
  const { runs, sent, list } = aRunsPage();
  const report = (rewards: Readonly<Record<string, number>>): void =>
    list(Object.entries(rewards).map(([id, reward]) => aRow(id, 1, 1, reward)));
  runs.update({ sorting: { column: "reward.last", isDescending: true } });
  report(Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`run${index}`, 9 - index])));
  const { place } = drawn(h(RunsGrid, { runs }));
  const grid = place.querySelector(".grid");
  return {
    sent,
    report,
    chosen: () => [...runs.layout.value.chosen].sort(),
    names: () =>
      [...place.querySelectorAll('.grid-row [data-column="name"]')].map((cell) => cell.textContent),
    /** The editor's context for an element's menu: its own values override those of its ancestors. */
    menuOf: (selector: string) => {
      let context = {};
      let element = place.querySelector<HTMLElement>(selector);
      for (; element !== null; element = element.parentElement) {
        context = { ...JSON.parse(element.dataset["vscodeContext"] ?? "{}"), ...context };
      }
      return context;
    },
    /** True if the editor is asked for the menu of the grid itself. */
    asksForMenu: (button: number) => {
      const event = new MouseEvent("contextmenu", { bubbles: true, cancelable: true, button });
      return grid?.dispatchEvent(event);
    },
    click: (index: number, shiftKey = false) =>
      void act(() => {
        const event = new MouseEvent("click", { bubbles: true, shiftKey });
        place.querySelector(`#run-row-${index}`)?.dispatchEvent(event);
      }),
    doubleClick: (selector: string) =>
      void act(() => {
        const event = new MouseEvent("dblclick", { bubbles: true });
        place.querySelector(`#run-row-0 ${selector}`)?.dispatchEvent(event);
      }),
    press: (key: string, ctrlKey = false) =>
      void act(() => {
        const event = { key, ctrlKey, bubbles: true, cancelable: true };
        grid?.dispatchEvent(new KeyboardEvent("keydown", event));
      }),
    /** Keys that reach the editor, which listens around the page. */
    seen: () => {
      const keys: string[] = [];
      place.parentNode?.addEventListener("keydown", (event) => {
        keys.push((event as KeyboardEvent).key);
      });
      return keys;
    },
  };
}

it("a click starts a range that a Shift-click ends", () => {
  const { click, chosen } = aGrid();
  click(2);
  click(4, true);
  expect(chosen()).toEqual(["run2", "run3", "run4"]);
});

it("Ctrl+A selects all runs, and does not reach the editor's Select All", () => {
  const { press, chosen, seen } = aGrid();
  const keys = seen();
  press("a", true);
  press("ArrowDown");
  expect(chosen()).toHaveLength(8);
  expect(keys).toEqual(["ArrowDown"]);
});

it("keys act on the focused run, wherever new numbers have moved it", () => {
  const { press, report, sent, names } = aGrid();
  press("ArrowDown");
  report({ run7: 20 });
  expect(names()[1]).toContain("run0");
  press("Enter");
  expect(sent.at(-1)).toEqual({ kind: "open", id: "run1" });
});

it("a double click opens the run, except on a control of its row", () => {
  const { doubleClick, sent } = aGrid();
  const before = sent.length;
  for (const control of ["[type=checkbox]", ".star"]) doubleClick(control);
  expect(sent.slice(before)).toEqual([]);
  doubleClick('[data-column="name"]');
  expect(sent.slice(before)).toEqual([{ kind: "open", id: "run0" }]);
});

it("a range starts at the focused run, wherever new numbers have moved it", () => {
  const { click, report, chosen } = aGrid();
  click(2);
  report({ run7: 20 });
  click(4, true);
  expect(chosen()).toEqual(["run2", "run3"]);
});

it("a row has the context of the editor's menu, in place of copy and paste", () => {
  expect(aGrid().menuOf("#run-row-1")).toEqual({
    run: "run1",
    viewItem: "run+ended+training",
    preventDefaultContextMenuItems: true,
    chosen: [],
  });
});

it("a menu opened by keyboard is for the focused row; one opened with the mouse below the rows is for none", () => {
  const { press, menuOf, asksForMenu } = aGrid();
  press("ArrowDown");
  expect(menuOf(".grid")).toMatchObject({ run: "run1", viewItem: "run+ended+training" });
  expect(menuOf(".grid-head")).toMatchObject({ run: null, viewItem: "" });
  expect(menuOf(".grid-body")).toMatchObject({ run: null, viewItem: "" });
  expect([asksForMenu(0), asksForMenu(2)]).toEqual([true, false]);
});

it("the menu of a row knows the selected runs", () => {
  const { click, menuOf } = aGrid();
  click(2);
  click(4, true);
  expect(menuOf("#run-row-3")).toMatchObject({ run: "run3", chosen: ["run2", "run3", "run4"] });
});

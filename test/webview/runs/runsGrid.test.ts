// @vitest-environment happy-dom

import { h } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import { RunsGrid } from "../../../webview-ui/runs/runsGrid.tsx";
import { drawn } from "../drawn.ts";
import { aRow } from "./rows.ts";
import { aRunsPage } from "./runsPages.ts";

/** Runs 0 to 7, sorted by their rewards, the highest first. */
function aGrid() {
  const { runs, sent, receive } = aRunsPage();
  const report = (rewards: Readonly<Record<string, number>>): void => {
    const rows = Object.entries(rewards).map(([id, reward]) => aRow(id, 1, 1, reward));
    receive({ kind: "rows", rows, removed: [], settingKeys: [], unread: 0 });
  };
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
    /** What the editor reads for the menu of an element: what it says itself goes before what those around it say. */
    menuOf: (selector: string) => {
      let context = {};
      let element = place.querySelector<HTMLElement>(selector);
      for (; element !== null; element = element.parentElement) {
        context = { ...JSON.parse(element.dataset["vscodeContext"] ?? "{}"), ...context };
      }
      return context;
    },
    /** True when the editor is asked for a menu of the grid itself. */
    asksForMenu: (button: number) => {
      const event = new MouseEvent("contextmenu", { bubbles: true, cancelable: true, button });
      return grid?.dispatchEvent(event);
    },
    click: (index: number, shiftKey = false) =>
      void act(() => {
        const event = new MouseEvent("click", { bubbles: true, shiftKey });
        place.querySelector(`#run-row-${index}`)?.dispatchEvent(event);
      }),
    press: (key: string, ctrlKey = false) =>
      void act(() => {
        const event = { key, ctrlKey, bubbles: true, cancelable: true };
        grid?.dispatchEvent(new KeyboardEvent("keydown", event));
      }),
    /** Keys that the editor would see, which listens around the page. */
    seen: () => {
      const keys: string[] = [];
      place.parentNode?.addEventListener("keydown", (event) => {
        keys.push((event as KeyboardEvent).key);
      });
      return keys;
    },
  };
}

it("a click begins a range that a click with Shift ends", () => {
  const { click, chosen } = aGrid();
  click(2);
  click(4, true);
  expect(chosen()).toEqual(["run2", "run3", "run4"]);
});

it("Ctrl+A chooses all runs, and is not the editor's key for all text of the page", () => {
  const { press, chosen, seen } = aGrid();
  const keys = seen();
  press("a", true);
  press("ArrowDown");
  expect(chosen()).toHaveLength(8);
  expect(keys).toEqual(["ArrowDown"]);
});

it("keys act on the run that was moved to, wherever new numbers have put it", () => {
  const { press, report, sent, names } = aGrid();
  press("ArrowDown");
  report({ run7: 20 });
  expect(names()[1]).toContain("run0");
  press("Enter");
  expect(sent.at(-1)).toEqual({ kind: "open", id: "run1" });
});

it("a range begins at the run that was moved to, wherever new numbers have put it", () => {
  const { click, report, chosen } = aGrid();
  click(2);
  report({ run7: 20 });
  click(4, true);
  expect(chosen()).toEqual(["run2", "run3"]);
});

it("a row has what the editor's menu needs, in the place of copy and paste", () => {
  expect(aGrid().menuOf("#run-row-1")).toEqual({
    run: "run1",
    viewItem: "run+ended+training",
    preventDefaultContextMenuItems: true,
    chosen: [],
  });
});

it("the menu that a key opens is about the row of the cursor, one of the mouse below the rows about none", () => {
  const { press, menuOf, asksForMenu } = aGrid();
  press("ArrowDown");
  expect(menuOf(".grid")).toMatchObject({ run: "run1", viewItem: "run+ended+training" });
  expect(menuOf(".grid-head")).toMatchObject({ run: null, viewItem: "" });
  expect(menuOf(".grid-body")).toMatchObject({ run: null, viewItem: "" });
  expect([asksForMenu(0), asksForMenu(2)]).toEqual([true, false]);
});

it("the menu of a row knows which runs are chosen", () => {
  const { click, menuOf } = aGrid();
  click(2);
  click(4, true);
  expect(menuOf("#run-row-3")).toMatchObject({ run: "run3", chosen: ["run2", "run3", "run4"] });
});

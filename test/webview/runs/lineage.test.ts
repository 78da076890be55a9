import { expect, it } from "vitest";
import { lineageCells, parentsOf } from "../../../webview-ui/runs/lineage.ts";
import { aRow } from "./rows.ts";

const row = (name: string, from: string | null = null) => ({ ...aRow(name, 0.1, 1, 0.5), from });
const items = (rows: readonly ReturnType<typeof row>[]) =>
  rows.map((each) => ({ kind: "run", row: each, isInGroup: false }) as const);

it("a chain is one line of dots, and a second branch has its own lane", () => {
  const chain = [row("third", "second"), row("second", "first"), row("first")];
  const of = (rows: readonly ReturnType<typeof row>[]) =>
    lineageCells(items(rows), parentsOf(rows));
  expect([...of(chain)]).toEqual([
    ["third", { lane: 0, up: [], down: [0], joins: null }],
    ["second", { lane: 0, up: [0], down: [0], joins: null }],
    ["first", { lane: 0, up: [0], down: [], joins: null }],
  ]);
  const branches = [row("x2", "x"), row("y2", "y"), row("other"), row("x"), row("y")];
  const cells = of(branches);
  expect(cells.get("y2")).toEqual({ lane: 1, up: [0], down: [0, 1], joins: null });
  expect(cells.get("other")).toEqual({ lane: -1, up: [0, 1], down: [0, 1], joins: null });
  expect(cells.get("x")).toEqual({ lane: 0, up: [0, 1], down: [1], joins: null });
});

it("a run that starts from one run and is the start of others joins two lanes", () => {
  const rows = [row("leaf", "middle"), row("side", "root"), row("middle", "root"), row("root")];
  const cells = lineageCells(items(rows), parentsOf(rows));
  expect(cells.get("middle")).toMatchObject({ lane: 0, joins: 1 });
});

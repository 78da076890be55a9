import { expect, it } from "vitest";
import { lineageCells, parentsOf } from "../../../webview-ui/runs/lineage.ts";
import { aRow } from "./rows.ts";

const row = (name: string, from: string | null = null) => ({
  ...aRow(name, 0.1, 1, 0.5),
  settings: { init_from: JSON.stringify(from) },
});
const items = (rows: readonly ReturnType<typeof row>[]) =>
  rows.map((each) => ({ kind: "run", row: each, isInGroup: false }) as const);

it("a run begins with the one whose folder it names, however it names it", () => {
  const rows = [
    row("base"),
    row("a", ".tinker-rl/runs/base"),
    row("b", "C:\\runs\\base"),
    row("c", "tinker://base/weights/final"),
    row("d", "elsewhere/gone"),
  ];
  const parents = parentsOf(rows);
  expect([...parents].map(([id, { name }]) => [id, name])).toEqual([
    ["a", "base"],
    ["b", "base"],
  ]);
});

it("a chain is one line of dots, and a second branch has a lane of its own", () => {
  const chain = [row("third", "r/second"), row("second", "r/first"), row("first")];
  const of = (rows: readonly ReturnType<typeof row>[]) =>
    lineageCells(items(rows), parentsOf(rows));
  expect([...of(chain)]).toEqual([
    ["third", { lane: 0, up: [], down: [0], joins: null }],
    ["second", { lane: 0, up: [0], down: [0], joins: null }],
    ["first", { lane: 0, up: [0], down: [], joins: null }],
  ]);
  const branches = [row("x2", "r/x"), row("y2", "r/y"), row("other"), row("x"), row("y")];
  const cells = of(branches);
  expect(cells.get("y2")).toEqual({ lane: 1, up: [0], down: [0, 1], joins: null });
  expect(cells.get("other")).toEqual({ lane: -1, up: [0, 1], down: [0, 1], joins: null });
  expect(cells.get("x")).toEqual({ lane: 0, up: [0, 1], down: [1], joins: null });
});

it("a run that begins with one and that others begin with joins two lanes", () => {
  const rows = [
    row("leaf", "r/middle"),
    row("side", "r/root"),
    row("middle", "r/root"),
    row("root"),
  ];
  const cells = lineageCells(items(rows), parentsOf(rows));
  expect(cells.get("middle")).toMatchObject({ lane: 0, joins: 1 });
});

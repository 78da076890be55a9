import { describe, expect, it } from "vitest";
import { NO_MARK } from "../../../src/shared/marks.ts";
import type { RunsTableRow } from "../../../src/shared/runsPage.ts";
import { columnsFor, inOrder, shownColumns } from "../../../webview-ui/runs/runColumns.ts";
import {
  groupRows,
  meanAndSpread,
  sortedRows,
  tableItems,
} from "../../../webview-ui/runs/tableItems.ts";

const KEYS = ["learning_rate", "seed", "run_name"];

function aRow(id: string, learningRate: number, seed: number, reward: number | null): RunsTableRow {
  return {
    ...{ id, name: id, state: "done", startedAtMs: 0, steps: 1, totalSteps: 2, reward },
    ...{ tokens: null, costUsd: null, digest: null, mark: NO_MARK },
    settings: {
      learning_rate: JSON.stringify(learningRate),
      seed: JSON.stringify(seed),
      run_name: JSON.stringify(id),
    },
  };
}

const ROWS = [
  aRow("a", 0.1, 1, 0.2),
  aRow("b", 0.02, 1, 0.5),
  aRow("c", 0.1, 2, 0.4),
  aRow("d", 0.02, 2, null),
];
const columns = columnsFor(ROWS, KEYS);
const reward = columns.find(({ key }) => key === "reward.last");
const ids = (rows: readonly RunsTableRow[]): string => rows.map(({ id }) => id).join("");

describe("the rows of the runs table", () => {
  it("are sorted by number, and those without a value stand last in either direction", () => {
    expect(ids(sortedRows(ROWS, reward, false))).toBe("acbd");
    expect(ids(sortedRows(ROWS, reward, true))).toBe("bcad");
    const rate = columns.find(({ key }) => key === "learning_rate");
    expect(ids(sortedRows(ROWS, rate, false))).toBe("bdac");
  });

  it("stand in groups of one setting, or of all others but names", () => {
    const by = groupRows(ROWS, { key: "seed", isOver: false }, KEYS);
    expect(by.map(({ label, rows }) => [label, ids(rows)])).toEqual([
      ["seed = 1", "ab"],
      ["seed = 2", "cd"],
    ]);
    const over = groupRows(ROWS, { key: "seed", isOver: true }, KEYS);
    expect(over.map(({ label, rows }) => [label, ids(rows)])).toEqual([
      ["learning_rate = 0.1", "ac"],
      ["learning_rate = 0.02", "bd"],
    ]);
  });

  it("have groups in the order of their means, and none below a closed one", () => {
    const [first] = groupRows(ROWS, { key: "seed", isOver: true }, KEYS);
    const items = tableItems(ROWS, {
      grouping: { key: "seed", isOver: true },
      closedGroups: [first?.key ?? ""],
      settingKeys: KEYS,
      column: reward,
      sorting: { column: "reward.last", isDescending: true },
    });
    expect(items.map((item) => (item.kind === "run" ? item.row.id : item.group.label))).toEqual([
      "learning_rate = 0.02",
      "b",
      "d",
      "learning_rate = 0.1",
    ]);
  });

  it("have a mean with the spread between runs, of those that have a value", () => {
    const read = { value: ({ reward: own }: RunsTableRow) => own };
    expect(meanAndSpread(ROWS.slice(0, 2), read)?.mean).toBeCloseTo(0.35);
    expect(meanAndSpread(ROWS.slice(0, 2), read)?.spread).toBeCloseTo(0.2121, 4);
    expect(meanAndSpread(ROWS.slice(1), read)?.mean).toBeCloseTo(0.45);
    expect(meanAndSpread(ROWS.slice(3), read)).toBeNull();
  });
});

describe("the columns of the runs table", () => {
  it("hold settings that differ, of which names are not shown at first", () => {
    const shown = shownColumns(columns, { order: [], shown: {} }).map(({ key }) => key);
    expect(shown).toContain("learning_rate");
    expect(shown).not.toContain("run_name");
  });

  it("keep the place that they were moved to when others come", () => {
    const moved = ["learning_rate", "name"];
    const [first, second] = inOrder(columns, moved).map(({ key }) => key);
    expect([first, second]).toContain("learning_rate");
    const order = ["state", "name", "reward.last"];
    const keys = inOrder(columns, order).map(({ key }) => key);
    expect(keys.slice(0, 5)).toEqual(["state", "name", "star", "reward.last", "reward.best"]);
  });
});

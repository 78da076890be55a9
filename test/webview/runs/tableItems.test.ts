import { describe, expect, it } from "vitest";
import type { RunsTableRow } from "../../../src/shared/runsPage.ts";
import {
  columnsFor,
  inOrder,
  offeredGroupings,
  resultColumns,
  shownColumns,
} from "../../../webview-ui/runs/runColumns.ts";
import {
  groupRows,
  meanAndSpread,
  sortedRows,
  tableItems,
} from "../../../webview-ui/runs/tableItems.ts";
import { aRow } from "./rows.ts";

const KEYS = ["learning_rate", "seed"];

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
  it("are sorted by number, and those without a value are last in both directions", () => {
    expect(ids(sortedRows(ROWS, reward, false))).toBe("acbd");
    expect(ids(sortedRows(ROWS, reward, true))).toBe("bcad");
    const rate = columns.find(({ key }) => key === "learning_rate");
    expect(ids(sortedRows(ROWS, rate, false))).toBe("bdac");
  });

  it("are grouped by one setting, or by all others", () => {
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

  it("have groups that start with the settings varied by sweeps", () => {
    const rows = ROWS.map((row, index) => ({
      ...row,
      settings: { ...row.settings, max_turns: String(index % 2) },
      sweep: {
        id: "s",
        name: "s",
        settings: { learning_rate: "0.1" },
        isStages: false,
        hasLeft: false,
      },
    }));
    const [first] = groupRows(rows, { key: "seed", isOver: true }, ["max_turns", ...KEYS]);
    expect(first?.label).toBe("learning_rate = 0.1 · max_turns = 0");
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

  it("have a mean with the spread between runs that have a value", () => {
    const read = { value: ({ reward: own }: RunsTableRow) => own };
    expect(meanAndSpread(ROWS.slice(0, 2), read)?.mean).toBeCloseTo(0.35);
    expect(meanAndSpread(ROWS.slice(0, 2), read)?.spread).toBeCloseTo(0.2121, 4);
    expect(meanAndSpread(ROWS.slice(1), read)?.mean).toBeCloseTo(0.45);
    expect(meanAndSpread(ROWS.slice(3), read)).toBeNull();
  });
});

describe("the columns of the runs table", () => {
  it("contain the settings that differ", () => {
    const shown = shownColumns(columns, { order: [], shown: {} }).map(({ key }) => key);
    expect(shown).toContain("learning_rate");
  });

  it("stay where they were moved when others are added", () => {
    const moved = ["learning_rate", "name"];
    const [first, second] = inOrder(columns, moved).map(({ key }) => key);
    expect([first, second]).toContain("learning_rate");
    const order = ["state", "name", "reward.last"];
    const keys = inOrder(columns, order).map(({ key }) => key);
    expect(keys.slice(0, 5)).toEqual(["state", "name", "star", "reward.last", "reward.best"]);
  });
});

describe("the offered columns and groups", () => {
  const aSweepRow = (id: string, learningRate: number): RunsTableRow => ({
    ...aRow(id, learningRate, 1, 0.5),
    sweep: {
      id: "s",
      name: "math-sweep",
      settings: { learning_rate: String(learningRate) },
      isStages: false,
      hasLeft: false,
    },
  });
  const evaluated = (cells: readonly string[]): RunsTableRow => {
    const result = { mean: 0.5, low: 0.4, high: 0.6, step: 1, failed: 0 };
    const evaluations = Object.fromEntries(cells.map((cell) => [cell, result]));
    const digest = { best: null, mean: null, seconds: 1, metrics: {}, alarms: 0, evaluations };
    return { ...aRow("a", 0.1, 1, 0.2), digest };
  };
  const evaluationHeads = (cells: readonly string[]): readonly string[] =>
    columnsFor([evaluated(cells)], [])
      .filter(({ key }) => key.startsWith("eval."))
      .map(({ head }) => head);

  it("start with a run's results, followed by the settings varied by sweeps", () => {
    const rows = [aSweepRow("a", 0.1), { ...evaluated(["local/a test greedy"]), id: "b" }];
    const all = columnsFor(rows, ["seed", "learning_rate"]);
    expect(shownColumns(all, { order: [], shown: {} }).map(({ key }) => key)).toEqual([
      "name",
      "star",
      "state",
      "reward.last",
      "reward.best",
      "eval.local/a test greedy",
      "sweep",
      "learning_rate",
      "seed",
      ...["reward.mean", "steps", "time", "tokens", "cost", "alarms", "started"],
    ]);
  });

  it("name evaluations by the parts in which they differ", () => {
    expect(evaluationHeads(["local/calculator test greedy"])).toEqual(["Evaluation"]);
    expect(
      evaluationHeads(["local/calculator test greedy", "local/calculator test temperature 1"]),
    ).toEqual(["Eval greedy", "Eval temperature 1"]);
    expect(evaluationHeads(["local/a test greedy", "local/b train greedy"])).toEqual([
      "Eval a test",
      "Eval b train",
    ]);
    expect(evaluationHeads(["x/a test greedy", "y/a test greedy"])).toEqual([
      "x/a test greedy",
      "y/a test greedy",
    ]);
  });

  it("show whole alarm counts, and decimals for their mean", () => {
    const alarms = columns.find(({ key }) => key === "alarms");
    expect([alarms?.text(evaluated([])), alarms?.format(0.25)]).toEqual(["0", "0.250"]);
  });

  it("list results of runs before their costs, as for a sweep", () => {
    const first = (rows: readonly RunsTableRow[]) => resultColumns(columnsFor(rows, []), rows)[0];
    const supervised = { ...evaluated([]), reward: null };
    const digest = supervised.digest && { ...supervised.digest, metrics: { loss: 0.5 } };
    expect(first(ROWS)?.key).toBe("reward.last");
    expect(first([{ ...supervised, digest }])?.key).toBe("loss");
    expect(first([{ ...evaluated(["a test greedy"]), reward: null }])?.key).toMatch(/^eval/);
    expect(first([supervised])?.key).toBe("reward.last");
  });

  it("have no time for a run without steps", () => {
    const time = columns.find(({ key }) => key === "time");
    const { digest } = evaluated([]);
    const lasting = (seconds: number) =>
      time?.text({ ...evaluated([]), digest: digest && { ...digest, seconds } });
    expect([lasting(0), lasting(12)]).toEqual(["–", "12 s"]);
  });

  it("start with the losses of supervised runs, with the held-out one if all have measured it", () => {
    const aFit = (heldOut: number | null): RunsTableRow => ({
      ...aRow("a", 0.1, 1, null),
      fit: { now: 0.5, heldOut },
    });
    const firstOf = (rows: readonly RunsTableRow[]) => {
      const [first] = resultColumns(columnsFor(rows, []), rows);
      return [first?.key, first?.isShownAtFirst, rows.map((row) => first?.value(row))];
    };
    expect(firstOf([aFit(0.2), aFit(0.3)])).toEqual(["held_out_loss", true, [0.2, 0.3]]);
    expect(firstOf([aFit(0.2), aFit(null)])).toEqual(["mean_loss", true, [0.5, 0.5]]);
    const shown = shownColumns(columns, { order: [], shown: {} }).map(({ key }) => key);
    expect(shown).not.toContain("mean_loss");
  });

  it("offer groups by settings varied in sweeps, and by keys that group runs, not by one that a single run has", () => {
    const rows = [aSweepRow("a", 0.1), aSweepRow("b", 0.02), aSweepRow("c", 0.02)].map(
      (row, index) => ({
        ...row,
        settings: {
          ...row.settings,
          lora_rank: index === 0 ? "4" : "8",
          ...(index === 0 && { only_here: "1" }),
          each_its_own: String(index),
        },
      }),
    );
    const keys = ["learning_rate", "seed", "lora_rank", "only_here", "each_its_own"];
    expect(offeredGroupings(rows, keys)).toEqual({
      varied: ["learning_rate"],
      others: ["lora_rank"],
    });
  });
});

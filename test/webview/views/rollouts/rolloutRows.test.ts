import { describe, expect, it } from "vitest";
import type { ReplayTurn, RolloutRow } from "../../../../src/shared/dashboardTypes.ts";
import { NO_MARK } from "../../../../src/shared/marks.ts";
import { toCsv, toMarkdown } from "../../../../webview-ui/controls/export.ts";
import {
  firstViewState,
  NO_FILTER,
  restoreViewState,
} from "../../../../webview-ui/model/viewState.ts";
import { histogram } from "../../../../webview-ui/views/charts/histogram.tsx";
import { divergenceOf } from "../../../../webview-ui/views/replay/divergence.ts";
import {
  extremeOf,
  groupStats,
  tableLines,
} from "../../../../webview-ui/views/rollouts/rolloutGroups.ts";
import {
  columnsOf,
  filterRows,
  NO_CONTEXT,
  ROLLOUT_COLUMNS,
  sortRows,
  trainingUseText,
} from "../../../../webview-ui/views/rollouts/rolloutRows.ts";
import type { TableContext } from "../../../../webview-ui/views/rollouts/tableContext.ts";

function row(changes: Partial<RolloutRow>): RolloutRow {
  return {
    taskText: "What is 2 + 3?",
    penalty: 0,
    source: "training",
    step: 0,
    group: 0,
    rollout: 0,
    temperature: null,
    environment: "local/calculator",
    split: "train",
    index: 3,
    reward: 0.5,
    advantage: 0,
    trainingUse: "trained",
    turns: 1,
    tokens: 10,
    toolCalls: 1,
    failedToolCalls: 0,
    stop: "reached_terminal_state",
    error: null,
    durationMs: 100,
    streams: [0],
    ...changes,
  };
}

const rows = [
  row({ rollout: 0, reward: 1 }),
  row({
    rollout: 1,
    reward: null,
    stop: "error",
    error: "answered 503",
    trainingUse: "excluded:failed",
  }),
  row({ rollout: 2, reward: 0.25, stop: "max_turns" }),
  row({ rollout: 3, reward: 0.25, trainingUse: null }),
];
const positions = (shown: readonly RolloutRow[]): readonly number[] =>
  shown.map(({ rollout }) => rollout);

describe("the list of rollouts", () => {
  it("sorts by any column, failed ones last in both directions, equal ones in their order", () => {
    const by = (isDescending: boolean) =>
      positions(sortRows(rows, { column: "reward", isDescending }));
    expect(by(false)).toEqual([2, 3, 0, 1]);
    expect(by(true)).toEqual([0, 2, 3, 1]);
  });

  it("sorts groups by their mean, and rollouts within a group best first", () => {
    const grouped = [0.25, 1, 0, 0.5].map((reward, rollout) =>
      row({ group: rollout % 2, rollout, reward }),
    );
    const mean = [0.125, 0.75];
    const groupOf = ({ group }: RolloutRow) => ({ mean: mean[group] ?? null }) as never; // only the members it reads
    const sorting = { column: "groupMean", isDescending: false } as const;
    expect(positions(sortRows(grouped, sorting, { ...NO_CONTEXT, groupOf }))).toEqual([0, 2, 1, 3]);
  });

  it("filters by words, reward, stop reason and use, combined", () => {
    const by = (filter: Partial<typeof NO_FILTER>) =>
      positions(filterRows(rows, { ...NO_FILTER, ...filter }));
    expect(by({})).toEqual([0, 1, 2, 3]);
    expect(by({ text: "503 error" })).toEqual([1]);
    expect(by({ text: "local/calculator:train:3" })).toEqual([0, 1, 2, 3]);
    const twenty = [row({ index: 2 }), row({ rollout: 1, index: 20 })];
    const text = "local/calculator:train:2";
    expect(positions(filterRows(twenty, { ...NO_FILTER, text }))).toEqual([0]);
    expect(by({ rewardLow: 0.25, rewardHigh: 0.25 })).toEqual([2, 3]);
    expect(by({ stop: "max_turns" })).toEqual([2]);
    expect(by({ trainingUse: "waiting" })).toEqual([3]);
    expect(by({ rewardHigh: 0.5, text: "calculator", trainingUse: "trained" })).toEqual([2]);
  });

  it("has the rollouts of each bar of the histogram, however large their rewards are", () => {
    const rewards = [1, 4, 5, 10, 100, -100, 1e6].map((third) => third / 3);
    const all = rewards.map((reward, rollout) => row({ rollout, reward }));
    const found = histogram(rewards).map(({ low, high }) =>
      positions(filterRows(all, { ...NO_FILTER, rewardLow: low, rewardHigh: high })),
    );
    expect(found).toEqual([[5], [0], [1], [2], [3], [4], [6]]);
  });

  it("filters an evaluation by model, and the run's own weights by null", () => {
    const evaluated = ["A", "B"].map((model, rollout) => row({ rollout, model }));
    const by = (model: string) => filterRows(evaluated, { ...NO_FILTER, model });
    expect(["", "A", "B"].map((model) => positions(by(model)))).toEqual([[0, 1], [0], [1]]);
    expect(filterRows(rows, { ...NO_FILTER, model: "A" })).toEqual(rows);
  });

  it("counts groups and rollouts from 1 and says why one was left out", () => {
    const column = ROLLOUT_COLUMNS.find(({ key }) => key === "rollout");
    expect(column?.text(row({ group: 2, rollout: 4 }), NO_CONTEXT)).toBe("3.5");
    expect(trainingUseText("excluded:zero_variance")).toBe("skipped: equal rewards");
    expect(trainingUseText("excluded:some_new_reason")).toBe("skipped: some new reason");
  });
});

describe("marks", () => {
  const mark = { star: false, pin: false, tags: ["hack"], note: "reads the answer" };
  const context: TableContext = {
    ...NO_CONTEXT,
    markOf: ({ rollout }) => (rollout === 2 ? mark : { ...NO_MARK, pin: rollout === 3 }),
  };

  it("filter the list by star, pin, note and tag, and are searched", () => {
    const by = (filter: Partial<typeof NO_FILTER>) =>
      positions(filterRows(rows, { ...NO_FILTER, ...filter }, undefined, context.markOf));
    expect(by({ mark: "note" })).toEqual([2]);
    expect(by({ mark: "tag:hack" })).toEqual([2]);
    expect(by({ mark: "pin" })).toEqual([3]);
    expect(by({ mark: "star" })).toEqual([]);
    expect(by({ text: "reads answer" })).toEqual([2]);
  });

  it("put pinned rollouts on top, regardless of the sort order", () => {
    const sorted = sortRows(rows, { column: "reward", isDescending: true }, context);
    expect(positions(sorted)).toEqual([3, 0, 2, 1]);
  });
});

describe("groups", () => {
  const groups = [
    row({ group: 1, rollout: 0, reward: 0 }),
    row({ group: 0, rollout: 0, reward: 1 }),
    row({ group: 1, rollout: 1, reward: 1 }),
    row({ group: 0, rollout: 1, reward: null }),
  ];

  it("have the mean and the spread of their known rewards", () => {
    const stats = groupStats(groups);
    expect(stats.get(1)).toMatchObject({ size: 2, scored: 2, mean: 0.5, low: 0, high: 1 });
    expect(stats.get(1)?.spread).toBeCloseTo(Math.SQRT1_2);
    expect(stats.get(0)).toMatchObject({ size: 2, scored: 1, mean: 1, spread: null });
  });

  it("are placed at their first rollout, and show only their header if closed", () => {
    const lines = tableLines(groups, true, [0]);
    expect(lines.map(({ kind, row: own }) => [kind, own.group, own.rollout])).toEqual([
      ["group", 1, 0],
      ["rollout", 1, 0],
      ["rollout", 1, 1],
      ["group", 0, 0],
    ]);
  });

  it("name their best and worst rollout, and skip failed ones", () => {
    const own = groups.filter(({ group }) => group === 1);
    expect(extremeOf(own, "best")?.rollout).toBe(1);
    expect(extremeOf(own, "worst")?.rollout).toBe(0);
    expect(extremeOf([row({ reward: null })], "best")).toBeNull();
  });
});

describe("two rollouts of one task", () => {
  const turn = (words: string, answer: string): ReplayTurn => ({
    reasoning: null,
    content: text(words),
    afterCalls: text(""),
    sampled: text(words),
    calls: [],
    errors: [],
    asked: null,
    nudge: null,
    stopReason: "stop",
    tokens: 3,
    stream: 0,
    results: [{ name: "t", text: text(answer), isError: false, reward: null, finished: false }],
  });
  const text = (words: string) => ({ text: words, omitted: 0 });

  it("diverge in the first turn with different messages", () => {
    const base = [turn("look", "three files"), turn("open", "text")];
    const parted = (other: readonly ReplayTurn[]) =>
      divergenceOf({ turns: base }, { turns: other });
    expect(parted(base)).toBeNull();
    expect(parted([turn("look", "three files"), turn("close", "text")])).toEqual({
      turn: 1,
      by: "model",
    });
    expect(parted([turn("look", "no files")])).toEqual({ turn: 0, by: "environment" });
    expect(parted(base.slice(0, 1))).toEqual({ turn: 1, by: "model" });
  });
});

describe("exports", () => {
  const table = {
    heads: ["step", "=cmd(), x"],
    rows: [
      [1, 0.1 + 0.2],
      [2, null],
    ],
  };

  it("keep all digits, leave gaps empty, and contain no formula", () => {
    expect(toCsv(table)).toBe(`step,"'=cmd(), x"\n1,0.30000000000000004\n2,\n`);
    expect(toMarkdown({ heads: ["a|b"], rows: [[1]] })).toBe("| a\\|b |\n| ---: |\n| 1 |\n");
  });
});

describe("a stored view", () => {
  const fresh = firstViewState(0.6);

  it("is restored unchanged", () => {
    const rolloutSet = { source: "evaluation", step: 4 };
    const changed = {
      ...fresh,
      tab: "run",
      runPart: "config",
      rolloutSet,
      rollout: { group: 1, rollout: 2 },
    };
    expect(restoreViewState(JSON.parse(JSON.stringify(changed)), fresh)).toEqual(changed);
  });

  it("drops what this version does not know", () => {
    const strange = {
      tab: "gone",
      runPart: "gone",
      rolloutPart: "gone",
      xAxis: 3,
      filter: "x",
      hiddenColumns: {},
      other: 1,
    };
    expect(restoreViewState(strange, fresh)).toEqual(fresh);
    expect(restoreViewState("nonsense", fresh)).toEqual(fresh);
  });
});

describe("the columns of a list", () => {
  const shown = (rows: readonly RolloutRow[], star = false, isBesideReplay = false) =>
    columnsOf(rows, () => ({ ...NO_MARK, star }), { isBesideReplay, hidden: [] }).map(
      ({ key }) => key,
    );

  it("include marks and log-probabilities once there are any", () => {
    const waiting = shown([row({ streams: [] })]);
    expect(waiting).not.toContain("marks");
    expect(waiting).not.toContain("strip");
    expect(shown([row({ streams: [0] })], true)).toEqual(
      expect.arrayContaining(["marks", "strip"]),
    );
  });

  it("keep the task next to a replay, and leave out wide columns there", () => {
    const beside = shown([row({ streams: [0] })], true, true);
    expect(beside).toContain("taskText");
    expect(beside).not.toContain("strip");
  });
});

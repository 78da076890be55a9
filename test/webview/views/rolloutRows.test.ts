import { describe, expect, it } from "vitest";
import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import {
  firstViewState,
  NO_FILTER,
  restoreViewState,
} from "../../../webview-ui/model/viewState.ts";
import { toCsv, toMarkdown } from "../../../webview-ui/views/export.ts";
import {
  filterRows,
  ROLLOUT_COLUMNS,
  sortRows,
  trainingUseText,
} from "../../../webview-ui/views/rolloutRows.ts";

function row(changes: Partial<RolloutRow>): RolloutRow {
  return {
    ...{ source: "training", step: 0, group: 0, rollout: 0, temperature: null },
    ...{ environment: "local/calculator", split: "train", index: 3 },
    ...{
      reward: 0.5,
      advantage: 0,
      trainingUse: "trained",
      turns: 1,
      tokens: 10,
      toolCalls: 1,
      failedToolCalls: 0,
    },
    ...{ stop: "reached_terminal_state", error: null, durationMs: 100, streams: [0] },
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
  shown.map(({ rollout }) => rolloutOf(rollout));
const rolloutOf = (rollout: number): number => rollout;

describe("the list of rollouts", () => {
  it("sorts by any column, failed ones last in both directions, equal ones in their order", () => {
    const by = (isDescending: boolean) =>
      positions(sortRows(rows, { column: "reward", isDescending }));
    expect(by(false)).toEqual([2, 3, 0, 1]);
    expect(by(true)).toEqual([0, 2, 3, 1]);
  });

  it("filters by words, reward, stop reason and use, all at once", () => {
    const by = (filter: Partial<typeof NO_FILTER>) =>
      positions(filterRows(rows, { ...NO_FILTER, ...filter }));
    expect(by({})).toEqual([0, 1, 2, 3]);
    expect(by({ text: "503 error" })).toEqual([1]);
    expect(by({ rewardLow: 0.25, rewardHigh: 0.25 })).toEqual([2, 3]);
    expect(by({ stop: "max_turns" })).toEqual([2]);
    expect(by({ trainingUse: "waiting" })).toEqual([3]);
    expect(by({ rewardHigh: 0.5, text: "calculator", trainingUse: "trained" })).toEqual([2]);
  });

  it("counts groups and rollouts from 1 and says why one was left out", () => {
    const [first] = ROLLOUT_COLUMNS;
    expect(first?.text(row({ group: 2, rollout: 4 }))).toBe("3·5");
    expect(trainingUseText("excluded:zero_variance")).toBe("left out: equal rewards");
    expect(trainingUseText("excluded:some_new_reason")).toBe("left out: some new reason");
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

  it("keep all digits, leave gaps empty, and hold no formula", () => {
    expect(toCsv(table)).toBe(`step,"'=cmd(), x"\n1,0.30000000000000004\n2,\n`);
    expect(toMarkdown({ heads: ["a|b"], rows: [[1]] })).toBe("| a\\|b |\n| ---: |\n| 1 |\n");
  });
});

describe("a stored view", () => {
  const fresh = firstViewState(0.6);

  it("comes back as it was", () => {
    const rolloutSet = { source: "evaluation", step: 4 };
    const changed = { ...fresh, tab: "config", rolloutSet, rollout: { group: 1, rollout: 2 } };
    expect(restoreViewState(JSON.parse(JSON.stringify(changed)), fresh)).toEqual(changed);
  });

  it("loses what this version does not know", () => {
    const strange = { tab: "gone", xAxis: 3, filter: "x", hiddenColumns: {}, other: 1 };
    expect(restoreViewState(strange, fresh)).toEqual(fresh);
    expect(restoreViewState("nonsense", fresh)).toBe(fresh);
  });
});

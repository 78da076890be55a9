import { describe, expect, it } from "vitest";
import { messagesIn, textWith } from "../configText.ts";

const METRIC = "eval/Owner/Game/test/greedy/reward_mean";

function withBest(metric: string, ...evaluation: readonly string[]): readonly string[] {
  const lines = evaluation.map((line) => `  ${line}`);
  const above = lines.length === 0 ? [] : ["evaluation:", ...lines];
  return messagesIn(textWith(...above, `save_best: ${metric}`));
}

const SPLITS = "splits: {Owner/Game: [test]}";

describe("save_best", () => {
  it("may name any reward or success metric of the evaluation", () => {
    for (const metric of [
      METRIC,
      "eval/Owner/Game/test/temperature_1/reward_mean",
      "eval/Owner/Game/test/greedy/success_frac",
    ]) {
      expect(withBest(metric, SPLITS, "every: 5")).toEqual([]);
    }
  });

  it("requires an evaluation", () => {
    expect(withBest(METRIC)).toEqual([
      "run.yaml:8:12: error: TRL220 `save_best` needs an evaluation: add `evaluation`, or remove `save_best`. (save_best)",
    ]);
  });

  it("suggests the metrics that the evaluation has when it lacks this one", () => {
    const [message] = withBest("eval/Owner/Game/test/greedy/reward_maen", SPLITS, "every: 5");
    expect(message).toContain(`has no metric \`eval/Owner/Game/test/greedy/reward_maen\``);
    expect(message).toContain(`It has \`${METRIC}\``);
    expect(withBest("reward_mean", SPLITS, "temperatures: [0]", "every: 5")[0]).toContain(
      `It has \`${METRIC}\`, \`eval/Owner/Game/test/greedy/success_frac\`.`,
    );
  });

  it("has no effect without evaluations during the run", () => {
    expect(withBest(METRIC, SPLITS)).toEqual([
      "run.yaml:10:12: warning: TRL220 The run is evaluated only at its start and end, so there is nothing to choose from: set `every`. (save_best)",
    ]);
  });
});

it("a nonexistent embedded environment is an error even when only the evaluation names it", () => {
  const [message] = messagesIn(textWith("evaluation: {splits: {local/calculater: [test]}}"));
  expect(message).toMatch(
    /error: TRL300 .*`local\/calculater`. Did you mean `local\/calculator`\?/,
  );
});

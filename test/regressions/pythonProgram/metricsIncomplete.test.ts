import { describe, expect, it } from "vitest";
import { buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { flattenMetrics } from "../../../src/core/runFolder/metrics/metricsTree.ts";
import { rolloutFacts, stepFacts } from "../../core/runFolder/builders.ts";
import { ENVIRONMENT } from "../../core/training/builders.ts";
import { prepareRun } from "../../core/training/loop/prepareRun.ts";
import * as original from "./original.ts";

describe("the metrics of a step", () => {
  const group = [1, 0].map((reward) => ({ stop: "reached_terminal_state", reward }));

  it("metrics are JSON also where a number is NaN", () => {
    expect(() => JSON.parse(original.rowText({ loss: Number.NaN }))).toThrow(SyntaxError);
    const row = buildMetricsRow(stepFacts({ loss: Number.NaN }));
    expect(JSON.parse(JSON.stringify(row))).toMatchObject({ loss: null, loss_nonfinite: true });
  });

  it("metrics show how far trainer and sampler are apart, and the entropy", () => {
    const theirs = original.metricsRow(original.keptGroups([group], 0), 0);
    expect(Object.keys(theirs ?? {})).toEqual(["loss", "num_errors", "rollout"]);
    const datum = {
      samplerLogprobs: [0, -1.2, -0.5],
      trainerLogprobs: [-4, -1, -0.7],
      mask: [0, 1, 1],
      advantages: [0, 1, 1],
    };
    const row = flattenMetrics(
      buildMetricsRow(stepFacts({ rollouts: [rolloutFacts()], datums: [datum] })),
    );
    expect(row).toMatchObject({
      "optim/kl_sample_train_v1": expect.closeTo(0, 7),
      "optim/kl_sample_train_v2": expect.closeTo(0.02, 7),
      "optim/entropy": expect.closeTo(0.85, 7),
      "optim/logprob_diff_abs_mean": expect.closeTo(0.2, 7),
    });
  });

  it("metrics hold an evaluation on tasks that are not trained on", async () => {
    expect(original.metricsRow([group], 0)).not.toHaveProperty("eval");
    const evaluation = {
      splits: { [ENVIRONMENT]: ["test"] },
      at_start: true,
      at_end: false,
      every: null,
      num_samples: 2,
      rollouts_per_task: 1,
      seed: 0,
      failure_reward: null,
      temperatures: [0],
    };
    const run = prepareRun({ steps: 1, config: { evaluation } });
    await run.run();
    const splits = run.remote.choices.map(({ split }) => split);
    expect(splits.toSorted()).toEqual(["test", "test", "train", "train"]);
    expect(run.rows()).toMatchObject([
      { eval: { [ENVIRONMENT]: { test: { greedy: { reward_mean: 0.5, num_failed: 0 } } } } },
    ]);
    expect(run.context.client.lossCalls.map(({ data }) => data.length)).toEqual([2]);
  });
});

import { describe, expect, it } from "vitest";
import type { NewRunEvent } from "../../../../src/core/runFolder/events.ts";
import { appendMetrics } from "../../../../src/core/runFolder/metrics/metrics.ts";
import type { MetricsRow } from "../../../../src/core/runFolder/metrics/metricsTree.ts";
import { StepAlarms } from "../../../../src/core/training/step/alarms.ts";
import { aRow, type Numbers, times } from "../../alarms/aRow.ts";
import { aConfig } from "../builders.ts";
import { aContext, FOLDER, linesOf, PATHS } from "../fakeContext.ts";

/** Evaluates alarms and writes rows as a step does; a new StepAlarms takes over before each step in `resumedAt`. */
async function play(
  steps: readonly Numbers[],
  resumedAt: readonly number[] = [],
  config = aConfig(),
) {
  const events: NewRunEvent[] = [];
  const context = aContext({
    config,
    events: { record: async (event) => void events.push(event) },
  });
  let alarms = new StepAlarms();
  const rows: MetricsRow[] = [];
  for (const [step, numbers] of steps.entries()) {
    if (resumedAt.includes(step)) alarms = new StepAlarms();
    const { row } = await alarms.evaluate(context, aRow(step, numbers));
    await appendMetrics(context.fileSystem, FOLDER, row);
    rows.push(row);
  }
  return {
    context,
    rows,
    reported: events.map(({ step, kind, data }) => [step, kind, data["alarm"]]),
  };
}

/** Triggers alarms with all history lengths: the first steps, ten steps, five steps, and one. */
const EVENTFUL: readonly Numbers[] = [
  ...times(5, { "optim/kl_sample_train_v2": 0.02 }),
  ...times(6, { "optim/kl_sample_train_v2": 0.09 }),
  ...times(5, { "rollout/response_tokens/mean": 300 }),
  ...times(7, { "group/frac_mixed": 0, "rollout/turn_truncated_frac": 0.5 }),
  ...times(6),
];

describe("the alarms of a run", () => {
  it("are in every row, and in the events when they begin and end", async () => {
    const cut = { "rollout/turn_truncated_frac": 0.4 };
    const { rows, reported } = await play([{}, cut, cut, {}, {}, {}]);
    expect(rows.map(({ alarm }) => alarm)).toMatchObject(
      [0, 1, 1, 1, 1, 0].map((truncated_turns) => ({ truncated_turns, parse_success: 0 })),
    );
    expect(reported).toEqual([
      [1, "alarm", "truncated_turns"],
      [5, "alarm-over", "truncated_turns"],
    ]);
  });

  it("are the same whether or not the run was resumed", async () => {
    const whole = await play(EVENTFUL);
    expect(new Set(whole.reported.map(([, , id]) => id)).size).toBe(4);
    const everyStep = EVENTFUL.map((_, step) => step);
    const resumed = await play(EVENTFUL, everyStep);
    expect(linesOf(resumed.context, PATHS.metrics)).toEqual(linesOf(whole.context, PATHS.metrics));
    expect(resumed.reported).toEqual(whole.reported);
  });

  it("ignore equal rewards that are trained on", async () => {
    const reported = async (zero_variance: "keep" | "drop") => {
      const equal = times(6, { "group/frac_mixed": 0 });
      return (await play(equal, [], aConfig({ zero_variance }))).reported;
    };
    expect(await reported("drop")).toEqual([[4, "alarm", "equal_rewards"]]);
    expect(await reported("keep")).toEqual([]);
  });

  it("suggest a higher budget, except for a stage, which has only part of one", async () => {
    const editsFor = async (stage: string | null) => {
      const events: NewRunEvent[] = [];
      const record = async (event: NewRunEvent) => void events.push(event);
      const own = aContext({ config: aConfig({ max_hours: 2 }), events: { record } });
      const context = { ...own, storage: { ...own.storage, stage } };
      await new StepAlarms().evaluate(context, aRow(0, { "budget/hours_frac": 0.95 }));
      return events.map(({ data }) => [data["alarm"], data["edits"]]);
    };
    expect(await editsFor(null)).toMatchObject([["time_budget", [{ value: 4 }]]]);
    expect(await editsFor("imitate")).toEqual([["time_budget", []]]);
  });

  it("have no value in the row while they are turned off", async () => {
    const context = aContext();
    const config = {
      ...context.config,
      alarms: { ...context.config.alarms, truncated_turns: null },
    };
    const { row } = await new StepAlarms().evaluate({ ...context, config }, aRow(0));
    expect(row["alarm"]).toHaveProperty("parse_success", 0);
    expect(row["alarm"]).not.toHaveProperty("truncated_turns");
  });
});

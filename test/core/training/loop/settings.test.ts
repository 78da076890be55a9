import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { anEvaluation, someSettings } from "../builders.ts";
import { type AheadRun, metric, placeOfSeed, prepareAhead, updates } from "./prepareAhead.ts";
import {
  comparableRows,
  duringRollouts,
  duringUpdate,
  type LoopRun,
  positionOf,
  prepareRun,
} from "./prepareRun.ts";

/** Changes settings, and records the outcome of each change in `log`. */
function changing(run: LoopRun, log: string[]) {
  return (name: string, changes: Partial<Config>, keys: readonly string[]): void => {
    const config = { ...run.context.config, ...changes };
    run.context.control.changeSettings({
      config,
      keys,
      configHash: name,
      record: async () => void log.push(`record ${name}`),
      dropped: () => log.push(`dropped ${name}`),
    });
  };
}
const rates = ({ context: { client } }: LoopRun) =>
  client.adamCalls.map(({ learning_rate: rate }) => rate);

describe("a loop that receives new settings", () => {
  it("applies them from the next step on, and reports it", async () => {
    const log: string[] = [];
    const run = prepareRun({ config: { learning_rate: 1 } });
    const change = changing(run, log);
    duringRollouts(run, 1, () => change("h2", { learning_rate: 2 }, ["learning_rate"]));
    const { context } = await run.run();
    expect(rates(run)).toEqual([1, 1, 2]);
    expect(log).toEqual(["record h2"]);
    expect(run.context.progress).toContainEqual({
      kind: "settings-changed",
      step: 2,
      keys: ["learning_rate"],
    });
    expect(context.config.learning_rate).toBe(2);
    const changes = [{ path: ["learning_rate"], before: 1, after: 2 }];
    expect(run.context.recorded).toContainEqual(
      expect.objectContaining({
        kind: "settings-changed",
        data: { keys: ["learning_rate"], changes },
      }),
    );
  });

  it("applies the last of those received before a step", async () => {
    const log: string[] = [];
    const run = prepareRun({ steps: 2, config: { learning_rate: 1 } });
    const change = changing(run, log);
    duringRollouts(run, 0, () => {
      change("h2", { learning_rate: 2 }, ["learning_rate"]);
      change("h3", { learning_rate: 2, weight_decay: 0.5 }, ["weight_decay"]);
    });
    await run.run();
    expect(rates(run)).toEqual([1, 2]);
    expect(log).toEqual(["record h3"]);
    const keys = ["learning_rate", "weight_decay"];
    expect(run.context.progress).toContainEqual({ kind: "settings-changed", step: 1, keys });
  });

  it.each([
    [{ stop_at_step: 2 }, { stop_at_step: 3 }],
    [{ max_tokens_total: 1 }, { max_tokens_total: null }],
  ])("that move its end from %j to %j during an evaluation continues", async (limit, moved) => {
    const evaluation = anEvaluation({ every: 2, num_samples: 1, temperatures: [0] });
    const log: string[] = [];
    const run = prepareRun({
      config: { advantage_calculation: "direct", evaluation },
      rewards: [1],
    });
    const change = changing(run, log);
    duringUpdate(run, 1, () => change("h2", limit, Object.keys(limit)));
    duringRollouts(run, 2, () => change("h3", moved, Object.keys(moved)));
    expect(await run.run()).toMatchObject({ outcome: "done", step: 3, ending: null });
    expect(log).toEqual(["record h2", "record h3"]);
  });

  it("accepts none once no step follows", async () => {
    const run = prepareRun({ config: { stop_at_step: 2 } });
    const { control, client } = run.context;
    const accepted: boolean[] = [];
    const { saveState } = client;
    client.saveState = (...save) => {
      accepted.push(control.hasStepsLeft);
      return saveState.apply(client, save);
    };
    await run.run();
    expect(accepted).toEqual([false]);
  });

  it("applies those received while paused", async () => {
    const run = prepareRun({ config: { learning_rate: 1 } });
    duringRollouts(run, 0, () => run.context.control.pause());
    const ended = run.start();
    await settle();
    changing(run, [])("h2", { learning_rate: 2 }, ["learning_rate"]);
    run.context.control.continue();
    await ended;
    expect(rates(run)).toEqual([1, 2, 2]);
  });

  it("continues as before when they cannot be applied", async () => {
    const log: string[] = [];
    const run = prepareRun({ steps: 2, config: { learning_rate: 1 } });
    duringRollouts(run, 0, () =>
      changing(run, log)(
        "h2",
        { max_steps: null, learning_rate: 2, learning_rate_schedule: "cosine" },
        ["learning_rate", "learning_rate_schedule"],
      ),
    );
    expect(await run.run()).toMatchObject({ outcome: "done", step: 2 });
    expect(log).toEqual(["dropped h2"]);
    expect(rates(run)).toEqual([1, 1]);
    expect(run.context.progress).toContainEqual({
      kind: "warning",
      message: expect.stringMatching(/^The new settings were not applied: .*needs an end/),
    });
  });

  it("runs more steps with a larger max_steps, even in the last step, and fewer with a smaller one in time", async () => {
    const longer = prepareRun({ steps: 2 });
    duringRollouts(longer, 1, () => changing(longer, [])("h2", { max_steps: 3 }, ["max_steps"]));
    expect(await longer.run()).toMatchObject({ outcome: "done", step: 3 });
    const shorter = prepareRun({ steps: 9 });
    duringRollouts(shorter, 1, () => changing(shorter, [])("h2", { max_steps: 2 }, ["max_steps"]));
    expect(await shorter.run()).toMatchObject({ outcome: "done", step: 2 });
  });

  it("keeps them for a resume when stopped before the next step", async () => {
    const log: string[] = [];
    const run = prepareRun({ steps: null });
    duringRollouts(run, 2, () => {
      changing(run, log)("h2", { learning_rate: 2 }, ["learning_rate"]);
      run.context.control.stop();
    });
    expect(await run.run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(log).toEqual(["record h2"]);
  });
});

describe("a loop that receives new settings while it samples steps ahead", () => {
  const steps = 6;
  const options = {
    stepsAhead: 2,
    steps,
    config: { learning_rate: 1, max_response_tokens: 50 },
    settings: someSettings({ maxResponseTokens: 50 }),
  };
  const changes = { learning_rate: 2, max_response_tokens: 40 };

  /** The token limit that each task was sampled with, in data order. */
  const limits = ({ asked }: AheadRun) =>
    Array.from({ length: steps }, (_, position) => [
      ...new Set(
        asked.flatMap(({ seed, maxTokens }) =>
          placeOfSeed(seed ?? -1)?.position === position ? [maxTokens] : [],
        ),
      ),
    ]);

  function changeDuringUpdate(run: AheadRun, step: number): void {
    duringUpdate(run, step, () => changing(run, [])("h2", changes, Object.keys(changes)));
  }

  it("trains with them from the next step on, and applies them to rollouts issued from then on", async () => {
    const run = prepareAhead(options);
    changeDuringUpdate(run, 1);
    await run.run();
    expect(rates(run)).toEqual([1, 1, 2, 2, 2, 2]);
    expect(limits(run)).toEqual([[50], [50], [50], [50], [40], [40]]);
    expect(metric(run, "lr")).toEqual([1, 1, 2, 2, 2, 2]);
    const message = expect.stringMatching(
      /^From step 3 on, the run uses new settings: .*\. Rollouts that were issued earlier keep the settings that they began with\.$/,
    );
    expect(run.context.recorded).toContainEqual(expect.objectContaining({ message }));
  });

  it("keeps both sets of settings across a stop and resume", async () => {
    const whole = prepareAhead(options);
    changeDuringUpdate(whole, 1);
    await whole.run();
    const first = prepareAhead(options);
    changeDuringUpdate(first, 1);
    duringUpdate(first, 2, () => first.context.control.stop());
    await first.run();
    const saved = await first.state();
    expect(saved?.pending.map(({ position, settings_hash }) => [position, settings_hash])).toEqual([
      [3, "h"],
      [4, "h2"],
    ]);
    const { fileSystem } = first.context;
    const rest = prepareAhead({
      stepsAhead: 2,
      steps,
      fileSystem,
      config: { ...options.config, ...changes },
      settings: someSettings({ maxResponseTokens: 40 }),
    });
    await rest.run(await positionOf(first));
    expect([...updates(first), ...updates(rest)]).toEqual(updates(whole));
    expect(comparableRows(rest)).toEqual(comparableRows(whole));
  });
});

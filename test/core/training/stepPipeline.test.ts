import { describe, expect, it } from "vitest";
import type { EvaluationConfig } from "../../../src/core/config/fields/schema.ts";
import { anEvaluation } from "./builders.ts";
import { type AheadOptions, type AheadRun, prepareAhead } from "./loop/prepareAhead.ts";
import { comparableRows, positionOf } from "./loop/prepareRun.ts";

/** Duration of an update; the groups of the next step end within it. */
const UPDATE_MS = 60_000;

/** A run whose service runs one update after the other. */
function prepare(options: Partial<AheadOptions> = {}) {
  const run = prepareAhead({ stepsAhead: 1, steps: 4, ...options });
  const { client, clock } = run.context;
  const { optimStep } = client;
  let before: Promise<unknown> = Promise.resolve();
  client.optimStep = async (params) => {
    const updated = optimStep.call(client, params);
    before = before.then(() => clock.sleep(UPDATE_MS));
    await before;
    return updated;
  };
  const calls: { readonly rows: number; readonly name: string }[] = [];
  client.calls.push = (...names) => {
    calls.push(...names.map((name) => ({ rows: run.rows().length, name })));
    return calls.length;
  };
  /** Calls of the training client that were made before the first row was written. */
  const early = () => calls.flatMap(({ rows, name }) => (rows === 0 ? [name] : []));
  const earlyUpdates = () => early().filter((name) => name === "forwardBackward").length;
  return { ...run, early, earlyUpdates, names: () => calls.map(({ name }) => name) };
}

/** Calls `act` before an update is submitted; `update` counts from 0. */
function beforeUpdate({ context: { client } }: AheadRun, update: number, act: () => void): void {
  const { forwardBackward } = client;
  client.forwardBackward = (...args) => {
    if (client.lossCalls.length === update) act();
    return forwardBackward.apply(client, args);
  };
}

const evaluation: EvaluationConfig = anEvaluation({ num_samples: 1 });

describe("an update whose batch is complete", () => {
  it("is submitted while the previous one runs", async () => {
    const run = prepare({ config: { rolling_save_every: 0 } });
    await run.run();
    expect(run.early()).toEqual([
      "saveSampler sampler_000000",
      ...["forwardBackward", "optimStep", "saveSampler sampler_000001"],
      ...["forwardBackward", "optimStep", "saveSampler sampler_000002"],
    ]);
  });

  it("requests log-probabilities for a correction while the previous update runs", async () => {
    const config = { rolling_save_every: 0, off_policy_correction: "icepop" } as const;
    const run = prepare({ config });
    await run.run();
    expect(run.early()).toEqual([
      "saveSampler sampler_000000",
      ...["forward", "forwardBackward", "optimStep", "saveSampler sampler_000001"],
      ...["forward", "forwardBackward", "optimStep", "saveSampler sampler_000002"],
    ]);
  });

  it("is submitted after the save of the previous weights", async () => {
    const run = prepare({ config: { rolling_save_every: 1 } });
    await run.run();
    const calls = run.names();
    const updates = calls.flatMap((name, i) => (name === "forwardBackward" ? [i] : []));
    const saves = calls.flatMap((name, i) => (/^saveState rolling/.test(name) ? [i] : []));
    expect(saves.slice(0, 3).map((at) => updates.filter((update) => update < at).length)).toEqual([
      1, 2, 3,
    ]);
    expect(run.earlyUpdates()).toBe(2);
  });

  it("gives the same rows as a run in which updates wait", async () => {
    const config = { rolling_save_every: 1 };
    const run = prepare({ config });
    await run.run();
    const waiting = prepareAhead({ stepsAhead: 1, steps: 4, config });
    await waiting.run();
    expect(run.context.client.lossCalls).toEqual(waiting.context.client.lossCalls);
    expect(comparableRows(run)).toEqual(comparableRows(waiting));
    const started = run.context.progress.flatMap(({ kind }) =>
      /^step-|^training$/.test(kind) ? [kind] : [],
    );
    const oneStep = ["step-started", "training", "step-finished"];
    expect(started).toEqual([...oneStep, ...oneStep, ...oneStep, ...oneStep]);
  });

  it("waits for an evaluation between the two", async () => {
    const run = prepare({ config: { evaluation, rolling_save_every: 0 } });
    await run.run();
    expect(run.earlyUpdates()).toBe(1);
  });

  const commands: Readonly<Record<string, (run: AheadRun) => void>> = {
    pause: ({ context: { control } }) => control.pause(),
    save: ({ context: { control } }) => void control.saveNow(),
    settings: ({ context: { config, control } }) =>
      control.changeSettings({
        config: { ...config, learning_rate: 2 },
        configHash: "other",
        keys: ["learning_rate"],
        record: async () => undefined,
        dropped: () => undefined,
      }),
  };
  it.each(Object.entries(commands))("waits when a %s command comes first", async (_, give) => {
    const run = prepare({
      config: { rolling_save_every: 0 },
      onPhase: () => run.context.control.continue(),
    });
    beforeUpdate(run, 0, () => give(run));
    expect(await run.run()).toMatchObject({ outcome: "done", step: 4 });
    expect(run.earlyUpdates()).toBe(1);
  });

  it("is included in a save that is requested while it and the previous one are pending", async () => {
    const run = prepare({ config: { rolling_save_every: 0 } });
    beforeUpdate(run, 1, () => void run.context.control.saveNow());
    await run.run();
    expect(run.earlyUpdates()).toBe(2);
    const before = run.names().slice(0, run.names().indexOf("saveState manual_000002"));
    expect(before.filter((name) => name === "forwardBackward")).toHaveLength(2);
    expect((await run.checkpoints()).map(({ name, step }) => [name, step])).toEqual([
      ["manual_000002", 2],
      ["final_000004", 4],
    ]);
  });

  it("is recorded when a stop comes while both are pending, and a resume is exact", async () => {
    const options = { stepsAhead: 2, steps: 6 };
    const whole = prepare(options);
    await whole.run();
    const first = prepare(options);
    const { client, control, fileSystem } = first.context;
    beforeUpdate(first, 1, () => control.stop());
    expect(await first.run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(first.earlyUpdates()).toBe(2);
    expect(first.rows()).toHaveLength(2);
    const rest = prepare({ ...options, fileSystem });
    expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: 6 });
    const updates = [...client.lossCalls, ...rest.context.client.lossCalls];
    expect(updates).toEqual(whole.context.client.lossCalls);
    expect(comparableRows(rest)).toEqual(comparableRows(whole));
  });

  it("keeps a failed run from saving weights that include it", async () => {
    const run = prepare({
      config: { rolling_save_every: 0 },
      wrapStore: (store) => ({
        ...store,
        addTokens: (step, records) =>
          step === 0 ? Promise.reject(new Error("full")) : store.addTokens(step, records),
      }),
    });
    await expect(run.run()).rejects.toThrow("full");
    expect(run.saves()).toEqual([]);
  });
});

describe("new groups", () => {
  it("are issued as soon as their sampler exists, before the row of the step is written", async () => {
    const asked: number[] = [];
    const run = prepare({
      config: { rolling_save_every: 0 },
      wrapStore: (store) => ({
        ...store,
        addTokens: async (step, records) => {
          await run.context.clock.sleep(1);
          asked.push(run.asked.length);
          await store.addTokens(step, records);
        },
      }),
    });
    await run.run();
    expect(asked[0]).toBe(3 * 2);
  });
});

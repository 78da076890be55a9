import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { runPaths } from "../../../../src/core/runFolder/files/layout.ts";
import { START } from "../../../../src/core/training/step/loopPosition.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { FOLDER } from "../fakeContext.ts";
import {
  type AheadRun,
  metric,
  prepareAhead,
  seeds,
  stopAtUpdate,
  updates,
} from "./prepareAhead.ts";
import { comparableRows, positionOf } from "./prepareRun.ts";

const staleness = (run: AheadRun) => metric(run, "async/staleness/max");

describe("a run that samples steps ahead", () => {
  it.each([
    [1, [0, 1, 1, 1, 1]],
    [2, [0, 1, 2, 2, 2]],
    [3, [0, 1, 2, 3, 3]],
  ])(
    "%i of them trains each group as many updates after its weights",
    async (stepsAhead, expected) => {
      const run = prepareAhead({ stepsAhead, steps: 5 });
      expect(await run.run()).toMatchObject({ outcome: "done", step: 5 });
      expect(staleness(run)).toEqual(expected);
      expect(run.context.progress.filter(({ kind }) => kind === "alarm")).toEqual([]);
    },
  );

  it("trains the same in whatever order rollouts end", async () => {
    const options = { stepsAhead: 2, steps: 5, config: { batch_size: 2 } };
    const one = prepareAhead(options);
    await one.run();
    const other = prepareAhead({ ...options, sampleMs: (seed) => (seed * 7919) % 60_000 });
    await other.run();
    expect(updates(other)).toEqual(updates(one));
    expect(comparableRows(other)).toEqual(comparableRows(one));
  });

  it("ends with the data when the last batch is short", async () => {
    const config = { batch_size: 3, num_epochs: 1 };
    const run = prepareAhead({ stepsAhead: 2, steps: 3, config });
    expect(await run.run()).toMatchObject({ outcome: "done", step: 3 });
    expect(new Set(seeds(run)).size).toBe(8 * 2);
    expect(run.asked).toHaveLength(8 * 2);
  });

  it("resumes exactly where it stopped, and plays no group twice", async () => {
    const whole = prepareAhead({ stepsAhead: 2, steps: 6 });
    await whole.run();
    const first = prepareAhead({ stepsAhead: 2, steps: 6 });
    const { fileSystem } = first.context;
    stopAtUpdate(first, 3);
    expect(await first.run()).toMatchObject({ outcome: "stopped" });
    const rest = prepareAhead({ stepsAhead: 2, steps: 6, fileSystem });
    expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: 6 });
    expect([...updates(first), ...updates(rest)]).toEqual(updates(whole));
    expect([...seeds(first), ...seeds(rest)].toSorted()).toEqual(seeds(whole).toSorted());
    expect(comparableRows(rest)).toEqual(comparableRows(whole));
  });

  it("leaves no stored groups and no samplers behind at the end", async () => {
    const run = prepareAhead({ stepsAhead: 2, steps: 4 });
    await run.run();
    const left = [...run.context.fileSystem.files.keys()].filter((path) => /pending/.test(path));
    expect(left).toEqual([]);
    const samplers = run.context.client.samplerSaves.filter(({ name }) => /^sampler_/.test(name));
    const deleted = run.context.deleted.flatMap((path) => /sampler_\d+$/.exec(path)?.[0] ?? []);
    expect(samplers.map(({ name }) => name).slice(0, -1)).toEqual(deleted.toSorted());
  });

  it("samples with the current weights when the service lost the sampler, and reports it", async () => {
    const position = {
      ...START,
      step: 2,
      cursor: 2,
      issued: {
        pending: [{ position: 2, groups: 1, version: 1, settings_hash: "other" }],
        samplers: [{ version: 1, optimizer_updates: 1, path: "tinker://gone/sampler_weights/a" }],
      },
    };
    const rest = prepareAhead({
      stepsAhead: 1,
      steps: 4,
      samplerForPath: async (path) => {
        if (path.startsWith("tinker://gone/")) throw new AppError("tinker-not-found", "gone");
        return { ...rest.context.client.sampler, samplerId: path };
      },
    });
    expect(await rest.run(position)).toMatchObject({ outcome: "done", step: 4 });
    const message = expect.stringContaining("no longer has the sampler of step 1");
    expect(rest.context.progress).toContainEqual({ kind: "warning", message });
  });

  it("trains on stored groups even when their sampler no longer exists", async () => {
    const first = prepareAhead({ stepsAhead: 2, steps: 3 });
    const { fileSystem } = first.context;
    stopAtUpdate(first, 1);
    expect(await first.run()).toMatchObject({ outcome: "stopped", step: 2 });
    const rest = prepareAhead({
      stepsAhead: 2,
      steps: 3,
      fileSystem,
      samplerForPath: async (path) => {
        if (path.endsWith("sampler_000000")) throw new AppError("tinker-not-found", "gone");
        return { ...rest.context.client.sampler, samplerId: path };
      },
    });
    expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: 3 });
    expect(rest.asked).toEqual([]);
    expect(rest.context.progress.filter(({ kind }) => kind === "warning")).toEqual([]);
    expect(staleness(rest)).toEqual([0, 1, 2]);
  });

  it("counts each update of several passes as lag, and resumes exactly", async () => {
    const options = { stepsAhead: 2, steps: 6, config: { num_passes: 3 } };
    const whole = prepareAhead(options);
    await whole.run();
    expect(staleness(whole)).toEqual([0, 3, 6, 6, 6, 6]);
    expect(metric(whole, "progress/optim_updates")).toEqual([3, 6, 9, 12, 15, 18]);
    expect(whole.context.progress.filter(({ kind }) => kind === "alarm")).toEqual([]);
    const first = prepareAhead(options);
    const { fileSystem } = first.context;
    stopAtUpdate(first, 7);
    await first.run();
    const rest = prepareAhead({ ...options, fileSystem });
    expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: 6 });
    expect([...updates(first), ...updates(rest)]).toEqual(updates(whole));
    expect(comparableRows(rest)).toEqual(comparableRows(whole));
  });

  it("raises no lag alarm for groups issued before a change of num_substeps or with more steps ahead", async () => {
    const options = { stepsAhead: 3, steps: 8, config: { batch_size: 3 } };
    const first = prepareAhead(options);
    const { fileSystem } = first.context;
    stopAtUpdate(first, 4);
    await first.run();
    const config = { ...options.config, num_substeps: 3 };
    const rest = prepareAhead({ ...options, stepsAhead: 1, config, fileSystem });
    expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: 8 });
    expect(Math.max(...staleness(rest).map(Number))).toBeGreaterThan(3);
    expect(rest.context.progress.filter(({ kind }) => kind === "alarm")).toEqual([]);
    expect(metric(rest, "async/staleness/beyond_allowed").slice(-4)).toEqual([0, 0, 0, 0]);
  });

  it("raises the alarm when the service returns old weights", async () => {
    const run = prepareAhead({
      stepsAhead: 2,
      steps: 5,
      samplerForPath: async () => run.context.client.sampler,
    });
    await run.run();
    const alarms = run.context.progress.filter(({ kind }) => kind === "alarm");
    expect(alarms).toContainEqual(
      expect.objectContaining({ title: "The sampler has old weights" }),
    );
  });

  it("issues no groups while it is paused", async () => {
    const run = prepareAhead({ stepsAhead: 1, steps: 4 });
    const { control } = run.context;
    control.pause();
    const ended = run.start();
    await settle();
    expect(run.asked).toEqual([]);
    control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 4 });
  });
});

it("groups sampled ahead are removed when the run resumes without sampling ahead", async () => {
  const options = { steps: 4, config: { rolling_save_every: 1 } };
  const first = prepareAhead({ ...options, stepsAhead: 2 });
  const { fileSystem } = first.context;
  const pending = () => fileSystem.list(runPaths(FOLDER).pendingFolder);
  stopAtUpdate(first, 1);
  await first.run();
  expect(await pending()).not.toEqual([]);
  const rest = prepareAhead({ ...options, stepsAhead: 0, fileSystem });
  expect(await rest.run(await positionOf(first))).toMatchObject({ outcome: "done", step: 4 });
  expect(await pending()).toEqual([]);
});

it("a run that samples ahead records throughput over the whole step", async () => {
  const run = prepareAhead({ stepsAhead: 1, steps: 4, sampleMs: (seed) => 500 + (seed % 1_000) });
  const { client, clock } = run.context;
  const { optimStep } = client;
  client.optimStep = async (params) => {
    await clock.sleep(5_000);
    return await optimStep.call(client, params);
  };
  await run.run();
  const [rates, tokens, seconds] = [
    "throughput/sampled_tok_s",
    "tokens/sampled",
    "time/total_s",
  ].map((name) => metric(run, name));
  const expected = tokens?.map((count, step) => Number(count) / Number(seconds?.[step]));
  expect(expected?.every((rate) => Number.isFinite(rate))).toBe(true);
  expect(rates).toEqual(expected);
});

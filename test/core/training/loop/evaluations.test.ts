import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import { evalPath } from "../../../../src/core/runFolder/files/layout.ts";
import { repairTails, supersedeFrom } from "../../../../src/core/runFolder/supersede.ts";
import { environmentOf } from "../../../../src/core/training/run/context.ts";
import { START } from "../../../../src/core/training/step/loopPosition.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { anEvaluation, ENVIRONMENT, someSettings } from "../builders.ts";
import { FOLDER, linesOf, PATHS } from "../fakeContext.ts";
import { duringRollouts, type LoopRun, positionOf, prepareRun } from "./prepareRun.ts";

/** Trains on groups with equal rewards too, so that no step is empty. */
const DIRECT = { advantage_calculation: "direct" } as const;

describe("evaluations", () => {
  const evaluation = anEvaluation({
    at_start: true,
    at_end: true,
    every: 2,
    num_samples: 1,
    temperatures: [0],
  });

  it("run before the first step and at every interval, and go into the next row", async () => {
    const { run, context } = prepareRun({
      config: { ...DIRECT, evaluation },
      steps: 3,
      rewards: [1],
    });
    await run();
    const evaluated = context.progress.flatMap((event) =>
      event.kind === "evaluated" ? [[event.purpose, event.step]] : [],
    );
    expect(evaluated).toEqual([
      ["start", 0],
      ["periodic", 2],
    ]);
    const beside = context.progress.flatMap((event) =>
      event.kind === "evaluating-beside"
        ? [`${event.step}: ${event.done} of ${event.rollouts}`]
        : [],
    );
    expect(beside).toEqual(["0: 0 of 1", "0: 1 of 1", "2: 0 of 1", "2: 1 of 1"]);
    const rows = linesOf(context, PATHS.metrics).filter(isJsonObject);
    const withEvaluation = rows.map((row) => Object.hasOwn(row, "eval"));
    expect(withEvaluation).toEqual([true, false, true]);
  });

  it.each([
    ["beside the rollouts of the next step", {}, 300],
    ["before it where a budget may end the run", { max_tokens_total: 1e9 }, 500],
  ])("play %s", async (_, budget, seconds) => {
    const { run, context, remote } = prepareRun({
      config: { ...DIRECT, evaluation, max_rollout_concurrency: 8, ...budget },
      steps: 3,
      rewards: [1],
    });
    const { openSession } = remote;
    remote.openSession = async (...choice) => {
      await context.clock.sleep(100_000);
      return openSession.apply(remote, choice);
    };
    await run();
    // The first and the last of three steps follow an evaluation.
    expect(context.clock.monotonic()).toBe(seconds * 1000);
  });

  it("finish before a pause begins", async () => {
    const loop = prepareRun({ config: { ...DIRECT, evaluation }, steps: 3, rewards: [1] });
    const { context } = loop;
    duringRollouts(loop, 1, () => context.control.pause());
    const ended = loop.start();
    await settle();
    expect(context.progress.slice(-2)).toMatchObject([
      { kind: "evaluated", step: 2 },
      { kind: "paused", step: 2 },
    ]);
    context.control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 3 });
  });

  it("are repeated when the environment service fails, and leave one result", async () => {
    const { run, context, remote } = prepareRun({
      config: { ...DIRECT, evaluation },
      settings: someSettings({ maxRetries: 0 }),
      steps: 1,
      rewards: [1],
    });
    const { openSession, splits } = remote;
    const gone = new AppError("environment-unavailable", "gone");
    remote.splits = async () => {
      if (context.clock.monotonic() > 100) return splits.apply(remote);
      throw gone;
    };
    remote.openSession = async (...choice) => {
      if (context.clock.monotonic() > 0) return openSession.apply(remote, choice);
      await context.clock.sleep(100);
      throw gone;
    };
    await run();
    expect(context.clock.monotonic()).toBeGreaterThanOrEqual(30_000);
    expect(linesOf(context, PATHS.evaluations)).toHaveLength(1);
    expect(linesOf(context, evalPath(FOLDER, 0))).toHaveLength(1);
  });

  it("wait when the environment is at capacity", async () => {
    const { run, context, remote } = prepareRun({
      config: { ...DIRECT, evaluation },
      steps: 1,
      rewards: [1],
    });
    const { numTasks } = remote;
    let refusals = 0;
    remote.numTasks = async (...asked) => {
      refusals += 1;
      if (refusals <= 3) throw new AppError("environment-capacity", "full");
      return numTasks.apply(remote, asked);
    };
    expect(await run()).toMatchObject({ outcome: "done" });
    expect(refusals).toBeGreaterThan(3);
    expect(linesOf(context, PATHS.evaluations)).toHaveLength(1);
    // These refusals do not lower the session limit.
    expect(environmentOf(context, ENVIRONMENT).gate.stats.limit).toBeGreaterThan(64);
  });

  it("end the run with the key of a split that the environment refuses", async () => {
    const { run, remote } = prepareRun({ config: { ...DIRECT, evaluation } });
    remote.numTasks = async () => {
      throw new AppError("environment-protocol", "Invalid split", { data: { status: 400 } });
    };
    await expect(run()).rejects.toMatchObject({
      code: "no-such-split",
      configPath: "evaluation.splits",
    });
  });

  it("are not repeated at the start when a run resumes", async () => {
    const { run, context } = prepareRun({
      config: { ...DIRECT, evaluation: { ...evaluation, every: null } },
    });
    await run({ ...START, step: 1, cursor: 1 });
    expect(context.progress.some(({ kind }) => kind === "evaluated")).toBe(false);
  });
});

const EVALUATED = [0, 2];

/** Three steps with an evaluation before every second one, each saved. */
const prepareEvaluated = (config: Partial<Config> = {}) =>
  prepareRun({
    rewards: [1],
    config: {
      ...DIRECT,
      ...config,
      evaluation: anEvaluation({ at_start: true, at_end: true, every: 2, temperatures: [0, 1] }),
      save_every: 1,
    },
  });

/** Resumes in the folder that the last attempt left, and runs to the end. */
async function resume(left: LoopRun): Promise<LoopRun> {
  const resumed = prepareEvaluated();
  const { fileSystem } = resumed.context;
  for (const [path, bytes] of left.context.fileSystem.files) fileSystem.files.set(path, bytes);
  const start = (await left.state()) === null ? START : await positionOf(left);
  await supersedeFrom(fileSystem, { folder: FOLDER, attempt: 1, step: start.step });
  await repairTails(fileSystem, FOLDER);
  await resumed.run(start);
  return resumed;
}

/** Everything that evaluations leave in the run folder. */
function evaluations({ context, rows }: LoopRun) {
  const bodies = EVALUATED.map((step) => linesOf(context, evalPath(FOLDER, step)).length);
  const results = linesOf(context, PATHS.evaluations)
    .filter(isJsonObject)
    .map(({ timeMs: _, ...line }) => line);
  const inRows = rows()
    .filter(isJsonObject)
    .map((row) => [row["step"], row["eval"]]);
  return { inRows, results, bodies };
}

describe("an evaluation", () => {
  it("is in the rows of a run that was stopped during it and resumed", async () => {
    const whole = prepareEvaluated();
    await whole.run();
    const undisturbed = evaluations(whole);
    expect(undisturbed.inRows.filter(([, row]) => row !== undefined).map(([at]) => at)).toEqual(
      EVALUATED,
    );

    const stopped = prepareEvaluated();
    const { context, sampler } = stopped;
    context.client.sampler = {
      ...sampler,
      sample: (...request) => {
        const isFirstTemperatureOver = linesOf(context, evalPath(FOLDER, 2)).length === 2;
        if (isFirstTemperatureOver) context.control.stop();
        return sampler.sample(...request);
      },
    };
    expect(await stopped.run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(evaluations(await resume(stopped))).toEqual(undisturbed);
  });

  it("due at stop_at_step is made before the run stops, and is in the row of a resume", async () => {
    const whole = prepareEvaluated();
    await whole.run();
    const stopped = prepareEvaluated({ stop_at_step: 2 });
    expect(await stopped.run()).toMatchObject({ outcome: "stopped", step: 2 });
    const made = stopped.context.progress.flatMap((event) =>
      event.kind === "evaluated" ? event.step : [],
    );
    expect(made).toEqual([0, 2]);
    expect(evaluations(await resume(stopped))).toEqual(evaluations(whole));
  });

  it("is recorded exactly once, whichever write was the last before a crash", async () => {
    const whole = prepareEvaluated();
    await whole.run();
    const undisturbed = evaluations(whole);
    let writes = 0;
    for (let isOver = false; !isOver; writes += 1) {
      const crashed = prepareEvaluated();
      crashed.context.fileSystem.allowedWrites = writes;
      isOver = await crashed.run().then(
        () => true,
        () => false,
      );
      expect(evaluations(await resume(crashed)), `after ${writes} writes`).toEqual(undisturbed);
    }
    expect(writes).toBeGreaterThan(40);
  });
});

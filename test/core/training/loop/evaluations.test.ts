import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import { evalPath } from "../../../../src/core/runFolder/files/layout.ts";
import { readState } from "../../../../src/core/runFolder/state.ts";
import { repairTails, supersedeFrom } from "../../../../src/core/runFolder/supersede.ts";
import { runLoop } from "../../../../src/core/training/loop.ts";
import { environmentOf } from "../../../../src/core/training/run/context.ts";
import { type LoopPosition, START } from "../../../../src/core/training/step/loopPosition.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aConfig, anEnvironment, anEvaluation, ENVIRONMENT, someSettings } from "../builders.ts";
import { aContext, type FakeContext, FOLDER, linesOf, PATHS } from "../fakeContext.ts";
import { duringRollouts, prepareRun } from "./prepareRun.ts";

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

const STEPS = 5;
const EVALUATED = [0, 2, 4];

const evaluation = anEvaluation({ at_start: true, at_end: true, every: 2, temperatures: [0, 1] });

/** Five steps with an evaluation before every second one, each saved. */
function setUp(happen: (context: FakeContext) => void = () => undefined) {
  const onCall = () => {
    happen(context);
    return result("", { reward: 1, finished: true });
  };
  const context: FakeContext = aContext({
    remote: scriptedEnvironment([{ onCall }]),
    totalSteps: STEPS,
    config: aConfig({
      batch_size: 1,
      num_epochs: null,
      max_steps: STEPS,
      evaluation,
      save_every: 1,
      max_consecutive_empty_steps: 9,
      zero_variance: "keep",
      environments: { [ENVIRONMENT]: anEnvironment({ num_rollouts: 2 }) },
    }),
  });
  context.client.sampler = scriptedSampler([ended(call("answer"))]);
  const identity = { runId: "run", configHash: "h", generation: 1 };
  const run = (start: LoopPosition = START) => context.clock.run(runLoop(context, start, identity));
  return { context, run };
}

/** Stops after the first of the two temperatures. */
function stopDuringEvaluation(context: FakeContext): void {
  if (linesOf(context, evalPath(FOLDER, 2)).length === 2) context.control.stop();
}

/** Resumes in the folder that the last attempt left, and runs to the end. */
async function resume({ fileSystem: left }: FakeContext): Promise<FakeContext> {
  const { context, run } = setUp();
  for (const [path, bytes] of left.files) context.fileSystem.files.set(path, bytes);
  const state = await readState(context.fileSystem, FOLDER);
  const step = state?.step ?? 0;
  await supersedeFrom(context.fileSystem, { folder: FOLDER, attempt: 1, step });
  await repairTails(context.fileSystem, FOLDER);
  await run(
    state === null
      ? START
      : {
          step,
          cursor: state.dataset.cursor,
          counters: state.counters,
          optimizerUpdates: state.optimizer_updates,
        },
  );
  return context;
}

/** Everything that evaluations leave in the run folder. */
function evaluations(context: FakeContext) {
  const rows = linesOf(context, PATHS.metrics).filter(isJsonObject);
  const bodies = EVALUATED.map((step) => linesOf(context, evalPath(FOLDER, step)).length);
  const results = linesOf(context, PATHS.evaluations)
    .filter(isJsonObject)
    .map(({ timeMs: _, ...line }) => line);
  return { inRows: rows.map((row) => [row["step"], row["eval"]]), results, bodies };
}

describe("an evaluation", () => {
  it("is in the rows of a run that was stopped during it and resumed", async () => {
    const whole = setUp();
    await whole.run();
    const undisturbed = evaluations(whole.context);
    expect(undisturbed.inRows.filter(([, row]) => row !== undefined).map(([at]) => at)).toEqual(
      EVALUATED,
    );

    const stopped = setUp(stopDuringEvaluation);
    expect(await stopped.run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(evaluations(await resume(stopped.context))).toEqual(undisturbed);
  });

  it("is recorded exactly once, whichever write was the last before a crash", async () => {
    const whole = setUp();
    await whole.run();
    const undisturbed = evaluations(whole.context);
    let writes = 0;
    for (let isOver = false; !isOver; writes += 1) {
      const crashed = setUp();
      crashed.context.fileSystem.allowedWrites = writes;
      isOver = await crashed.run().then(
        () => true,
        () => false,
      );
      const resumed = await resume(crashed.context);
      expect(evaluations(resumed), `after ${writes} writes`).toEqual(undisturbed);
    }
    expect(writes).toBeGreaterThan(60);
  });
});

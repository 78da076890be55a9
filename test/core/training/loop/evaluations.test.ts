import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { isJsonObject } from "../../../../src/core/json.ts";
import { evalPath } from "../../../../src/core/runFolder/files/layout.ts";
import { environmentOf } from "../../../../src/core/training/run/context.ts";
import { START } from "../../../../src/core/training/step/loopPosition.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { ENVIRONMENT, someSettings } from "../builders.ts";
import { FOLDER, linesOf, PATHS } from "../fakeContext.ts";
import { duringRollouts, prepareRun } from "./prepareRun.ts";

/** Trains on groups of equal rewards, so that no step is empty. */
const DIRECT = { advantage_calculation: "direct" } as const;

describe("evaluations", () => {
  const evaluation = {
    splits: { [ENVIRONMENT]: ["test"] },
    at_start: true,
    at_end: true,
    every: 2,
    num_samples: 1,
    rollouts_per_task: 1,
    seed: 0,
    failure_reward: null,
    temperatures: [0],
  };

  it("come before the first step and after every so many, and go into the next row", async () => {
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
    // Three steps, of which the first and the last have an evaluation before them.
    expect(context.clock.monotonic()).toBe(seconds * 1000);
  });

  it("are over before a pause begins", async () => {
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

  it("are repeated where the environments' service failed them, and leave one result", async () => {
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

  it("wait where the environment is too full for their query", async () => {
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
    // These refusals do not lower the limit of sessions.
    expect(environmentOf(context, ENVIRONMENT).gate.stats.limit).toBeGreaterThan(64);
  });

  it("do not come again at the start when a run goes on", async () => {
    const { run, context } = prepareRun({
      config: { ...DIRECT, evaluation: { ...evaluation, every: null } },
    });
    await run({ ...START, step: 1, cursor: 1 });
    expect(context.progress.some(({ kind }) => kind === "evaluated")).toBe(false);
  });
});

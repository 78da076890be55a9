/** A stop or a crash during an evaluation, or before the row that holds it, left the run without it after a resume. */

import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import { evalPath } from "../../src/core/runFolder/files/layout.ts";
import { readState } from "../../src/core/runFolder/state.ts";
import { repairTails, supersedeFrom } from "../../src/core/runFolder/supersede.ts";
import { runLoop } from "../../src/core/training/loop.ts";
import { type LoopPosition, START } from "../../src/core/training/step/loopPosition.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "../core/training/builders.ts";
import {
  aContext,
  type FakeContext,
  FOLDER,
  linesOf,
  PATHS,
} from "../core/training/fakeContext.ts";

const STEPS = 5;
const EVALUATED = [0, 2, 4];
const evaluation = {
  splits: { [ENVIRONMENT]: ["test"] },
  at_start: true,
  at_end: true,
  every: 2,
  num_samples: 2,
  rollouts_per_task: 1,
  seed: 0,
  failure_reward: null,
  temperatures: [0, 1],
};

/** Five steps with an evaluation before every second one, saved after each. */
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
  const identity = { runId: "run", configHash: "h", changedKeys: [], generation: 1 };
  const run = (start: LoopPosition = START) => context.clock.run(runLoop(context, start, identity));
  return { context, run };
}

/** After the first of its two temperatures. */
function stopDuringEvaluation(context: FakeContext): void {
  if (linesOf(context, evalPath(FOLDER, 2)).length === 2) context.control.stop();
}

/** A new attempt in what the other has left, to the end. */
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

/** Everything that an evaluation leaves in the run folder. */
function evaluations(context: FakeContext) {
  const rows = linesOf(context, PATHS.metrics).filter(isJsonObject);
  const bodies = EVALUATED.map((step) => linesOf(context, evalPath(FOLDER, step)).length);
  const results = linesOf(context, PATHS.evaluations)
    .filter(isJsonObject)
    .map(({ timeMs: _, ...line }) => line);
  return { inRows: rows.map((row) => [row["step"], row["eval"]]), results, bodies };
}

describe("an evaluation", () => {
  it("stands in the rows of a run that was stopped during it and resumed", async () => {
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

  it("is there, and once, whichever write was the last before a crash", async () => {
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

  it("that was completed is not paid for again", async () => {
    const stopped = setUp((context) => {
      if (linesOf(context, PATHS.evaluations).length === 2) context.control.stop();
    });
    expect(await stopped.run()).toMatchObject({ outcome: "stopped" });
    const played = linesOf(stopped.context, evalPath(FOLDER, 2));
    const resumed = await resume(stopped.context);
    expect(linesOf(resumed, evalPath(FOLDER, 2))).toEqual(played);
    expect(linesOf(resumed, PATHS.evaluations)).toHaveLength(EVALUATED.length);
  });

  it("whose last line was half written does not spoil the next one", async () => {
    const stopped = setUp(stopDuringEvaluation);
    await stopped.run();
    await stopped.context.fileSystem.append(PATHS.evaluations, '{"step":2,"purp');
    const steps = linesOf(await resume(stopped.context), PATHS.evaluations);
    expect(steps).toMatchObject(EVALUATED.map((step) => ({ step })));
  });
});

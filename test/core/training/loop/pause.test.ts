import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { readUsage } from "../../../../src/core/runFolder/usageLog.ts";
import type { RunControl } from "../../../../src/core/training/run/control.ts";
import { START } from "../../../../src/core/training/step/loopPosition.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { result, scriptedEnvironment } from "../../rollout/scriptedEnvironment.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "../builders.ts";
import { FOLDER } from "../fakeContext.ts";
import { placeOfSeed, prepareAhead } from "./prepareAhead.ts";
import { comparableRows, duringRollouts, prepareRun, rewarding } from "./prepareRun.ts";

describe("a loop that gets a pause command", () => {
  it("pauses after the current step, and continues as if it had never paused", async () => {
    const undisturbed = prepareRun();
    await undisturbed.run();
    const paused = prepareRun();
    const { context } = paused;
    duringRollouts(paused, 1, () => context.control.pause());
    const ended = paused.start();
    await settle();
    const requests = paused.sampler.requests.length;
    expect(context.phases).toEqual(["paused"]);
    expect(context.progress.at(-1)).toEqual({ kind: "paused", step: 2 });
    await settle();
    expect(paused.sampler.requests).toHaveLength(requests);

    context.control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 3 });
    expect(context.phases).toEqual(["paused", "running"]);
    expect(paused.sampler.requests).toEqual(undisturbed.sampler.requests);
    expect(context.client.lossCalls).toEqual(undisturbed.context.client.lossCalls);
    expect(comparableRows(paused)).toEqual(comparableRows(undisturbed));
  });

  it("has its last save confirmed before it pauses", async () => {
    const { context, start, state } = prepareRun({ config: { rolling_save_every: 1 } });
    context.control.pause();
    const ended = start({ ...START, step: 1, cursor: 1 });
    await settle();
    expect(await state()).toBeNull();
    context.control.continue();
    context.control.pause();
    await settle();
    expect(await state()).toMatchObject({ step: 2 });
    context.control.continue();
    await ended;
  });

  it("makes a lasting save, since a pause may outlive a rolling save", async () => {
    const paused = prepareRun({ config: { rolling_save_every: 1 } });
    const { context } = paused;
    duringRollouts(paused, 1, () => context.control.pause());
    const ended = paused.start();
    await settle();
    expect(context.progress.at(-1)).toEqual({ kind: "paused", step: 2 });
    expect(paused.saves().at(-1)).toBe("interrupt_000002");
    expect(context.deleted).toContain("tinker://S:train:0/weights/rolling_000002");
    context.control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 3 });
  });

  it("pauses at a critical alarm with pause_on_alarm", async () => {
    // The same token 17 times, which the model samples with less confidence.
    const environments = { [ENVIRONMENT]: anEnvironment({ num_rollouts: 17 }) };
    const phasesOf = async (pause_on_alarm: boolean): Promise<readonly string[]> => {
      // The fake service always returns the same sampler, which raises an alarm of its own.
      const alarms = { ...aConfig().alarms, stale_sampler: null };
      const config = { environments, alarms, pause_on_alarm };
      const { context, run } = prepareRun({ config, onPhase: () => context.control.continue() });
      expect(await run()).toMatchObject({ outcome: "done", step: 3 });
      const alarm = { kind: "alarm", step: 0, severity: "critical" };
      expect(context.progress).toContainEqual(expect.objectContaining(alarm));
      return context.phases;
    };
    expect(await phasesOf(true)).toEqual(["paused", "running"]);
    expect(await phasesOf(false)).toEqual([]);
  });

  it("pauses at a critical alarm before the next update is submitted when it samples steps ahead", async () => {
    const atPause: number[] = [];
    // The same token 17 times, with different rewards.
    const run = prepareAhead({
      stepsAhead: 2,
      steps: 4,
      rewardOf: () => 1,
      remote: rewarding(),
      environment: { num_rollouts: 17 },
      config: { pause_on_alarm: true },
      onPhase: (phase) => {
        const { client, control } = run.context;
        const newest = Math.max(
          ...run.asked.map(({ seed = 0 }) => placeOfSeed(seed)?.position ?? 0),
        );
        if (phase === "paused") atPause.push(client.adamCalls.length, newest);
        control.continue();
      },
    });
    expect(await run.run()).toMatchObject({ outcome: "done", step: 4 });
    const alarm = { kind: "alarm", step: 0, severity: "critical" };
    expect(run.context.progress).toContainEqual(expect.objectContaining(alarm));
    expect(atPause).toEqual([1, 2]);
  });

  it.each([
    ["fail_fast", ["paused", "running"]],
    ["strict", []],
  ] as const)(
    "after a failed rollout with group_failures: %s, phases are %j",
    async (policy, expected) => {
      // The second rollout of the run ends without a reward.
      const remote = scriptedEnvironment([
        { onCall: () => result("", { reward: 1, finished: true }) },
        { onCall: () => result("", { reward: null, finished: true }) },
        { onCall: () => result("", { reward: 1, finished: true }) },
      ]);
      const { context, run } = prepareRun({
        remote,
        config: { group_failures: policy, advantage_calculation: "direct" },
        onPhase: () => context.control.continue(),
      });
      await run();
      expect(context.phases.slice(0, 2)).toEqual(expected);
      const message = expect.stringMatching(
        /^Step 1, group 1, rollout \d .*group_failures: fail_fast/,
      );
      const warning = expect.objectContaining({ kind: "warning", message });
      if (policy === "fail_fast") expect(context.progress).toContainEqual(warning);
      else expect(context.progress).not.toContainEqual(warning);
    },
  );

  it("detects a sampler from before an update", async () => {
    const { context, run } = prepareRun();
    await run();
    const alarms = context.progress.filter(({ kind }) => kind === "alarm");
    expect(alarms).toMatchObject([{ step: 1, title: "The sampler has old weights" }]);
  });

  it("does not pause when no step is left", async () => {
    const finishing = prepareRun({ steps: 1 });
    duringRollouts(finishing, 0, () => finishing.context.control.pause());
    expect(await finishing.run()).toMatchObject({ outcome: "done", step: 1 });
  });

  it("is saved when it is stopped during a pause", async () => {
    const { context, start, saves } = prepareRun({ steps: null });
    context.control.pause();
    const ended = start({ ...START, step: 4, cursor: 4 });
    await settle();
    context.control.stop();
    expect(await ended).toMatchObject({ outcome: "stopped", step: 4 });
    expect(saves()).toEqual(["interrupt_000004"]);
  });

  it.each([
    ["a stop", (control: RunControl) => control.stop()],
    [
      "a lost session",
      (control: RunControl) => control.fail(new AppError("tinker-expired", "gone")),
    ],
  ])("does not count the time until %s ends the pause", async (_, end) => {
    const { context, start } = prepareRun({ steps: null });
    context.control.pause();
    const ended = start({ ...START, step: 4, cursor: 4 });
    await context.clock.advance(3_600_000);
    end(context.control);
    await Promise.allSettled([ended]);
    expect(await readUsage(context.fileSystem, FOLDER)).toMatchObject({ seconds: 0 });
  });
});

import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/core/config/schema.ts";
import { AppError } from "../../../src/core/errors.ts";
import { isJsonObject } from "../../../src/core/json.ts";
import type { NewRunEvent } from "../../../src/core/runFolder/events.ts";
import { evalPath } from "../../../src/core/runFolder/layout.ts";
import { readState } from "../../../src/core/runFolder/state.ts";
import { environmentOf } from "../../../src/core/training/context.ts";
import { runLoop } from "../../../src/core/training/loop.ts";
import { type LoopPosition, START } from "../../../src/core/training/loopPosition.ts";
import { settle } from "../../fakes/fakeClock.ts";
import { result, scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../rollout/scriptedModel.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "./builders.ts";
import { aContext, FOLDER, linesOf, PATHS } from "./fakeContext.ts";

const identity = { runId: "run", configHash: "h", changedKeys: [], generation: 1 };

interface CommandHandler {
  readonly config?: Partial<Config>;
  readonly steps?: number | null;
  /** Rewards given one after the other, again and again. */
  readonly rewards?: readonly number[];
}

/** Groups of two, one in each step; the model answers at once. */
function setUp({ config, steps = 3, rewards = [1, 0] }: CommandHandler = {}) {
  let answers = 0;
  const onCall = () =>
    result("", { reward: rewards[answers++ % rewards.length] ?? 0, finished: true });
  const context = aContext({
    remote: scriptedEnvironment([{ onCall }]),
    totalSteps: steps,
    config: aConfig({
      batch_size: 1,
      environments: { [ENVIRONMENT]: anEnvironment({ num_rollouts: 2 }) },
      save_every: 0,
      rolling_save_every: 0,
      num_epochs: null,
      max_steps: steps,
      ...config,
    }),
  });
  const sampler = scriptedSampler([ended(call("answer"))]);
  context.client.sampler = sampler;
  const start = (position: LoopPosition = START) => runLoop(context, position, identity);
  const run = (position: LoopPosition = START) => context.clock.run(start(position));
  const saves = () => context.client.calls.filter((name) => name.startsWith("saveState"));
  const state = () => readState(context.fileSystem, FOLDER);
  return { context, sampler, start, run, saves, state };
}

type Run = ReturnType<typeof setUp>;

/** Calls back once, amid the rollouts of the step that follows `steps` completed ones. */
function amidRollouts({ context, sampler }: Run, steps: number, happen: () => void): void {
  let hasHappened = false;
  context.client.sampler = {
    ...sampler,
    sample: (request, options) => {
      const isDue = !hasHappened && linesOf(context, PATHS.metrics).length === steps;
      hasHappened ||= isDue;
      if (isDue) happen();
      return sampler.sample(request, options);
    },
  };
}

/** Calls back once, amid the update of the step that follows `steps` completed ones. */
function amidUpdate({ context: { client } }: Run, steps: number, happen: () => void): void {
  const { optimStep } = client;
  client.optimStep = (params) => {
    if (client.adamCalls.length === steps) happen();
    return optimStep.call(client, params);
  };
}

/** Rows without what depends on time, or on how often something was tried. */
function rewardedRows({ context }: Run): readonly unknown[] {
  return linesOf(context, PATHS.metrics).map((row) => {
    if (!isJsonObject(row)) return row;
    const { time: _, throughput: _t, progress: _p, capacity: _c, rollout, ...rest } = row;
    return { ...rest, rollout: isJsonObject(rollout) ? { ...rollout, attempts: null } : rollout };
  });
}

/** All requests of a run; of those of a step, the order depends on who waited. */
function requestsOf({ sampler }: Run): readonly string[] {
  return sampler.requests.map((request) => JSON.stringify(request)).toSorted();
}

/** Where a resume goes on. */
function positionIn(state: Awaited<ReturnType<Run["state"]>>): LoopPosition {
  if (state === null) throw new Error("the run has left no state");
  const { step, dataset, optimizer_updates: optimizerUpdates, counters } = state;
  return { step, cursor: dataset.cursor, optimizerUpdates, counters };
}

describe("the loop", () => {
  it("runs step after step to the end of the plan and leaves a lasting checkpoint", async () => {
    const { run, context, saves, state } = setUp();
    expect(await run()).toMatchObject({
      outcome: "done",
      step: 3,
      rewards: [0.5, 0.5, 0.5],
      statePath: "tinker://S:train:0/weights/final_000003",
      samplerPath: "tinker://S:train:0/sampler_weights/final_000003",
    });
    expect(saves()).toEqual(["saveState final_000003"]);
    expect(linesOf(context, PATHS.metrics)).toHaveLength(3);
    expect(await state()).toMatchObject({
      step: 3,
      optimizer_updates: 3,
      dataset: { cursor: 3 },
      counters: { rollouts: { reached_terminal_state: 6 }, consecutive_empty_steps: 0 },
    });
  });

  it("saves after every save_every steps, and the last such save is also the final one", async () => {
    const { run, saves, context } = setUp({ config: { save_every: 2 }, steps: 4 });
    expect((await run()).statePath).toBe("tinker://S:train:0/weights/checkpoint_000004");
    expect(saves()).toEqual(["saveState checkpoint_000002", "saveState checkpoint_000004"]);
    expect(linesOf(context, PATHS.checkpoints)).toHaveLength(3);
  });

  it("submits a save behind the update it holds and before the next one", async () => {
    const { run, context } = setUp({ config: { rolling_save_every: 1 }, steps: 2 });
    await run();
    const step = ["forwardBackward", "optimStep", "ephemeralSampler"];
    expect(context.client.calls.slice(0, 8)).toEqual([
      "ephemeralSampler",
      ...step,
      "saveState rolling_000001",
      ...step,
    ]);
  });

  it("renews a rolling save before it expires, when steps take hours", async () => {
    const slow = setUp({ config: { rolling_save_every: 4 }, steps: 7 });
    const { now } = slow.context.clock;
    let hours = 0;
    slow.context.clock.now = () => now.call(slow.context.clock) + hours * 3_600_000;
    amidRollouts(slow, 5, () => {
      hours = 13;
    });
    await slow.run();
    expect(slow.saves().slice(0, 2)).toEqual([
      "saveState rolling_000004",
      "saveState rolling_000006",
    ]);
  });

  it("goes on from a saved position as if it had never ended", async () => {
    const whole = setUp({ steps: 5 });
    await whole.run();
    const first = setUp({ steps: 3 });
    await first.run();
    const rest = setUp({ steps: 5 });
    await rest.run(positionIn(await first.state()));
    expect([...first.sampler.requests, ...rest.sampler.requests]).toEqual(whole.sampler.requests);
    const losses = ({ context }: typeof whole) => context.client.lossCalls;
    expect([...losses(first), ...losses(rest)]).toEqual(losses(whole));
    const { counters, dataset, optimizer_updates } = (await whole.state()) ?? {};
    expect(await rest.state()).toMatchObject({ counters, dataset, optimizer_updates });
  });
});

describe("a loop that is asked to stop", () => {
  it("gives up the step under way and saves the last completed one", async () => {
    const { run, context, saves, state } = setUp({ steps: null });
    context.client.sampler = scriptedSampler([ended(call("answer"))], {
      beforeAnswer: async () => {
        if (linesOf(context, PATHS.metrics).length === 2) context.control.stop();
      },
    });
    expect(await run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(saves()).toEqual(["saveState interrupt_000002"]);
    expect((await state())?.step).toBe(2);
    expect(context.client.adamCalls).toHaveLength(2);
  });

  it("saves at once where no step was completed", async () => {
    const { run, context, saves } = setUp();
    context.control.stop();
    expect(await run()).toMatchObject({ outcome: "stopped", step: 0 });
    expect(saves()).toEqual(["saveState interrupt_000000"]);
  });

  it("has done its work when all steps were completed", async () => {
    const { run, context } = setUp({ steps: 1 });
    const { forwardBackward } = context.client;
    context.client.forwardBackward = (...call) => {
      context.control.stop();
      return forwardBackward.apply(context.client, call);
    };
    expect(await run()).toMatchObject({ outcome: "done", step: 1 });
  });
});

describe("a loop that is asked to pause", () => {
  it("waits after the step under way, and goes on as if it had never waited", async () => {
    const undisturbed = setUp();
    await undisturbed.run();
    const paused = setUp();
    const { context } = paused;
    const phases: string[] = [];
    Object.assign(context, { enterPhase: async (phase: string) => void phases.push(phase) });
    amidRollouts(paused, 1, () => context.control.pause());
    const ended = paused.start();
    await settle();
    const requests = paused.sampler.requests.length;
    expect(phases).toEqual(["paused"]);
    expect(context.progress.at(-1)).toEqual({ kind: "paused", step: 2 });
    await settle();
    expect(paused.sampler.requests).toHaveLength(requests);

    context.control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 3 });
    expect(phases).toEqual(["paused", "running"]);
    expect(paused.sampler.requests).toEqual(undisturbed.sampler.requests);
    expect(context.client.lossCalls).toEqual(undisturbed.context.client.lossCalls);
    expect(rewardedRows(paused)).toEqual(rewardedRows(undisturbed));
  });

  it("has its last save confirmed before it waits", async () => {
    const { context, start, state } = setUp({ config: { rolling_save_every: 1 } });
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

  it("has a save that lasts, as a pause may last longer than one that rolls", async () => {
    const paused = setUp({ config: { rolling_save_every: 1 } });
    const { context } = paused;
    amidRollouts(paused, 1, () => context.control.pause());
    const ended = paused.start();
    await settle();
    expect(context.progress.at(-1)).toEqual({ kind: "paused", step: 2 });
    expect(paused.saves().at(-1)).toBe("saveState interrupt_000002");
    expect(context.deleted).toContain("tinker://S:train:0/weights/rolling_000002");
    context.control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 3 });
  });

  it("waits at a critical alarm where that is wanted", async () => {
    // Seventeen times the same tokens, which the model does not say so surely.
    const environments = { [ENVIRONMENT]: anEnvironment({ num_rollouts: 17 }) };
    const phasesOf = async (pause_on_alarm: boolean): Promise<readonly string[]> => {
      // The fake service hands out one and the same sampler, which is an alarm of its own.
      const alarms = { ...aConfig().alarms, stale_sampler: null };
      const { context, run } = setUp({ config: { environments, alarms, pause_on_alarm } });
      const phases: string[] = [];
      const enterPhase = async (phase: string): Promise<void> => {
        phases.push(phase);
        context.control.continue();
      };
      Object.assign(context, { enterPhase });
      expect(await run()).toMatchObject({ outcome: "done", step: 3 });
      const alarm = { kind: "alarm", step: 0, severity: "critical" };
      expect(context.progress).toContainEqual(expect.objectContaining(alarm));
      return phases;
    };
    expect(await phasesOf(true)).toEqual(["paused", "running"]);
    expect(await phasesOf(false)).toEqual([]);
  });

  it.each([
    ["fail_fast", ["paused", "running"]],
    ["strict", []],
  ] as const)("with group_failures: %s, a failed rollout makes it %j", async (policy, expected) => {
    const { context, run } = setUp({ config: { group_failures: policy } });
    const environment = environmentOf(context, ENVIRONMENT);
    // The second rollout of the run ends without a reward.
    const remote = scriptedEnvironment([
      { onCall: () => result("", { reward: 1, finished: true }) },
      { onCall: () => result("", { reward: null, finished: true }) },
      { onCall: () => result("", { reward: 0, finished: true }) },
    ]);
    Object.assign(environment.remote, remote);
    const phases: string[] = [];
    const enterPhase = async (phase: string): Promise<void> => {
      phases.push(phase);
      context.control.continue();
    };
    Object.assign(context, { enterPhase });
    await run();
    expect(phases.slice(0, 2)).toEqual(expected);
    const told = expect.stringMatching(/^Step 1, group 1, rollout \d .*group_failures: fail_fast/);
    const warning = expect.objectContaining({ kind: "warning", message: told });
    if (policy === "fail_fast") expect(context.progress).toContainEqual(warning);
    else expect(context.progress).not.toContainEqual(warning);
  });

  it("knows a sampler that it has had before an update", async () => {
    const { context, run } = setUp();
    await run();
    const told = context.progress.filter(({ kind }) => kind === "alarm");
    expect(told).toMatchObject([{ step: 1, title: "The sampler has old weights" }]);
  });

  it("does not wait when no step is left", async () => {
    const finishing = setUp({ steps: 1 });
    amidRollouts(finishing, 0, () => finishing.context.control.pause());
    expect(await finishing.run()).toMatchObject({ outcome: "done", step: 1 });
  });

  it("is saved when it is stopped while it waits", async () => {
    const { context, start, saves } = setUp({ steps: null });
    context.control.pause();
    const ended = start({ ...START, step: 4, cursor: 4 });
    await settle();
    context.control.stop();
    expect(await ended).toMatchObject({ outcome: "stopped", step: 4 });
    expect(saves()).toEqual(["saveState interrupt_000004"]);
  });
});

describe("a loop that is asked to save", () => {
  it("amid rollouts saves the last completed step, and a resume from there is exact", async () => {
    const undisturbed = setUp({ steps: 4 });
    await undisturbed.run();
    const saving = setUp({ steps: null });
    const { control } = saving.context;
    amidRollouts(saving, 2, () => {
      void control.saveNow().then(() => control.stop());
    });
    const end = await saving.run();
    expect(end).toMatchObject({ outcome: "stopped", step: 2 });
    expect(saving.saves()).toEqual(["saveState manual_000002"]);
    expect(linesOf(saving.context, PATHS.checkpoints)).toMatchObject([
      { kind: "manual", step: 2 },
      { kind: "interrupt", step: 2 },
    ]);

    const rest = setUp({ steps: 4 });
    await rest.run(positionIn(await saving.state()));
    expect(rest.sampler.requests).toEqual(undisturbed.sampler.requests.slice(4));
    expect(rest.context.client.lossCalls).toEqual(undisturbed.context.client.lossCalls.slice(2));
  });

  it("does not disturb the steps by it", async () => {
    const undisturbed = setUp();
    await undisturbed.run();
    const saving = setUp();
    amidRollouts(saving, 1, () => void saving.context.control.saveNow());
    await saving.run();
    expect(saving.saves()).toEqual(["saveState manual_000001", "saveState final_000003"]);
    expect(saving.sampler.requests).toEqual(undisturbed.sampler.requests);
    expect(rewardedRows(saving)).toEqual(rewardedRows(undisturbed));
  });

  it("amid an update saves the step that it completes", async () => {
    const saving = setUp();
    const saved: unknown[] = [];
    amidUpdate(saving, 1, () => {
      void saving.context.control.saveNow().then((entry) => saved.push(entry.name));
    });
    await saving.run();
    expect(saved).toEqual(["manual_000002"]);
    const { calls } = saving.context.client;
    const place = calls.indexOf("saveState manual_000002");
    expect(calls.slice(0, place).filter((name) => name === "optimStep")).toHaveLength(2);
    expect(calls.slice(0, place).filter((name) => name === "ephemeralSampler")).toHaveLength(3);
  });

  it("is content with a save of the same step that lasts", async () => {
    const saving = setUp({ config: { save_every: 2 } });
    const saved: unknown[] = [];
    amidRollouts(saving, 2, () => {
      void saving.context.control.saveNow().then((entry) => saved.push(entry.name));
    });
    await saving.run();
    expect(saved).toEqual(["checkpoint_000002"]);
  });

  it("amid the last update or later is answered with the final save", async () => {
    const saving = setUp({ steps: 1 });
    const { context } = saving;
    const names: string[] = [];
    amidUpdate(saving, 0, () => {
      void context.control.saveNow().then((entry) => names.push(entry.name));
    });
    const { statePath } = await saving.run();
    names.push((await context.control.saveNow()).name);
    expect(names).toEqual(["manual_000001", "manual_000001"]);
    expect(statePath).toMatch(/manual_000001$/);
    expect(linesOf(context, PATHS.checkpoints).at(-1)).toMatchObject({ kind: "final", step: 1 });
  });
});

describe("a loop that is given new settings", () => {
  /** What would be written down, in the order in which it came into force. */
  function retuning(run: Run, log: string[]) {
    return (name: string, changes: Partial<Config>, keys: readonly string[]): void => {
      const config = { ...run.context.config, ...changes };
      run.context.control.changeSettings({
        ...{ config, keys, configHash: name },
        record: async () => void log.push(`record ${name}`),
        dropped: () => log.push(`dropped ${name}`),
      });
    };
  }
  const rates = ({ context: { client } }: Run) =>
    client.adamCalls.map(({ learning_rate: rate }) => rate);

  it("follows them from the next step on, and says so in the next save", async () => {
    const log: string[] = [];
    const run = setUp({ config: { learning_rate: 1 } });
    const retune = retuning(run, log);
    amidRollouts(run, 1, () => retune("h2", { learning_rate: 2 }, ["learning_rate"]));
    const { context } = await run.run();
    expect(rates(run)).toEqual([1, 1, 2]);
    expect(log).toEqual(["record h2"]);
    expect(run.context.progress).toContainEqual({
      ...{ kind: "retuned", step: 2, keys: ["learning_rate"] },
    });
    expect(await run.state()).toMatchObject({ config_hash: "h2", changed_keys: ["learning_rate"] });
    expect(context.config.learning_rate).toBe(2);
  });

  it("follows the last of those given before one border", async () => {
    const log: string[] = [];
    const run = setUp({ steps: 2, config: { learning_rate: 1 } });
    const retune = retuning(run, log);
    amidRollouts(run, 0, () => {
      retune("h2", { learning_rate: 2 }, ["learning_rate"]);
      retune("h3", { learning_rate: 2, weight_decay: 0.5 }, ["weight_decay"]);
    });
    await run.run();
    expect(rates(run)).toEqual([1, 2]);
    expect(log).toEqual(["record h3"]);
    expect(await run.state()).toMatchObject({ changed_keys: ["learning_rate", "weight_decay"] });
  });

  it("follows those given while it waited", async () => {
    const run = setUp({ config: { learning_rate: 1 } });
    amidRollouts(run, 0, () => run.context.control.pause());
    const ended = run.start();
    await settle();
    retuning(run, [])("h2", { learning_rate: 2 }, ["learning_rate"]);
    run.context.control.continue();
    await ended;
    expect(rates(run)).toEqual([1, 2, 2]);
  });

  it("goes on as before where they cannot come into force", async () => {
    const log: string[] = [];
    const run = setUp({ steps: 2, config: { learning_rate: 1 } });
    amidRollouts(run, 0, () =>
      retuning(run, log)(
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
      message: expect.stringMatching(/^The new settings were left out: .*needs an end/),
    });
    expect(await run.state()).toMatchObject({ config_hash: "h", changed_keys: [] });
  });

  it("makes more steps when told so in the last one, and fewer when told so in time", async () => {
    const longer = setUp({ steps: 2 });
    amidRollouts(longer, 1, () => retuning(longer, [])("h2", { max_steps: 3 }, ["max_steps"]));
    expect(await longer.run()).toMatchObject({ outcome: "done", step: 3 });
    const shorter = setUp({ steps: 9 });
    amidRollouts(shorter, 1, () => retuning(shorter, [])("h2", { max_steps: 2 }, ["max_steps"]));
    expect(await shorter.run()).toMatchObject({ outcome: "done", step: 2 });
  });

  it("keeps them for a resume when it is stopped before the next step", async () => {
    const log: string[] = [];
    const run = setUp({ steps: null });
    amidRollouts(run, 2, () => {
      retuning(run, log)("h2", { learning_rate: 2 }, ["learning_rate"]);
      run.context.control.stop();
    });
    expect(await run.run()).toMatchObject({ outcome: "stopped", step: 2 });
    expect(log).toEqual(["record h2"]);
    expect(await run.state()).toMatchObject({ config_hash: "h2", changed_keys: ["learning_rate"] });
  });
});

describe("a loop whose disk takes nothing more", () => {
  const full = () => Promise.reject(new AppError("disk", "The disk is full."));

  it("saves the last completed step while the weights are still those", async () => {
    const run = setUp({ steps: null });
    amidRollouts(run, 2, () => Object.assign(run.context.store, { addRollout: full }));
    await expect(run.run()).rejects.toMatchObject({ code: "disk" });
    expect(run.saves()).toEqual(["saveState interrupt_000002"]);
    expect((await run.state())?.step).toBe(2);
  });

  it("does not save weights that hold an update which no row tells of", async () => {
    const run = setUp({ steps: null });
    amidUpdate(run, 2, () => Object.assign(run.context.store, { addTokens: full }));
    await expect(run.run()).rejects.toMatchObject({ code: "disk" });
    expect(run.context.client.adamCalls).toHaveLength(3);
    expect(run.saves()).toEqual([]);
  });
});

describe("a loop whose loss is not a number", () => {
  it("does not save what that made of the weights", async () => {
    const { run, context, saves } = setUp({ steps: null });
    const { answer } = context.client;
    context.client.answer = (call) => {
      const result = answer(call);
      const isThird = context.client.lossCalls.length === 3;
      return isThird ? { ...result, metrics: { "loss:sum": Number.NaN } } : result;
    };
    await expect(run()).rejects.toMatchObject({ code: "training-not-finite" });
    expect(saves()).toEqual([]);
  });
});

describe("steps without anything to train on", () => {
  const config = { max_consecutive_empty_steps: 2 };

  it("have a row of metrics, keep the sampler and go on", async () => {
    const { run, context } = setUp({ steps: 2, rewards: [1, 1, 1, 0] });
    expect(await run()).toMatchObject({ outcome: "done", rewards: [1, 0.5] });
    expect(linesOf(context, PATHS.metrics)).toHaveLength(2);
    expect(context.client.adamCalls).toHaveLength(1);
  });

  it("end the run with a diagnosis after so many in a row, and the run is saved", async () => {
    const { run, saves, state } = setUp({ config, steps: null, rewards: [1, 0, 1, 1, 1, 1] });
    await expect(run()).rejects.toMatchObject({
      code: "empty-steps",
      configPath: "max_consecutive_empty_steps",
      message: expect.stringMatching(/^2 steps in a row .*temperature/),
    });
    expect(saves()).toEqual(["saveState interrupt_000003"]);
    expect((await state())?.counters.consecutive_empty_steps).toBe(2);
  });

  it("are told by why their rollouts failed, where all did", async () => {
    const { run, context } = setUp({ config, steps: null });
    environmentOf(context, ENVIRONMENT).gate.open = async () => {
      throw new AppError("environment-tool-crashed", "no data");
    };
    await expect(run()).rejects.toMatchObject({
      code: "empty-steps",
      message: expect.stringMatching(/in the last one all 2 rollouts failed\. The first: no data/),
    });
  });

  it("are counted anew after a step that trained", async () => {
    const { run } = setUp({ config, steps: 4, rewards: [1, 1, 1, 0] });
    expect(await run()).toMatchObject({ outcome: "done", step: 4 });
  });
});

describe("a loop whose environments' service fails", () => {
  const gone = new AppError("environment-unavailable", "connect ECONNREFUSED");
  const BEFORE_GIVING_UP_MS = 30 * 60_000;

  /** Opens so many sessions, two for a step, and no more until `recover` is called. */
  function setUpOutage(steps: number | null, sessions: number) {
    const run = setUp({ steps });
    const { context } = run;
    const { remote } = environmentOf(context, ENVIRONMENT);
    const { openSession } = remote;
    let isMended = false;
    let opened = 0;
    let refused = 0;
    Object.assign(remote, {
      splits: async () => {
        throw gone;
      },
      openSession: async (...asked: Parameters<typeof openSession>) => {
        const isGone = opened >= sessions && !isMended;
        if (isGone) refused += 1;
        else opened += 1;
        if (isGone) throw gone;
        return openSession.apply(remote, asked);
      },
    });
    const phases: string[] = [];
    const kinds: string[] = [];
    Object.assign(context, {
      enterPhase: async (phase: string) => void phases.push(phase),
      events: {
        record: async ({ kind }: { kind: string }) => {
          // The one about the server whose loss is not checked here.
          if (kind !== "server-probed") kinds.push(kind);
        },
      },
      service: { ...context.service, capabilities: async () => [] },
    });
    const recover = () => {
      isMended = true;
    };
    const warnings = () =>
      context.progress.flatMap((event) => (event.kind === "warning" ? [event.message] : []));
    return { ...run, recover, phases, kinds, warnings, refused: () => refused };
  }

  it.each([
    ["before a step", 2],
    ["amid a step", 3],
  ])("%s waits, its last step saved, and goes on as if nothing had been", async (_, sessions) => {
    const undisturbed = setUp();
    await undisturbed.run();
    const failing = setUpOutage(3, sessions);
    const { context, phases, warnings, kinds } = failing;
    const ended = failing.start();
    await context.clock.advance(20_000);
    expect(phases).toEqual(["paused"]);
    expect(kinds).toEqual(["circuit-open"]);
    expect(warnings()).toEqual([
      expect.stringMatching(
        /server at http:\/\/games\.test failed: .*Start the server again.* step 2 /,
      ),
    ]);
    expect(failing.saves()).toEqual(["saveState manual_000001"]);
    expect(await failing.state()).toMatchObject({ step: 1, dataset: { cursor: 1 } });
    failing.recover();
    expect(await context.clock.run(ended)).toMatchObject({ outcome: "done", step: 3 });
    expect(phases).toEqual(["paused", "running"]);
    expect(requestsOf(failing)).toEqual(requestsOf(undisturbed));
    expect(context.client.lossCalls).toEqual(undisturbed.context.client.lossCalls);
    expect(rewardedRows(failing)).toEqual(rewardedRows(undisturbed));
    expect((await failing.state())?.counters).toEqual((await undisturbed.state())?.counters);
  });

  it("tries again every half minute, one rollout at a time, and at last gives up", async () => {
    const { run, context, warnings, state, phases, refused } = setUpOutage(null, 4);
    await expect(run()).rejects.toMatchObject({
      code: "environment-unavailable",
      message: expect.stringMatching(/ECONNREFUSED\. .*waited for 30 min .* resume the run\.$/),
    });
    expect(warnings()).toEqual([
      expect.stringMatching(/again every 30 s, .* gives up in 30 min\.$/),
    ]);
    expect(phases).toEqual(["paused"]);
    // Four of each rollout before, and then one every half minute.
    expect(refused()).toBeLessThanOrEqual(8 + 60);
    expect(context.clock.monotonic()).toBeGreaterThanOrEqual(BEFORE_GIVING_UP_MS);
    expect(context.clock.monotonic()).toBeLessThan(BEFORE_GIVING_UP_MS + 60_000);
    expect(await state()).toMatchObject({ step: 2, dataset: { cursor: 2 } });
    expect(linesOf(context, PATHS.metrics)).toHaveLength(2);
  });

  it("tries at once when it is told to continue", async () => {
    const failing = setUpOutage(2, 2);
    const { clock, control } = failing.context;
    const ended = failing.start();
    await clock.advance(20_000);
    failing.recover();
    const tries = failing.refused();
    control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 2 });
    expect(clock.monotonic()).toBe(20_000);
    expect(failing.refused()).toBe(tries);
  });

  it("obeys a stop while it waits", async () => {
    const failing = setUpOutage(null, 2);
    const ended = failing.start();
    await failing.context.clock.advance(20_000);
    failing.context.control.stop();
    expect(await ended).toMatchObject({ outcome: "stopped", step: 1 });
    expect(failing.saves()).toEqual(["saveState manual_000001"]);
  });

  it("stays paused when that is requested meanwhile", async () => {
    const failing = setUpOutage(2, 2);
    const { clock, control } = failing.context;
    const ended = failing.start();
    await clock.advance(20_000);
    control.pause();
    failing.recover();
    const tries = failing.refused();
    await clock.advance(BEFORE_GIVING_UP_MS);
    expect(failing.phases).toEqual(["paused"]);
    control.continue();
    expect(await ended).toMatchObject({ outcome: "done", step: 2 });
    expect(failing.refused()).toBe(tries);
  });

  it("does not save where the service of the weights is out of reach, too", async () => {
    const failing = setUpOutage(2, 2);
    const { context } = failing;
    Object.assign(context.service, { capabilities: () => new Promise(() => undefined) });
    const ended = failing.start();
    await context.clock.advance(20_000);
    expect(failing.saves()).toEqual([]);
    failing.recover();
    expect(await context.clock.run(ended)).toMatchObject({ outcome: "done", step: 2 });
  });
});

describe("a loop whose environment holds fewer sessions than it asks for", () => {
  it("trains the same as with room for all, and says at its end how many were taken", async () => {
    const config = { batch_size: 4, max_active_tasks: 8 };
    const roomy = setUp({ config, steps: 3, rewards: [1] });
    await roomy.run();
    const tight = setUp({ config, steps: 3, rewards: [1] });
    const { context } = tight;
    const { gate, remote } = environmentOf(context, ENVIRONMENT);
    const { openSession } = remote;
    let open = 0;
    remote.openSession = async (...asked) => {
      if (open === 3) throw new AppError("environment-capacity", "at maximum capacity");
      open += 1;
      const session = await openSession.apply(remote, asked);
      const close = async () => {
        await context.clock.sleep(100);
        open -= 1;
      };
      return { ...session, close };
    };
    const told: NewRunEvent[] = [];
    Object.assign(context.events, { record: async (event: NewRunEvent) => void told.push(event) });
    expect(await tight.run()).toMatchObject({ outcome: "done", step: 3 });
    expect(requestsOf(tight)).toEqual(requestsOf(roomy));
    expect(rewardedRows(tight)).toEqual(rewardedRows(roomy));
    expect(gate.stats).toMatchObject({ peak: 3, failures: 0 });
    const [row] = linesOf(context, PATHS.metrics);
    expect(row).toMatchObject({ capacity: { Game: { rejections: expect.any(Number) } } });
    expect(told.at(-1)).toMatchObject({
      kind: "capacity-summary",
      message: expect.stringMatching(
        /^Owner\/Game took 3 sessions at once of the 8 asked for; set .*max_concurrency: 3 /,
      ),
      data: { edits: [{ path: ["environments", ENVIRONMENT, "max_concurrency"], value: 3 }] },
    });
    expect(told.map(({ kind }) => kind)).toContain("capacity-limit");
  });
});

describe("evaluations", () => {
  const evaluation = {
    splits: { [ENVIRONMENT]: ["test"] },
    at_start: true,
    at_end: true,
    every: 2,
    num_samples: 1,
    rollouts_per_task: 1,
    temperatures: [0],
  };

  it("come before the first step and after every so many, and go into the next row", async () => {
    const { run, context } = setUp({ config: { evaluation }, steps: 3, rewards: [1] });
    await run();
    const evaluated = context.progress.flatMap((event) =>
      event.kind === "evaluated" ? [[event.purpose, event.step]] : [],
    );
    expect(evaluated).toEqual([
      ["start", 0],
      ["periodic", 2],
    ]);
    const rows = linesOf(context, PATHS.metrics).filter(isJsonObject);
    const withEvaluation = rows.map((row) => Object.hasOwn(row, "eval"));
    expect(withEvaluation).toEqual([true, false, true]);
  });

  it("are repeated where the environments' service failed them, and leave one result", async () => {
    const { run, context } = setUp({ config: { evaluation }, steps: 1, rewards: [1] });
    const { remote } = environmentOf(context, ENVIRONMENT);
    const { openSession } = remote;
    remote.openSession = async (...choice) => {
      if (context.clock.monotonic() > 0) return openSession.apply(remote, choice);
      await context.clock.sleep(100);
      throw new AppError("environment-unavailable", "gone");
    };
    const settings = { ...environmentOf(context, ENVIRONMENT).settings, maxRetries: 0 };
    Object.assign(environmentOf(context, ENVIRONMENT), { settings });
    await run();
    expect(context.clock.monotonic()).toBeGreaterThanOrEqual(30_000);
    expect(linesOf(context, PATHS.evaluations)).toHaveLength(1);
    expect(linesOf(context, evalPath(FOLDER, 0))).toHaveLength(1);
  });

  it("wait where the environment has no room for their question", async () => {
    const { run, context } = setUp({ config: { evaluation }, steps: 1, rewards: [1] });
    const { remote } = environmentOf(context, ENVIRONMENT);
    const { numTasks } = remote;
    let refusals = 0;
    remote.numTasks = async (...asked) => {
      refusals += 1;
      if (refusals <= 3) throw new AppError("environment-capacity", "full");
      return numTasks.apply(remote, asked);
    };
    expect(await run()).toMatchObject({ outcome: "done" });
    expect(context.clock.monotonic()).toBe(1_000 + 2_000 + 4_000);
    // The sessions that follow are none fewer for it.
    expect(environmentOf(context, ENVIRONMENT).gate.stats.limit).toBeGreaterThan(64);
  });

  it("do not come again at the start when a run goes on", async () => {
    const { run, context } = setUp({ config: { evaluation: { ...evaluation, every: null } } });
    await run({ ...START, step: 1, cursor: 1 });
    expect(context.progress.some(({ kind }) => kind === "evaluated")).toBe(false);
  });
});

import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import type { FinishedRollout, RolloutTask } from "../../../../src/core/rollout/rollout.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import {
  result,
  type ScriptedEnvironment,
  type SessionScript,
  scriptedEnvironment,
} from "../../rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aConfig, aTask, someSettings } from "../builders.ts";
import { aContext } from "../fakeContext.ts";
import { playRollouts } from "../playRollouts.ts";

const ANSWER = ended(call("answer"));
const solved = { onCall: () => result("", { reward: 1, finished: true }) };
const tasks = (count: number): readonly RolloutTask[] =>
  Array.from({ length: count }, (_, rollout) => aTask({ rollout }));

/** Refuses sessions while `isGone` returns true for the number requested so far, and answers no query after a refusal. */
function vanishing(isGone: (asked: number) => boolean, script: SessionScript | Error = solved) {
  const inner = scriptedEnvironment([script]);
  let asked = 0;
  const answer = (before: number): void => {
    if (isGone(before)) throw new AppError("environment-unavailable", "gone");
  };
  const remote: ScriptedEnvironment = {
    ...inner,
    splits: async () => {
      answer(asked - 1);
      return inner.splits();
    },
    openSession: async (choice, options) => {
      asked += 1;
      answer(asked - 1);
      return inner.openSession(choice, options);
    },
  };
  return { remote, asked: () => asked };
}

/** Counts the sessions that are open at once. */
function countingEnvironment() {
  let open = 0;
  let most = 0;
  const inner = scriptedEnvironment([solved]);
  const remote: ScriptedEnvironment = {
    ...inner,
    openSession: async (choice, options) => {
      open += 1;
      most = Math.max(most, open);
      const session = await inner.openSession(choice, options);
      const close = async () => {
        open -= 1;
        await session.close();
      };
      return { ...session, close };
    },
  };
  return { remote, most: () => most, open: () => open };
}

describe("playing rollouts", () => {
  it("returns them in the order of the tasks, however they end", async () => {
    const context = aContext({ remote: scriptedEnvironment([solved]) });
    const order: number[] = [];
    const sampler = scriptedSampler([ANSWER], {
      beforeAnswer: (signal) => context.clock.sleep(5_000 - 1_000 * order.length, signal),
    });
    const onFinished = async ({ record }: FinishedRollout) => void order.push(record.rollout);
    const finished = await context.clock.run(
      playRollouts(context, tasks(3), { sampler, onFinished }),
    );
    expect(finished.map(({ record }) => record.rollout)).toEqual([0, 1, 2]);
    expect(order.toSorted()).toEqual([0, 1, 2]);
  });

  it("respects the rollout limit, and does not charge rollouts for waiting", async () => {
    const { remote, most } = countingEnvironment();
    const config = aConfig({ max_rollout_concurrency: 1 });
    const settings = someSettings({ rolloutTimeoutMs: 2_000 });
    const context = aContext({ config, remote, settings });
    const finished = await context.clock.run(playRollouts(context, tasks(5)));
    expect(most()).toBe(1);
    expect(finished.map(({ record }) => record.stop)).toEqual(
      tasks(5).map(() => "reached_terminal_state"),
    );
    expect(finished.map(({ facts }) => facts.queueS)).toEqual([0, 1, 2, 3, 4]);
    const queuedMs = finished.map(({ record }) => record.beginning?.queuedMs);
    expect(queuedMs).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  });

  it("respects the limit of concurrent samples", async () => {
    const config = aConfig({ max_samples_in_flight: 2 });
    const context = aContext({ config, remote: scriptedEnvironment([solved]) });
    let inFlight = 0;
    let most = 0;
    const sampler = scriptedSampler([ANSWER], {
      beforeAnswer: async (signal) => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await context.clock.sleep(1_000, signal);
        inFlight -= 1;
      },
    });
    await context.clock.run(playRollouts(context, tasks(6), { sampler }));
    expect(most).toBe(2);
  });

  it("sends seeds unless they are turned off", async () => {
    const seedsWith = async (sampling_seed: boolean) => {
      const sampler = scriptedSampler([ANSWER]);
      const remote = scriptedEnvironment([solved]);
      const context = aContext({ config: aConfig({ sampling_seed }), remote });
      await context.clock.run(playRollouts(context, tasks(1), { sampler }));
      return sampler.requests.map(({ seed }) => seed);
    };
    expect(await seedsWith(true)).toEqual([7]);
    expect(await seedsWith(false)).toEqual([undefined]);
  });

  it("writes a rollout down before the next one takes its slot", async () => {
    const { remote, open } = countingEnvironment();
    const context = aContext({ config: aConfig({ max_active_tasks: 1 }), remote });
    const opened: number[] = [];
    const onFinished = async () => {
      await context.clock.sleep(500);
      opened.push(open());
    };
    await context.clock.run(playRollouts(context, tasks(3), { onFinished }));
    expect(opened).toEqual([0, 0, 0]);
    expect(context.clock.monotonic()).toBe(3 * 1_500);
  });
});

describe("a fault that concerns the whole run", () => {
  it("ends all other rollouts, closes their sessions, and is thrown", async () => {
    const refused = new AppError("tinker-auth", "The key was refused.");
    const remote = scriptedEnvironment([solved, solved, refused]);
    const context = aContext({ remote });
    await expect(playRollouts(context, tasks(3))).rejects.toBe(refused);
    expect(remote.sessions.map(({ isClosed }) => isClosed)).toEqual([true, true]);
    expect(context.clock.sleeping).toBe(0);
    expect(context.limits.rollouts.active).toBe(0);
  });

  it("keeps waiting rollouts from starting", async () => {
    const refused = new AppError("environment-auth", "The key was refused.");
    const remote = scriptedEnvironment([refused]);
    const context = aContext({ config: aConfig({ max_active_tasks: 1 }), remote });
    await expect(playRollouts(context, tasks(9))).rejects.toBe(refused);
    // The slot of the refused rollout may be taken before the others learn of the fault.
    expect(remote.choices.length).toBeLessThanOrEqual(2);
  });

  it("can be a rollout that cannot be written", async () => {
    const disk = new AppError("disk", "The disk is full.");
    const context = aContext({ remote: scriptedEnvironment([solved]) });
    const onFinished = () => Promise.reject(disk);
    await expect(context.clock.run(playRollouts(context, tasks(2), { onFinished }))).rejects.toBe(
      disk,
    );
  });
});

describe("a stop request", () => {
  it("ends all rollouts with its own reason", async () => {
    const remote = scriptedEnvironment([solved]);
    const context = aContext({ remote });
    const playing = playRollouts(context, tasks(3));
    await settle();
    context.control.stop();
    await expect(playing).rejects.toBe(context.control.signal.reason);
    expect(remote.sessions.map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
  });

  it("is recorded once", () => {
    const { control } = aContext();
    expect(control.isStopping).toBe(false);
    control.stop();
    const { reason } = control.signal;
    control.stop();
    expect(control.isStopping).toBe(true);
    expect(control.signal.reason).toBe(reason);
    expect(reason).toMatchObject({ code: "stopped" });
  });
});

describe("rollouts whose environment service becomes unreachable", () => {
  const settings = someSettings({ maxRetries: 0 });

  /** Plays rollouts and returns the order in which they were delivered. */
  async function playOut(remote: ScriptedEnvironment, count: number, atOnce = 64) {
    const config = aConfig({ max_rollout_concurrency: atOnce });
    const context = aContext({ config, remote, settings });
    const order: number[] = [];
    const onFinished = async ({ record }: FinishedRollout) => void order.push(record.rollout);
    const playing = context.clock.run(playRollouts(context, tasks(count), { onFinished }));
    const finished = await playing.catch((error: unknown) => error);
    return { context, finished, order };
  }

  it("are not tried once others have shown that the environment does not answer", async () => {
    const { remote, asked } = vanishing((before) => before < 16);
    const { finished, order } = await playOut(remote, 100, 16);
    expect(finished).toHaveLength(100);
    expect(order).toHaveLength(100);
    expect(asked()).toBe(116);
  });

  it("count as failed when other rollouts got through", async () => {
    const { remote } = vanishing((before) => before === 1);
    const { context, finished } = await playOut(remote, 3);
    expect(finished).toMatchObject([1, null, 1].map((reward) => ({ record: { reward } })));
    expect(context.phases).toEqual([]);
  });

  it.each(["environment-tool-crashed", "environment-protocol"] as const)(
    "exclude rollouts that ended with %s",
    async (code) => {
      const { remote } = vanishing(() => false, new AppError(code, "broken"));
      const { finished, order } = await playOut(remote, 2);
      expect(finished).toMatchObject([{ record: { reward: null } }, { record: { reward: null } }]);
      expect(order).toEqual([0, 1]);
    },
  );
});

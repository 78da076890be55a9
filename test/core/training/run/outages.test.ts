import { describe, expect, it } from "vitest";
import { exitCodeOf } from "../../../../src/cli/terminal/exitCode.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { RolloutTask } from "../../../../src/core/rollout/rollout.ts";
import {
  result,
  type ScriptedEnvironment,
  type SessionScript,
  scriptedEnvironment,
} from "../../rollout/scriptedEnvironment.ts";
import { aConfig, aTask, ENVIRONMENT, someSettings } from "../builders.ts";
import { aContext, type ContextOptions } from "../fakeContext.ts";
import { playRollouts } from "../playRollouts.ts";

const MINUTE_MS = 60_000;
const OTHER = "Owner/Other";
const unpaid = new AppError("environment-billing", "no credit is left. Add credit at the page.");
const full = new AppError("environment-capacity", "at maximum capacity");
const gone = new AppError("environment-unavailable", "connect ECONNREFUSED");
const refused = new AppError("environment-auth", "access denied. Check the API key.");
const solved: SessionScript = { onCall: () => result("", { reward: 1, finished: true }) };

const tasks = (count: number, changes: Partial<RolloutTask> = {}): readonly RolloutTask[] =>
  Array.from({ length: count }, (_, rollout) => aTask({ rollout, ...changes }));

interface Fault {
  error: AppError | null;
}

/** Refuses sessions with the current error in `fault`; queries only fail if `isSilent`. */
function faulty(fault: Fault, isSilent = true): ScriptedEnvironment {
  const inner = scriptedEnvironment([solved]);
  return {
    ...inner,
    splits: async () => {
      if (isSilent && fault.error !== null) throw fault.error;
      return inner.splits();
    },
    openSession: async (choice, options) => {
      if (fault.error !== null) throw fault.error;
      return inner.openSession(choice, options);
    },
  };
}

/** Plays in step 3, with a model that takes a second per turn. */
function setUp(
  remote: ScriptedEnvironment,
  rollouts: readonly RolloutTask[],
  maxActive = 64,
  otherRemotes: ContextOptions["otherRemotes"] = {},
) {
  const saves: number[] = [];
  const context = aContext({
    remote,
    otherRemotes,
    config: aConfig({ max_active_tasks: maxActive }),
    settings: someSettings({ maxRetries: 1 }),
    capabilities: async () => [],
  });
  const { recorded: events, phases } = context;
  context.control.offerSave(async () => {
    saves.push(context.clock.monotonic());
    throw new AppError("disk", "Nothing reads the entry.");
  });
  const play = () => playRollouts(context, rollouts);
  const kinds = () => events.map(({ kind }) => kind);
  return { context, clock: context.clock, events, kinds, phases, saves, play };
}

describe("an environment that refuses every session because it is at capacity", () => {
  it("pauses the run after half an hour with suggestions, and ends it after an hour", async () => {
    const { play, clock, phases, events } = setUp(faulty({ error: full }), tasks(4));
    const playing = play().catch((error: unknown) => error);
    await clock.advance(29 * MINUTE_MS);
    expect(phases).toEqual([]);
    await clock.advance(MINUTE_MS);
    expect(phases).toEqual(["paused"]);
    const paused = events.find(({ kind }) => kind === "capacity-paused");
    expect(paused?.message).toMatch(/refused every session: at maximum capacity\. .* in 30 min\.$/);
    const error = await clock.run(playing);
    expect(error).toMatchObject({
      code: "run-capacity",
      configPath: `environments.${ENVIRONMENT}.max_concurrency`,
      data: { edits: [{ path: ["environments", ENVIRONMENT, "max_concurrency"], value: 1 }] },
    });
    expect(exitCodeOf(error)).toBe(4);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(60 * MINUTE_MS);
  });

  it("lets the run continue by itself as soon as it opens a session", async () => {
    const fault: Fault = { error: full };
    const { play, clock, phases } = setUp(faulty(fault), tasks(4));
    const playing = play();
    await clock.advance(40 * MINUTE_MS);
    fault.error = null;
    const finished = await clock.run(playing);
    expect(finished.map(({ record, facts }) => [record.reward, facts.attempts])).toEqual(
      tasks(4).map(() => [1, 1]),
    );
    expect(phases).toEqual(["paused", "running"]);
    expect(clock.monotonic()).toBeLessThanOrEqual(42 * MINUTE_MS);
  });
});

describe("an environment that starts refusing the key during a run", () => {
  it("pauses the run, which loses nothing once the key is valid again", async () => {
    const fault: Fault = { error: null };
    const { play, clock, phases, events, context } = setUp(faulty(fault), tasks(3), 1);
    const playing = play();
    await clock.advance(1_500);
    fault.error = refused;
    await clock.advance(MINUTE_MS);
    expect(phases).toEqual(["paused"]);
    expect(events).toMatchObject([
      {
        kind: "circuit-open",
        message: expect.stringMatching(/Check the API key.*reads a new key/),
      },
    ]);
    fault.error = null;
    context.control.continue();
    expect(await clock.run(playing)).toMatchObject(tasks(3).map(() => ({ record: { reward: 1 } })));
    expect(events.at(-1)).toMatchObject({ kind: "circuit-closed" });
  });

  it("ends the run immediately if no session was ever opened", async () => {
    const { play } = setUp(faulty({ error: refused }), tasks(3));
    await expect(play()).rejects.toBe(refused);
  });
});

describe("an account that runs out of credit during a run", () => {
  it("pauses the run, which continues by itself once there is credit again", async () => {
    const fault: Fault = { error: null };
    const { play, clock, phases, events } = setUp(faulty(fault), tasks(3), 1);
    const playing = play();
    await clock.advance(1_500);
    fault.error = unpaid;
    await clock.advance(45 * MINUTE_MS);
    expect(phases).toEqual(["paused"]);
    expect(events).toMatchObject([
      {
        kind: "circuit-open",
        message: expect.stringMatching(/cannot be played: .*Add credit.* gives up in 60 min\.$/),
      },
    ]);
    fault.error = null;
    const finished = await clock.run(playing);
    expect(finished.map(({ record, facts }) => [record.reward, facts.attempts])).toEqual(
      tasks(3).map(() => [1, 1]),
    );
    expect(phases).toEqual(["paused", "running"]);
  });
});

it.each([
  ["half an hour of a refused key", refused, /skipped no task.*resume the run\.$/],
  ["an hour without credit", unpaid, /waited for 60 min.*resume the run\.$/],
])("after %s the run ends with that error, and can be resumed", async (_, error, message) => {
  const fault: Fault = { error: null };
  const { play, clock } = setUp(faulty(fault), tasks(3), 1);
  const playing = play();
  playing.catch(() => undefined);
  await clock.advance(1_500);
  fault.error = error;
  await expect(clock.run(playing)).rejects.toMatchObject({
    code: error.code,
    message: expect.stringMatching(message),
  });
});

it("a standalone evaluation continues with a new start, not with a resume", async () => {
  const name = "local/calculator";
  const remote = { ...faulty({ error: gone }), name };
  const { context, clock } = setUp(faulty({ error: gone }), [], 64, { [name]: remote });
  const { client: _, ...services } = context.services;
  const playing = playRollouts({ ...context, services }, tasks(1, { environment: name }));
  await expect(clock.run(playing)).rejects.toThrow(
    /Stop and start it again in the same way; that also .* can be played again, start it again in the same way\.$/,
  );
});

describe("an environment that fails next to one that works", () => {
  it("takes no slots from the other, and no attempts from its own rollouts", async () => {
    const fault: Fault = { error: gone };
    const own = tasks(8);
    const others = tasks(8, { environment: OTHER, taskKey: `${OTHER}:train:1#1` });
    const { context, clock, kinds, phases, play } = setUp(faulty(fault), [...own, ...others], 2, {
      [OTHER]: { ...scriptedEnvironment([solved]), name: OTHER },
    });
    const playing = play();
    await clock.advance(20_000);
    const { environments } = context.services;
    expect(environments.get(OTHER)?.gate.stats.peak).toBeGreaterThan(0);
    expect(environments.get(OTHER)?.gate.outage).toBeNull();
    expect(phases).toEqual(["paused"]);
    fault.error = null;
    const finished = await clock.run(playing);
    expect(finished.map(({ record }) => record.reward)).toEqual([...own, ...others].map(() => 1));
    expect(phases).toEqual(["paused", "running"]);
    expect(kinds()).toEqual(["circuit-open", "circuit-closed"]);
  });
});

describe("a task whose session can never be opened", () => {
  it("fails without a pause if the environment answers queries", async () => {
    const remote = faulty({ error: gone }, false);
    const { play, clock, phases, events } = setUp(remote, tasks(2));
    const finished = await clock.run(play());
    expect(finished).toMatchObject(tasks(2).map(() => ({ record: { reward: null } })));
    expect(phases).toEqual([]);
    expect(events).toEqual([]);
  });
});

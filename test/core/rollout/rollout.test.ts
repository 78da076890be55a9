import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../src/core/errorCodes.ts";
import { AppError } from "../../../src/core/errors.ts";
import { runRollout } from "../../../src/core/rollout/rollout.ts";
import type { RolloutSettings } from "../../../src/core/rollout/settings.ts";
import { rolloutRecordSchema } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { FakeClock, settle } from "../../fakes/fakeClock.ts";
import { untilAborted } from "../../fakes/fakeHttp.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { anEnvironment, aTask, someSettings } from "../training/builders.ts";
import { aGate } from "./builders.ts";
import {
  result,
  type ScriptedEnvironment,
  type SessionScript,
  scriptedEnvironment,
} from "./scriptedEnvironment.ts";
import {
  call,
  ended,
  renderer,
  type ScriptedSampler,
  scriptedSampler,
  tokenizer,
} from "./scriptedModel.ts";

const ADD = ended(call("add"));
const ANSWER = ended(call("answer"));
const solved: SessionScript = {
  onCall: ({ name }) =>
    result("", { reward: name === "answer" ? 1 : 0, finished: name === "answer" }),
};

function fault(code: ErrorCode, data = {}): AppError {
  return new AppError(code, `A fault ${code}.`, { data });
}

/** A session in which every call fails. */
function failing(code: ErrorCode): SessionScript {
  return {
    onCall: () => {
      throw fault(code);
    },
  };
}

interface Setup {
  readonly environment?: ScriptedEnvironment;
  readonly sampler?: ScriptedSampler;
  readonly settings?: Partial<RolloutSettings>;
  readonly clock?: FakeClock;
}

function setUp({
  environment = scriptedEnvironment([solved]),
  sampler = scriptedSampler([ADD, ANSWER]),
  settings,
  clock = new FakeClock(),
}: Setup = {}) {
  const stopping = new AbortController();
  const seeds: number[] = [];
  const gate = aGate(environment, clock);
  const parts = {
    gate,
    sampler,
    chat: { renderer, tokenizer },
    settings: someSettings(settings),
    clock,
    random: { uuid: () => "id", uniform: () => 0 },
    log: silentLog,
    sampleSlot: async () => () => undefined,
    seedOf: (turn: number) => {
      seeds.push(turn);
      return turn;
    },
  };
  const start = async () => (await runRollout(parts, aTask(), stopping.signal)).finish();
  const run = () => clock.run(start());
  return { environment, gate, sampler, clock, stopping, seeds, start, run };
}

const areClosed = ({ sessions }: ScriptedEnvironment) => sessions.map(({ isClosed }) => isClosed);

describe("a rollout", () => {
  it("ends with a record, a token stream, and a reward", async () => {
    const { run, environment } = setUp({ settings: { secrets: { token: "s3cret" } } });
    const { record, streams, facts } = await run();
    expect(rolloutRecordSchema.parse(record)).toEqual(record);
    expect(record).toMatchObject({ stop: "reached_terminal_state", rewards: [0, 1], attempt: 0 });
    expect([record.reward, streams[0]?.turnCount]).toEqual([1, 2]);
    expect(facts).toMatchObject({ attempts: 1, errorClass: null });
    expect(environment.choices[0]).toMatchObject({ split: "train", index: 3 });
    expect(JSON.stringify(record)).not.toContain("s3cret");
    expect(areClosed(environment)).toEqual([true]);
  });

  it("fails without any reward, unless nonterminal_reward applies", async () => {
    const silent = { onCall: () => result("ok") };
    const play = (nonterminal_reward: number | null) =>
      setUp({
        environment: scriptedEnvironment([silent]),
        settings: { maxTurns: 1, rewards: anEnvironment({ nonterminal_reward }) },
      }).run();
    expect(await play(null)).toMatchObject({ record: { reward: null, stop: "max_turns" } });
    expect(await play(-1)).toMatchObject({ record: { reward: -1, stop: "max_turns" } });
  });

  it("fails without a retry if its rewards cannot be trained on, due to the environment", async () => {
    const rewards = [1e308, 1e308];
    const onCall = () => result("", { reward: rewards.pop() ?? 0, finished: rewards.length === 0 });
    const environment = scriptedEnvironment([{ onCall }]);
    const { record, facts } = await setUp({ environment }).run();
    expect([record.reward, facts.errorClass, facts.attempts]).toEqual([
      null,
      "environment-reward-invalid",
      1,
    ]);
    expect(record.error).toMatch(
      /^Environment Owner\/Game gave rewards that are not finite numbers/,
    );
  });

  it("records how far its last turn and its sums stayed below the closest of their limits", async () => {
    const left = async (limits: Partial<RolloutSettings>) =>
      (await setUp({ settings: limits }).run()).facts.tokensLeft;
    const wide = { maxResponseTokens: 1_000, maxTotalTokens: 100_000, maxSampledTokens: null };
    const { facts, streams } = await setUp({ settings: wide }).run();
    const turns = facts.turns.map(({ sampledTokens }) => sampledTokens);
    const sampled = turns.reduce((total, tokens) => total + tokens, 0);
    expect(Math.max(...turns)).toBeGreaterThan(turns.at(-1) ?? 0);
    expect(facts.tokensLeft).toBe(1_000 - (turns.at(-1) ?? 0));
    expect(await left({ ...wide, maxSampledTokens: sampled + 5 })).toBe(5);
    const length = streams[0]?.length ?? 0;
    expect(await left({ ...wide, maxTotalTokens: length + 3 })).toBe(3);
  });

  it("fails if the prompt leaves no room for a turn", async () => {
    const rewards = anEnvironment({ nonterminal_reward: 0 });
    const { record } = await setUp({ settings: { maxTotalTokens: 3, rewards } }).run();
    expect(record.reward).toBeNull();
    expect(record).toMatchObject({ stop: "error", turns: [] });
    expect(record.error).toMatch(/within the 3 tokens of a rollout/);
  });

  it("fails if its teacher's prompt leaves no room for a turn", async () => {
    const teacher = { text: "x".repeat(200), maxTokens: 150 };
    const { record } = await setUp({ settings: { teacher } }).run();
    expect(record.reward).toBeNull();
    expect(record.error).toMatch(
      /with teacher\.context has 2\d\d tokens.*context of 150\. Shorten/,
    );
  });
});

describe("a fault during a rollout", () => {
  it.each(["environment-session-lost", "environment-unavailable", "environment-protocol"] as const)(
    "%s restarts it in a fresh session with the same seeds",
    async (code) => {
      const environment = scriptedEnvironment([failing(code), solved]);
      const { run, seeds, sampler, clock } = setUp({ environment });
      const { record, facts } = await run();
      expect([record.reward, record.attempt, facts.attempts]).toEqual([1, 1, 2]);
      expect(seeds).toEqual([0, 0]);
      expect(sampler.requests[1]?.prompt).toEqual(sampler.requests[0]?.prompt);
      expect(clock.monotonic()).toBe(1_000);
      expect(areClosed(environment)).toEqual([true, true]);
    },
  );

  it.each([
    ["environment-tool-crashed", "tool_crashed"],
    ["environment-reply-too-long", "tool_reply_too_long"],
  ] as const)(
    "%s in a call is the policy's fault: no retry, with nonterminal_reward",
    async (code, stop) => {
      const environment = scriptedEnvironment([failing(code), solved]);
      const rewards = anEnvironment({ nonterminal_reward: -1 });
      const { record, facts, streams } = await setUp({
        environment,
        settings: { rewards },
      }).run();
      expect(record).toMatchObject({ stop, error: null, attempt: 0 });
      expect([record.reward, facts.errorClass, facts.attempts]).toEqual([-1, null, 1]);
      expect(facts.tools).toMatchObject([{ name: "add", isError: true }]);
      expect(record.turns[0]?.results).toMatchObject([{ isError: true }]);
      expect(streams[0]?.trainedTokens).toBeGreaterThan(0);
    },
  );

  it("before the first turn comes from the environment, and restarts the rollout", async () => {
    const broken = scriptedEnvironment([solved]);
    const environment = {
      ...broken,
      openSession: async (...choice: Parameters<typeof broken.openSession>) => {
        const session = await broken.openSession(...choice);
        const isFirst = broken.sessions.length === 1;
        const crash = () => Promise.reject(fault("environment-tool-crashed"));
        return isFirst ? { ...session, prompt: crash } : session;
      },
    };
    const { record } = await setUp({ environment }).run();
    expect([record.reward, record.attempt]).toEqual([1, 1]);
  });

  it("leaves nothing of the failed attempt behind", async () => {
    const crashing: SessionScript = {
      onCall: ({ name }) => {
        if (name === "answer") throw fault("environment-unavailable");
        return result("", { reward: 0.5 });
      },
    };
    const environment = scriptedEnvironment([crashing, solved]);
    const sampler = scriptedSampler([ADD, ANSWER, ANSWER]);
    const { record, streams } = await setUp({ environment, sampler }).run();
    expect(record.rewards).toEqual([1]);
    expect([record.turns.length, streams[0]?.turnCount]).toEqual([1, 1]);
  });

  it("that recurs fails the rollout after max_rollout_retries", async () => {
    const environment = scriptedEnvironment([failing("environment-unavailable")]);
    const { run, clock } = setUp({ environment, settings: { maxRetries: 2 } });
    const { record, facts } = await run();
    expect(record.reward).toBeNull();
    expect(record).toMatchObject({ stop: "max_retries", attempt: 2 });
    expect(record.error).toMatch(/environment-unavailable/);
    expect(facts).toMatchObject({ attempts: 3, errorClass: "environment-unavailable" });
    expect(clock.monotonic()).toBe(1_000 + 2_000);
    expect(areClosed(environment)).toEqual([true, true, true]);
  });

  it("while opening a session counts like one within it", async () => {
    const environment = scriptedEnvironment([fault("environment-unavailable"), solved]);
    const { record, facts } = await setUp({ environment }).run();
    expect([record.reward, facts.attempts]).toEqual([1, 2]);
  });

  it("that affects only this rollout fails it immediately", async () => {
    const onCall = () => ({ kind: "rejected", reason: "episode_finished", error: "over" }) as const;
    const environment = scriptedEnvironment([{ onCall }]);
    const { record } = await setUp({ environment }).run();
    expect(record.reward).toBeNull();
    expect(record).toMatchObject({ stop: "error", attempt: 0 });
  });

  it.each(["environment-auth", "environment-billing", "environment-not-found"] as const)(
    "that would affect every rollout is thrown: %s",
    async (code) => {
      const refusing = fault(code);
      const environment = scriptedEnvironment([refusing]);
      await expect(setUp({ environment }).run()).rejects.toBe(refusing);
    },
  );

  it.each(["environment-auth", "environment-billing", "environment-not-found"] as const)(
    "%s after sessions were opened makes the rollout wait, without counting an attempt",
    async (code) => {
      const environment = scriptedEnvironment([failing(code), fault(code), solved]);
      const { run, clock } = setUp({ environment, settings: { maxRetries: 0 } });
      const { record, facts } = await run();
      expect([record.reward, facts.attempts]).toEqual([1, 1]);
      expect(clock.monotonic()).toBe(60_000);
      expect(areClosed(environment)).toEqual([true, true]);
    },
  );

  it("that the session's pings report takes precedence over a failed call", async () => {
    const environment = scriptedEnvironment([
      {
        onCall: () => {
          environment.sessions[0]?.lose(fault("environment-session-lost"));
          throw new TypeError("aborted");
        },
      },
      solved,
    ]);
    const { record, facts } = await setUp({ environment }).run();
    expect([record.reward, facts.attempts]).toEqual([1, 2]);
  });

  it("also cancels pending work when the session was lost", async () => {
    const environment = scriptedEnvironment([solved]);
    const sampler = scriptedSampler(["hang", ANSWER]);
    const { start, clock } = setUp({ environment, sampler });
    const rollout = start();
    await settle();
    environment.sessions[0]?.lose(fault("environment-session-lost"));
    expect((await clock.run(rollout)).facts.attempts).toBe(2);
  });
});

describe("an environment at capacity", () => {
  it("makes rollouts wait as long as it requests, without counting an attempt", async () => {
    const full = fault("environment-capacity", { retryAfterMs: 45_000 });
    const environment = scriptedEnvironment([full, full, solved]);
    const { run, clock } = setUp({ environment, settings: { maxRetries: 0 } });
    const { record, facts } = await run();
    expect([record.reward, facts.attempts]).toEqual([1, 1]);
    expect(clock.monotonic()).toBe(90_000);
  });

  it("does not use up the rollout's time", async () => {
    const full = fault("environment-capacity", { retryAfterMs: 60_000 });
    const environment = scriptedEnvironment([full, full, solved]);
    const { record } = await setUp({ environment, settings: { rolloutTimeoutMs: 10_000 } }).run();
    expect(record.stop).toBe("reached_terminal_state");
  });
});

describe("the time limit of a rollout", () => {
  const settings = { rolloutTimeoutMs: 10_000 };

  it("keeps the finished turns and their rewards", async () => {
    const sampler = scriptedSampler([ADD, "hang"]);
    const { run, environment, clock } = setUp({ sampler, settings });
    const { record, streams } = await run();
    expect(record).toMatchObject({ stop: "rollout_timeout", error: null, attempt: 0 });
    expect([record.turns.length, streams[0]?.turnCount, record.reward]).toEqual([1, 1, 0]);
    expect(clock.monotonic()).toBe(10_000);
    expect(areClosed(environment)).toEqual([true]);
  });

  it("pauses, like a call's time limit, while an environment is starting", async () => {
    const clock = new FakeClock();
    const starting: SessionScript = {
      onCall: async ({ name, signal, withTimerPaused }) => {
        await withTimerPaused(() => clock.sleep(600_000, signal));
        return result("5", name === "answer" ? { reward: 1, finished: true } : {});
      },
    };
    const environment = scriptedEnvironment([starting]);
    const limits = { ...settings, toolTimeoutMs: 2_000 };
    const { record } = await setUp({ environment, settings: limits, clock }).run();
    expect(record.stop).toBe("reached_terminal_state");
  });

  it("also pauses while the environment fails", async () => {
    const clock = new FakeClock();
    const slow: SessionScript = {
      onCall: async ({ signal }) => {
        await clock.sleep(35_000, signal);
        return result("5", { reward: 1, finished: true });
      },
    };
    const down = fault("environment-unavailable");
    const environment = {
      ...scriptedEnvironment([slow]),
      splits: () => Promise.reject(down),
    };
    const { gate, start, stopping } = setUp({ environment, settings, clock });
    const rollout = start();
    await settle();
    await gate.blamesEnvironment(down, stopping.signal);
    expect(gate.outage).toMatchObject({ why: "failing" });
    await clock.run(gate.query(async () => "well", stopping.signal));
    expect(gate.outage).toBeNull();
    expect((await clock.run(rollout)).record.stop).toBe("reached_terminal_state");
  });

  it("fails the rollout if no turn was finished", async () => {
    const rewards = anEnvironment({ nonterminal_reward: 0 });
    const sampler = scriptedSampler(["hang"]);
    const { record } = await setUp({ sampler, settings: { ...settings, rewards } }).run();
    expect([record.stop, record.reward]).toEqual(["rollout_timeout", null]);
  });

  it("starts when the session is open, and restarts with each attempt", async () => {
    const clock = new FakeClock();
    const environment = scriptedEnvironment(
      [failing("environment-unavailable"), solved],
      ({ signal }) => clock.sleep(60_000, signal),
    );
    const sampler = scriptedSampler([ADD, ANSWER], {
      beforeAnswer: (signal) => clock.sleep(6_000, signal),
    });
    const { record, facts } = await setUp({ environment, sampler, settings, clock }).run();
    expect(record.stop).toBe("reached_terminal_state");
    expect(facts).toMatchObject({ attempts: 2, sessionS: 120, samplingS: 6 });
    // The first attempt failed after a minute, followed by a pause of a second with its jitter.
    expect(record.beginning?.retriedMs).toBeGreaterThan(60_000);
    expect(record.beginning).toMatchObject({ waitedMs: 0, openedMs: 60_000 });
    expect(record.turns.map(({ samplingMs }) => samplingMs)).toEqual([6_000]);
  });
});

describe("a stop", () => {
  const reason = fault("stopped");

  it("aborts a rollout and closes its session", async () => {
    const { start, stopping, environment } = setUp({ sampler: scriptedSampler(["hang"]) });
    const rollout = start();
    await settle();
    stopping.abort(reason);
    await expect(rollout).rejects.toBe(reason);
    expect(areClosed(environment)).toEqual([true]);
  });

  it("takes effect while a session opens and while a rollout waits", async () => {
    const opening = scriptedEnvironment([solved], ({ signal }) => untilAborted(signal));
    const waiting = scriptedEnvironment([fault("environment-capacity")]);
    for (const environment of [opening, waiting]) {
      const { start, stopping, clock } = setUp({ environment });
      const rollout = start();
      await settle();
      stopping.abort(reason);
      await expect(rollout).rejects.toBe(reason);
      expect(clock.sleeping).toBe(0);
    }
  });

  it("keeps a rollout from opening a session", async () => {
    const { start, stopping, environment } = setUp();
    stopping.abort(reason);
    await expect(start()).rejects.toBe(reason);
    expect(environment.choices).toEqual([]);
  });
});

describe("the clock", () => {
  it("has no pending sleeps after a rollout", async () => {
    const { run, clock } = setUp();
    await run();
    expect(clock.sleeping).toBe(0);
  });
});

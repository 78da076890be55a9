import { describe, expect, it } from "vitest";
import { replayLines } from "../../../src/cli/show/showRollout.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Message } from "../../../src/core/openreward/types.ts";
import type { FinishedRollout } from "../../../src/core/rollout/rollout.ts";
import type { RolloutSettings } from "../../../src/core/rollout/settings.ts";
import { rolloutRecordSchema } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { describeRollout } from "../../../src/core/tracking/openreward/describeRollout.ts";
import { collectRollouts } from "../../../src/core/training/generation/collectRollouts.ts";
import { scoreGroups } from "../../../src/core/training/update/groups.ts";
import { uploadSettings } from "../openreward/uploadBuilders.ts";
import { aConfig, aTask, someSettings } from "../training/builders.ts";
import { aContext } from "../training/fakeContext.ts";
import { result, type SessionScript, scriptedEnvironment } from "./scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "./scriptedModel.ts";

/** The tool gives no reward, only the group comparison does; scores are 1, 2, 3 in rollout order. */
const judging: SessionScript = {
  onCall: () => result("noted", { finished: true }),
  onScore: async (candidates) => candidates.map((_, i) => i + 1),
};
const GROUPS = 2;
const SIZE = 3;

interface CommandHandler {
  readonly script?: SessionScript;
  readonly settings?: Partial<RolloutSettings>;
  readonly maxSessions?: number;
}

function setUp({ script = judging, settings, maxSessions }: CommandHandler = {}) {
  const remote = scriptedEnvironment([script]);
  const reported: string[] = [];
  const context = aContext({
    remote,
    settings: someSettings({ maxRetries: 1, ...settings }),
    ...(maxSessions === undefined ? {} : { maxSessions }),
    events: { record: async ({ kind, message }) => void reported.push(`${kind}: ${message}`) },
  });
  const tasks = Array.from({ length: GROUPS * SIZE }, (_, i) =>
    aTask({ group: Math.floor(i / SIZE), rollout: i % SIZE, index: Math.floor(i / SIZE) }),
  );
  const recorded: FinishedRollout[] = [];
  const sampler = scriptedSampler([ended(`I say so. ${call("answer", { value: 1 })}`)], {
    beforeAnswer: (signal) => context.clock.sleep(1_000, signal),
  });
  const play = () =>
    collectRollouts(context, tasks, {
      sampler,
      seedOf: () => 7,
      onFinished: async (rollout) => void recorded.push(rollout),
      onUsed: () => undefined,
    });
  return { context, remote, reported, recorded, play };
}

describe("an environment that scores groups", () => {
  it("gives every rollout its reward once its group has ended, from which advantages follow", async () => {
    const { context, remote, recorded, play } = setUp();
    const rollouts = await context.clock.run(play());
    expect(rollouts.map(({ record }) => record.reward)).toEqual([1, 2, 3, 1, 2, 3]);
    expect(recorded.map(({ record }) => record.reward)).toEqual([1, 2, 3, 1, 2, 3]);
    const [first] = rollouts;
    expect(first?.record).toMatchObject({
      rewards: [],
      reward: 1,
      error: null,
      stop: "reached_terminal_state",
      rewardBreakdown: { group: 1, nonterminal: null, sum: 1, reduced: 1, clamped: 1 },
    });
    expect(rolloutRecordSchema.safeParse(first?.record).success).toBe(true);
    expect(first?.facts).toMatchObject({ errorClass: null });
    const config = aConfig({ advantage_calculation: "centered" });
    const scored = scoreGroups(rollouts, config).flatMap((group) => group.rollouts);
    expect(scored.map(({ advantage }) => advantage)).toEqual([-1, 0, 1, -1, 0, 1]);
    // One session per rollout, and one per group for its task.
    expect(remote.sessions).toHaveLength(GROUPS * SIZE + GROUPS);
    expect(remote.sessions.every(({ isClosed }) => isClosed)).toBe(true);
    expect(remote.choices.slice(-GROUPS).map(({ index }) => index)).toEqual([0, 1]);
  });

  it("marks its scores in the upload and the terminal", async () => {
    const { context, play } = setUp();
    const record = (await context.clock.run(play()))[1]?.record;
    if (record === undefined) throw new Error("there is no second rollout");
    const use = { advantage: 0, trainingUse: "trained" };
    const { messages, metadata } = describeRollout(record, use, uploadSettings());
    expect(metadata).toMatchObject({ reward: 2, group_score: 2 });
    expect(messages.at(-1)).toMatchObject({ type: "tool_result", content: "noted", reward: 2 });
    const lines = replayLines(record, { title: "", score: null, width: 120 });
    expect(JSON.stringify(lines)).toContain("2 (from the environment, which compared the group)");
  });

  it("receives what the models did after the prompt, as content blocks", async () => {
    const seen: (readonly (readonly Message[])[])[] = [];
    const onScore: SessionScript["onScore"] = async (candidates) => {
      seen.push(candidates);
      return candidates.map(() => 0);
    };
    for (const blockTypes of [["text", "tool_call", "tool_result"], ["text"]]) {
      const { context, play } = setUp({ script: { ...judging, onScore, blockTypes } });
      await context.clock.run(play());
    }
    const text = (said: string) => ({ type: "text", text: said });
    const callId = "turn0-call0";
    expect(seen[0]?.[0]).toEqual([
      {
        role: "assistant",
        blocks: [
          text("I say so."),
          { type: "tool_call", id: callId, name: "answer", input: { value: 1 } },
        ],
      },
      {
        role: "user",
        blocks: [{ type: "tool_result", callId, blocks: [text("noted")], isError: false }],
      },
    ]);
    expect(seen.at(-1)?.[0]).toEqual([{ role: "assistant", blocks: [text("I say so.")] }]);
  });

  it("needs only one open session, although groups wait for their last rollout", async () => {
    const { context, play } = setUp({ maxSessions: 1 });
    const rollouts = await context.clock.run(play());
    expect(rollouts.map(({ record }) => record.reward)).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it("fails all rollouts of a group that it cannot score, and reports why", async () => {
    const onScore = () =>
      Promise.reject(new AppError("environment-tool-crashed", "The judge has no key."));
    const { context, reported, remote, play } = setUp({ script: { ...judging, onScore } });
    const rollouts = await context.clock.run(play());
    for (const { record, facts } of rollouts) {
      expect(record.reward).toBeNull();
      expect(record.error).toBe("The group could not be scored. The judge has no key.");
      expect(facts.errorClass).toBe("environment-tool-crashed");
    }
    expect(remote.sessions).toHaveLength(GROUPS * SIZE + 2 * GROUPS);
    expect(reported).toEqual([
      expect.stringMatching(/^group-unscored: Step 1, group \d of Owner\/Game: .*to false\.$/),
    ]);
    expect(scoreGroups(rollouts, aConfig()).map(({ facts }) => facts.excluded)).toEqual([
      "failures",
      "failures",
    ]);
  });

  it("is retried after a failure to score", async () => {
    let asked = 0;
    const onScore = async (candidates: readonly unknown[]) => {
      asked += 1;
      if (asked === 1) throw new AppError("environment-unavailable", "gone");
      return candidates.map(() => 0.5);
    };
    const { context, reported, play } = setUp({ script: { ...judging, onScore } });
    const rollouts = await context.clock.run(play());
    expect(rollouts.map(({ record }) => record.reward)).toEqual(rollouts.map(() => 0.5));
    expect(reported).toEqual([]);
  });

  it("is abandoned on a stop, with its session closed and nothing recorded", async () => {
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const onScore: SessionScript["onScore"] = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        isAsked();
      });
    const { context, remote, recorded, play } = setUp({ script: { ...judging, onScore } });
    const playing = play();
    playing.catch(() => undefined);
    await context.clock.run(asked);
    context.control.stop();
    await expect(context.clock.run(playing)).rejects.toThrow();
    expect(remote.sessions.length).toBeGreaterThan(GROUPS * SIZE);
    expect(remote.sessions.every(({ isClosed }) => isClosed)).toBe(true);
    expect(recorded).toEqual([]);
  });

  it("is not used if group_scoring is false", async () => {
    const { context, remote, play } = setUp({ settings: { groupScoring: false } });
    const rollouts = await context.clock.run(play());
    expect(rollouts.map(({ record }) => record.reward)).toEqual(rollouts.map(() => null));
    expect(remote.sessions).toHaveLength(GROUPS * SIZE);
  });
});

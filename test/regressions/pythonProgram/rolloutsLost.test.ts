import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { scoreRewards } from "../../../src/core/rollout/rewards.ts";
import { buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { flattenMetrics } from "../../../src/core/runFolder/metrics/metricsTree.ts";
import { collectRollouts } from "../../../src/core/training/generation/collectRollouts.ts";
import { scoreGroups } from "../../../src/core/training/update/groups.ts";
import {
  blocks,
  IMAGE,
  result,
  type ScriptedEnvironment,
  scriptedEnvironment,
  text,
} from "../../core/rollout/scriptedEnvironment.ts";
import { call, encode, ended, scriptedSampler } from "../../core/rollout/scriptedModel.ts";
import { rolloutFacts, stepFacts } from "../../core/runFolder/builders.ts";
import {
  aConfig,
  aGroup,
  anEnvironment,
  aTask,
  ENVIRONMENT,
  someSettings,
} from "../../core/training/builders.ts";
import { aContext, type FakeContext } from "../../core/training/fakeContext.ts";
import { prepareRun } from "../../core/training/loop/prepareRun.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { fakeTinker } from "../../fakes/fakeTinker.ts";
import * as original from "./original.ts";
import { playEpisode } from "./playEpisode.ts";

const ADD = ended(call("add"));
const ANSWER = ended(call("answer"));
const solved = { onCall: () => result("", { reward: 1, finished: true }) };

/** Plays rollouts of one group with a model that takes a second for a turn. */
function play(context: FakeContext, count: number, beforeAnswer?: () => Promise<void>) {
  const tasks = Array.from({ length: count }, (_, rollout) => aTask({ rollout }));
  const waiting = beforeAnswer ?? (() => context.clock.sleep(1_000));
  const playing = collectRollouts(context, tasks, {
    sampler: scriptedSampler([ANSWER], { beforeAnswer: waiting }),
    seedOf: () => 7,
    onFinished: async () => undefined,
    onUsed: () => undefined,
  });
  return context.clock.run(playing);
}

describe("the time limit of a rollout", () => {
  const settings = someSettings({ rolloutTimeoutMs: 2_000 });

  it("the time limit of a rollout begins when it gets its slot, not when the step begins", async () => {
    const clock = new FakeClock();
    const limits = { concurrency: 1, timeoutMs: 2_000 };
    const rollouts = Array.from(
      { length: 5 },
      () => (signal: AbortSignal) => clock.sleep(1_000, signal),
    );
    expect(await clock.run(original.playUnderStepClock(clock, limits, rollouts))).toBeLessThan(3);

    const config = aConfig({ max_rollout_concurrency: 1 });
    const context = aContext({ remote: scriptedEnvironment([solved]), settings, config });
    const stops = (await play(context, 5)).map(({ record }) => record.stop);
    expect(stops).toEqual(Array.from({ length: 5 }, () => "reached_terminal_state"));
  });

  it("a rollout out of time counts as a failure, and its turns are kept", async () => {
    const late = { stop: "rollout_timeout", reward: null };
    const done = [1, 0].map((reward) => ({ stop: "reached_terminal_state", reward }));
    expect(original.keptGroups([[...done, late, late]], 0)).toEqual([done]);

    let turns = 0;
    const context = aContext({ remote: scriptedEnvironment([{}]), settings });
    const slow = () => context.clock.sleep(turns++ === 0 ? 500 : 9_000);
    const [rollout] = await play(context, 1, slow);
    expect(rollout?.record).toMatchObject({
      reward: null,
      stop: "rollout_timeout",
      turns: [{ tokens: encode(ANSWER).length }],
    });
    const failed = aGroup([1, 0, null, null]);
    expect(scoreGroups(failed, aConfig()).map(({ facts }) => facts.excluded)).toEqual(["failures"]);
  });
});

describe("a service at capacity", () => {
  /** An environment that holds four sessions and refuses more. */
  function smallEnvironment(): ScriptedEnvironment {
    const inner = scriptedEnvironment([solved]);
    let open = 0;
    return {
      ...inner,
      openSession: async (choice, options) => {
        if (open === 4) throw new AppError("environment-capacity", "It is full.");
        open += 1;
        const session = await inner.openSession(choice, options);
        const close = async () => {
          open -= 1;
          await session.close();
        };
        return { ...session, close };
      },
    };
  }

  it("an environment at capacity gets fewer rollouts at a time, and the run goes on", async () => {
    const full = smallEnvironment();
    const opening = Array.from(
      { length: 32 },
      () => () => full.openSession({ split: "train", index: 0 }),
    );
    await expect(original.playAllOrNothing(opening)).rejects.toMatchObject({
      code: "environment-capacity",
    });

    const context = aContext({
      remote: smallEnvironment(),
      config: aConfig({ max_active_tasks: 32 }),
    });
    const rollouts = await play(context, 32);
    expect(rollouts.map(({ reward }) => reward)).toEqual(Array.from({ length: 32 }, () => 1));
    expect(rollouts.every(({ facts }) => facts.attempts === 1)).toBe(true);
    expect(context.services.environments.get(ENVIRONMENT)?.gate.stats.limit).toBeLessThanOrEqual(8);
  });
});

describe("a turn", () => {
  it("a model that calls no tool is reminded three times, not until the tokens are spent", async () => {
    expect(original.turnsUntilSpent(5, 15, 32_768)).toBeGreaterThan(1_000);
    const { stop, episode } = await playEpisode({ turns: [ended("Hm.")] });
    expect([stop, episode.turns.length]).toEqual(["no_tool_call", 3]);
  });

  it("all calls of a turn run, in order", async () => {
    const turn = ended(`${call("add", { a: 1 })} and ${call("answer", { b: 2 })}`);
    expect(original.firstCall(turn)).toEqual({ name: "add", args: { a: 1 } });
    const onCall = ({ name }: { name: string }) => result("", { finished: name === "answer" });
    const { session, episode } = await playEpisode({ turns: [turn], onCall });
    expect(session.calls).toEqual([
      ["add", { a: 1 }],
      ["answer", { b: 2 }],
    ]);
    expect(episode.turns[0]).toMatchObject({ content: "and", sampledText: turn });
  });

  it("a turn that was cut is reported as cut", async () => {
    const cut = "one two three";
    expect(original.loggedBlocks(cut)).toEqual([{ role: "assistant", text: cut }]);
    const settings = { maxResponseTokens: 4, maxTurns: 1 };
    const { episode } = await playEpisode({ turns: [`${cut} four`], settings });
    expect(episode.turnFacts[0]?.isTruncated).toBe(true);
    expect(episode.turns[0]).toMatchObject({ stopReason: "length", tokens: 4 });
    const rollouts = [rolloutFacts({ turns: episode.turnFacts })];
    const row = flattenMetrics(buildMetricsRow(stepFacts({ rollouts })));
    expect(row["rollout/turn_truncated_frac"]).toBe(1);

    const stopping = { ...settings, onTurnTruncation: "stop" as const };
    const stopped = await playEpisode({ turns: [`${cut} four`], settings: stopping });
    expect(stopped.stop).toBe("turn_truncated");
  });

  it("a turn is sampled with the top_k that is set and a seed of its own", async () => {
    const environment = anEnvironment({ top_k: 20 });
    const theirs = original.samplingParameters(environment);
    expect(Object.keys(theirs)).toEqual(["temperature", "top_p"]);
    const run = prepareRun({ steps: 1 });
    await run.run();
    const seeds = run.sampler.requests.map(({ seed }) => seed);
    expect(new Set(seeds).size).toBe(2);
    const { sampler } = await playEpisode({ turns: [ANSWER], ...solved, settings: { topK: 20 } });
    expect(sampler.requests[0]).toMatchObject({ topK: 20, seed: 100 });
  });
});

it("an image is refused or shown as a placeholder, never dropped", async () => {
  const prompt = [text("Look: "), IMAGE];
  expect(original.visibleText(prompt)).toBe("Look: ");
  await expect(playEpisode({ turns: [ANSWER], prompt })).rejects.toMatchObject({
    code: "rollout-image",
    message: expect.stringContaining(ENVIRONMENT),
  });
  const shown = await playEpisode({
    turns: [ADD, ANSWER],
    prompt,
    settings: { onImage: "placeholder" },
    onCall: ({ name }) => blocks([IMAGE], name === "answer"),
  });
  expect(shown.text).toContain("Look: [image]");
  expect(shown.text).toContain("tool\n[image]");
});

describe("rewards", () => {
  it("nonterminal_reward can take the place of the others", () => {
    const rules = anEnvironment({ nonterminal_reward: 0, reward_reduction: "mean" });
    const reward = (nonterminal_mode: "append" | "replace") =>
      scoreRewards([0.5, 1], false, { ...rules, nonterminal_mode }).clamped;
    expect(original.meanReward([0.5, 1], 0)).toBe(0.5);
    expect([reward("append"), reward("replace")]).toEqual([0.5, 0]);
  });

  const equal = [1, 1].map((reward) => ({ stop: "reached_terminal_state", reward }));

  it("equal rewards are kept with direct advantages, where they still train", () => {
    expect(original.keptGroups([equal], 0)).toEqual([]);
    const config = aConfig({ advantage_calculation: "direct" });
    const [group] = scoreGroups(aGroup([1, 1]), config);
    expect(group?.facts.excluded).toBeNull();
    expect(group?.rollouts.map(({ advantage }) => advantage)).toEqual([1, 1]);
  });

  it("a step without a usable group has a row, over all its rollouts", async () => {
    expect(original.metricsRow(original.keptGroups([equal], 0), 0)).toBeNull();
    const run = prepareRun({ steps: 2, rewards: [1, 1, 1, 0] });
    await run.run();
    expect(run.rows()).toMatchObject([
      { step: 0, skipped: true, num_excluded_groups: 1, rollout: { reward: { mean: 1 } } },
      { step: 1, num_excluded_groups: 0, rollout: { reward: { mean: 0.5 } } },
    ]);
  });

  it("an endless run ends after too many steps without training data", async () => {
    const theirs = Array.from({ length: 100 }, () => original.keptGroups([equal], 0));
    expect(theirs.flat()).toEqual([]);
    const run = prepareRun({
      steps: null,
      rewards: [1],
      config: { max_consecutive_empty_steps: 3 },
    });
    await expect(run.run()).rejects.toMatchObject({ code: "empty-steps" });
    expect(run.rows()).toHaveLength(3);
  });
});

describe("the summary of a step", () => {
  const stops = ["reached_terminal_state", "rollout_timeout", "max_retries", "error"];
  const scored = (stop: string) => (stop === "reached_terminal_state" ? 1 : null);
  const rowOf = (rollouts: ReturnType<typeof rolloutFacts>[]) =>
    flattenMetrics(buildMetricsRow(stepFacts({ rollouts })));

  it("every rollout ends in one category, and they sum to all", () => {
    const group = stops.map((stop) => ({ stop, reward: scored(stop) }));
    expect(original.metricsRow(original.keptGroups([group], 0), 0)).toBeNull();
    expect(original.metricsRow([group], 0)?.num_errors).toBe(1);

    const row = rowOf(stops.map((stop) => rolloutFacts({ stop, reward: scored(stop) })));
    const counts = stops.map((stop) => row[`rollout/stop_reason/${stop}/count`]);
    expect(counts).toEqual([1, 1, 1, 1]);
    expect(row["num_errors"]).toBe(2);
  });

  it("every tool has its counters, whatever it is called", () => {
    const { called_answer } = original.rolloutMetadata(0, 0, "reached_terminal_state", ["submit"]);
    expect(called_answer).toBe(false);
    const tools = [false, true].map((isError) => ({ name: "submit", isError, durationS: 1 }));
    expect(rowOf([rolloutFacts({ tools })])).toMatchObject({
      "rollout/tool/submit/count": 2,
      "rollout/tool/submit/error_frac": 0.5,
    });
  });

  it("retries and groups that lost a rollout are written down", async () => {
    const first = original.rolloutMetadata(0, 0, "reached_terminal_state", ["answer"]);
    expect(Object.keys(first)).not.toContain("attempt");

    const lost = new AppError("environment-session-lost", "The session is gone.");
    const breaking = {
      onCall: () => {
        throw lost;
      },
    };
    const context = aContext({ remote: scriptedEnvironment([breaking, solved]) });
    const [retried] = await play(context, 1);
    expect(retried).toMatchObject({ reward: 1, record: { attempt: 1 }, facts: { attempts: 2 } });

    const environments = { [ENVIRONMENT]: anEnvironment({ max_failing_rollouts: 1 }) };
    const groups = [aGroup([1, 0, null]), aGroup([1, 0, 1], { group: 1 })].flatMap((group) =>
      scoreGroups(group, aConfig({ environments })).map(({ facts }) => facts),
    );
    const row = flattenMetrics(buildMetricsRow(stepFacts({ groups })));
    expect(row["group/partial_frac"]).toBe(0.5);
  });
});

it("a busy sampler is retried, and no sample is lost", async () => {
  let busy = 2;
  const { connect, clock, http, requestsTo } = fakeTinker((path) =>
    path === "asample" && busy-- > 0 ? { status: 429 } : undefined,
  );
  const service = await connect();
  const sampler = await clock.run(service.samplerForBase("org/model"));
  const request = { prompt: [1, 2], maxTokens: 4, temperature: 1, topK: -1, topP: 1, stop: [] };
  const samples = Array.from({ length: 4 }, () => sampler.sample({ ...request, seed: 7 }));
  const answers = await clock.run(Promise.all(samples));
  expect(answers.map(({ tokens }) => Array.from(tokens))).toEqual(answers.map(() => [11, 12]));
  expect(requestsTo("asample").length).toBeGreaterThan(4);

  busy = 1;
  const [submit] = requestsTo("asample");
  const plain = Array.from({ length: 4 }, () => async () => {
    const { status } = submit === undefined ? { status: 0 } : await http.send(submit);
    if (status !== 200) throw new Error(`status ${status}`);
  });
  await expect(original.playAllOrNothing(plain)).rejects.toThrow("status 429");
  service.close();
});

import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/core/config/fields/schema.ts";
import { Ledger } from "../../../src/core/rollout/ledger.ts";
import { buildDatum } from "../../../src/core/training/update/datums.ts";
import { trainStep } from "../../../src/core/training/update/trainStep.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { result } from "../../core/rollout/scriptedEnvironment.ts";
import { call, encode, ended, type TurnScript } from "../../core/rollout/scriptedModel.ts";
import {
  aBatch,
  aConfig,
  aDatum,
  aDatumOfLength,
  aDatumWithTurn,
  sourcesOf,
} from "../../core/training/builders.ts";
import { FakeTrainingClient, resultOf } from "../../core/training/fakeTrainingClient.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import * as original from "./original.ts";
import { playEpisode } from "./playEpisode.ts";

const TURNS = [
  { tokens: [20, 21, 22], logprobs: [-0.5, -0.25, -0.125] },
  { tokens: [40, 41], logprobs: [-0.75, -1] },
] as const;
const STREAM = [10, 11, 12, 20, 21, 22, 30, 31, 32, 33, 40, 41, 50, 51];

/** The stream above: a prompt, and two turns with a tool result after each. */
function ledger(): Ledger {
  const [one, two] = TURNS;
  const built = new Ledger([10, 11, 12]);
  built.addTurn(one.tokens, one.logprobs);
  built.addContext([], [30, 31, 32, 33]);
  built.addTurn(two.tokens, two.logprobs);
  built.addContext([], [50, 51]);
  return built;
}

interface Arrays {
  readonly targets: ArrayLike<number>;
  readonly logprobs: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
}

/** Tokens that get an advantage, each with the log-prob it is compared with. */
function trainedTokens({ targets, logprobs, advantages }: Arrays): readonly (readonly number[])[] {
  return Array.from(targets, (target, i) => [target, logprobs[i] ?? 0] as const).filter(
    (_, i) => advantages[i] !== 0,
  );
}

const SAMPLED = TURNS.flatMap(({ tokens, logprobs }) =>
  tokens.map((token, i) => [token, logprobs[i]]),
);

describe("the datum", () => {
  const ours = aDatum({ ledger: ledger(), advantage: 2 });
  const theirs = original.datum(STREAM, TURNS, 2);

  it("targets are the next tokens, not the inputs", () => {
    expect(theirs.targets).toEqual(theirs.tokens);
    expect([...ours.targets]).toEqual(STREAM.slice(1, 12));
    expect([...ours.tokens]).toEqual(STREAM.slice(0, 11));
  });

  it("advantages and log-probs lie on the sampled tokens of every turn", () => {
    expect(trainedTokens(theirs).map(([token]) => token)).toEqual([33, 40, 41, 50, 51]);
    expect(trainedTokens(ours)).toEqual(SAMPLED);
  });

  it("the last target of a datum is a sampled token, not the tool's last word", () => {
    expect(theirs.targets.at(-1)).toBe(51);
    expect([ours.targets.at(-1), ours.mask.at(-1)]).toEqual([41, 1]);
  });
});

it("no sequence is cut after the fact: sampling stops at the budget", async () => {
  const cut = original.datum(STREAM, TURNS, 2, 11);
  expect(cut.tokens).toHaveLength(11);
  expect(trainedTokens(cut).map(([token]) => token)).not.toContain(20);

  const turn = ended(call("add"));
  const budget = 200;
  const { ledger: played, stop } = await playEpisode({
    turns: [turn],
    settings: { maxTotalTokens: budget },
  });
  expect(stop).toBe("max_tokens");
  const { targets, mask, tokens } = aDatum({ ledger: played });
  expect(tokens.length + 1).toBeLessThanOrEqual(budget);
  const trained = [...targets].filter((_, i) => mask[i] === 1);
  expect(trained).toEqual([...played.tokens].filter((_, i) => sourcesOf(played)[i] === "sampled"));
});

describe("log-probs that the sampler did not give", () => {
  const finish = () => result("", { reward: 1, finished: true });
  const answer = ended(call("answer"));
  const ids = encode(answer);
  const play = (turn: TurnScript, computed: number | null) =>
    playEpisode({
      turns: [turn],
      onCall: finish,
      computeLogprobs: (tokens) => tokens.map(() => computed),
    });

  it.each<[string, readonly number[] | null]>([
    ["missing log-probs are computed anew or masked, never taken for 0", null],
    ["log-probs that are all zero count as missing", ids.map(() => 0)],
  ])("%s", async (_name, logprobs) => {
    const theirs = original.datum([1, ...ids], [{ tokens: ids, logprobs }], 1);
    expect(new Set(trainedTokens(theirs).map(([, q]) => q))).toEqual(new Set([0]));

    const turn = { text: answer, logprobs: () => logprobs };
    const { ledger: computed } = await play(turn, -0.25);
    const trained = trainedTokens(aDatum({ ledger: computed }));
    expect(trained).toEqual(ids.map((id) => [id, -0.25]));

    const { ledger: masked, episode } = await play(turn, null);
    expect(buildDatum({ group: 0, rollout: 0, stream: 0, ledger: masked }, 1)).toBeNull();
    expect(episode.turnFacts.map(({ isMissingLogprobs }) => isMissingLogprobs)).toEqual([true]);
  });
});

function sum(values: ArrayLike<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}

describe("the update", () => {
  async function train(changes: Parameters<typeof aConfig>[0], data = [aDatum()]) {
    const client = new FakeTrainingClient();
    client.answer = (one) => resultOf(one, one.forwardOnly ? -3 : -1);
    const saveSampler = () => client.ephemeralSampler();
    await trainStep(
      { client, clock: new FakeClock(), saveSampler, step: 0, sha256 },
      aBatch(data),
      aConfig(changes),
      1e-4,
    );
    return client;
  }

  it("Adam's parameters, clipping and substeps can be set", async () => {
    const data = [0, 1, 2, 3].map((group) => aDatumOfLength(5, group));
    const theirs = original.trainingCalls(data, 1e-4, 0);
    expect(theirs.updates).toHaveLength(1);
    expect(Object.keys(theirs.adam)).toEqual(["learning_rate", "weight_decay"]);

    const set = { adam_beta1: 0.8, adam_beta2: 0.99, adam_eps: 1e-8, grad_clip_norm: 1 };
    const { adamCalls, lossCalls } = await train({ ...set, num_substeps: 2 }, data);
    expect(lossCalls.map((one) => one.data.length)).toEqual([2, 2]);
    expect(adamCalls).toHaveLength(2);
    expect(adamCalls[0]).toEqual({
      learning_rate: 1e-4,
      weight_decay: 0,
      beta1: 0.8,
      beta2: 0.99,
      eps: 1e-8,
      grad_clip_norm: 1,
    });
  });

  it("long rollouts need not weigh more than short ones", async () => {
    const data = [2, 8].map((tokens, rollout) => aDatumWithTurn(tokens, { rollout }));
    const weights = async (loss_normalization: Config["loss_normalization"]) => {
      const { lossCalls } = await train({ loss_normalization }, data);
      return lossCalls[0]?.data.map(({ lossInputs }) => sum(lossInputs["advantages"] ?? []));
    };
    const theirs = original.trainingCalls(data, 1e-4, 0).updates[0];
    expect(theirs?.map(({ advantages }) => sum(advantages))).toEqual([2, 8]);
    expect(await weights("token_sum")).toEqual([2, 8]);
    expect(await weights("sequence_mean")).toEqual([0.5, 0.5]);
  });

  it("dro does not push the tokens that nobody sampled", async () => {
    /** Derivative of dro's loss by the learner's log-prob p. */
    const push = (p: number, q: number, advantage: number) => -(advantage - 0.05 * (p - q));
    const learner = -3;
    const { logprobs, advantages } = original.datum(STREAM, TURNS, 2);
    const untrained = (values: ArrayLike<number>, given: ArrayLike<number>) =>
      Array.from(values, (q, i) => ({ q, advantage: given[i] ?? 0 }))
        .filter(({ advantage }) => advantage === 0)
        .map(({ q }) => Math.abs(push(learner, q, 0)));
    expect(Math.min(...untrained(logprobs, advantages))).toBeCloseTo(0.15);

    const client = await train({ loss_fn: "dro" }, [aDatum({ ledger: ledger(), advantage: 2 })]);
    const sent = client.lossCalls.at(-1)?.data[0]?.lossInputs;
    const pushes = untrained(sent?.["logprobs"] ?? [], sent?.["advantages"] ?? []);
    expect(pushes).toHaveLength(6);
    expect(Math.max(...pushes)).toBe(0);
  });
});

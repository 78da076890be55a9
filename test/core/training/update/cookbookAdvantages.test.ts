/**
 * Compares advantages with tinker-cookbook 0.6.1 for the same rewards and recorded log-probabilities: with teachers and with the penalty
 * for leaving the base model, every sampled token gets the same advantage. `cookbookAdvantages.py` made the vectors with that package.
 * Our implementation differs on purpose:
 * - With a discount, the package also leaves sums on prompt and environment tokens, and sends them with a log-probability
 *   of 0. Here only tokens that the model sampled are trained.
 * - In the package, training on a teacher alone is an environment whose rewards are all 0. Here it is `rewards: false`, for any rewards.
 * - The package subtracts the mean of a group from its rewards: `advantage_calculation: centered` here. It sums the losses of
 *   all tokens: `loss_normalization: token_sum` here.
 * - The package also sends tokens with an advantage of 0, which have no gradient in its loss.
 */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import { Ledger } from "../../../../src/core/rollout/ledger.ts";
import type { FinishedRollout } from "../../../../src/core/rollout/rollout.ts";
import type { TrainingDatum } from "../../../../src/core/training/update/datums.ts";
import {
  distill,
  lessons,
  teacherMetrics,
} from "../../../../src/core/training/update/distillation.ts";
import { scoreGroups, trainingBatch } from "../../../../src/core/training/update/groups.ts";
import { withKlPenalty } from "../../../../src/core/training/update/klPenalty.ts";
import { scriptedSampler } from "../../rollout/scriptedModel.ts";
import { aConfig, anEnvironment, aRollout } from "../builders.ts";
import { aContext } from "../fakeContext.ts";

type Part =
  | { readonly context: readonly number[] }
  | { readonly sampled: readonly number[]; readonly logprobs: readonly number[] };

interface Stream {
  readonly parts: readonly Part[];
  /** For each token but the first, by the model of each dataset. */
  readonly models: readonly (readonly number[])[];
}

interface Case {
  readonly name: string;
  readonly kind?: "teachers" | "base";
  readonly coef?: number;
  readonly discount?: number;
  readonly withoutRewards?: boolean;
  /** Per datum, one value per target. */
  readonly advantages: readonly (readonly number[])[];
  readonly metrics: Readonly<Record<string, number>>;
}

interface Vectors {
  readonly groups: readonly {
    readonly dataset: number;
    readonly rollouts: readonly { readonly reward: number; readonly streams: readonly Stream[] }[];
  }[];
  readonly cases: readonly Case[];
}

const { groups, cases }: Vectors = JSON.parse(
  readFileSync(new URL("cookbookAdvantages.json", import.meta.url), "utf8"),
);
const DATASETS = ["Owner/First", "Owner/Second"] as const;
const MODELS = ["org/first", "org/second"] as const;

function ledgerOf({ parts }: Stream): Ledger {
  const [first, ...others] = parts;
  const ledger = new Ledger(first !== undefined && "context" in first ? first.context : []);
  for (const part of others) {
    if ("sampled" in part) ledger.addTurn(part.sampled, part.logprobs);
    else ledger.addContext([], part.context);
  }
  return ledger;
}

const played: readonly FinishedRollout[] = groups.flatMap(({ dataset, rollouts }, group) =>
  rollouts.map(({ reward, streams }, rollout) => ({
    ...aRollout({ group, rollout, reward, environment: DATASETS[dataset] ?? "" }),
    streams: streams.map(ledgerOf),
  })),
);

function configOf({ kind, coef = 1, discount = 0, withoutRewards = false }: Case): Config {
  const teacherOf = (model: string) =>
    kind === "teachers"
      ? { model, checkpoint: null, coef, discount, context: null, rewards: !withoutRewards }
      : null;
  const isPenalized = kind === "base";
  return aConfig({
    model_name: MODELS[0],
    environments: Object.fromEntries(
      DATASETS.map((name, i) => [name, anEnvironment({ teacher: teacherOf(MODELS[i] ?? "") })]),
    ),
    advantage_calculation: "centered",
    // Keeps datums with an advantage of 0 so that they are compared, too.
    zero_variance: "keep",
    loss_fn: "dro",
    kl_coef: isPenalized ? coef : 0,
    kl_discount: isPenalized ? discount : 0,
  });
}

/** A service that returns the recorded log-probabilities of each stream. */
function contextOf(config: Config) {
  const streams = groups.flatMap(({ rollouts }) => rollouts.flatMap((rollout) => rollout.streams));
  const keyOf = (tokens: ArrayLike<number>): string => Array.from(tokens).join();
  const known = new Map(streams.map((stream) => [keyOf(ledgerOf(stream).tokens), stream.models]));
  return aContext({
    config,
    samplerForBase: async (model) =>
      scriptedSampler([], {
        computeLogprobs: (tokens) => {
          // The base model is the one that was recorded for the first dataset.
          const position = model === MODELS[1] ? 1 : 0;
          return [null, ...(known.get(keyOf(tokens))?.[position] ?? [])];
        },
      }),
  });
}

/** Our advantages and metrics, from the same code that a step runs. */
async function ourAdvantages(one: Case) {
  const config = configOf(one);
  const context = contextOf(config);
  const environmentOf = ({ group }: Pick<TrainingDatum, "group">): string =>
    DATASETS[groups[group]?.dataset ?? 0] ?? "";
  const { data } = trainingBatch(scoreGroups(played, config));
  if (one.kind === "base") {
    const { data: penalized, klPolicyBase } = await withKlPenalty(context, data);
    return { data: penalized, metrics: { kl_policy_base: klPolicyBase } };
  }
  const taught = await lessons(context, data, environmentOf);
  const { teacher } = teacherMetrics(config, data, taught, environmentOf);
  return { data: distill(data, taught), metrics: { teacher } };
}

/** The package's metrics under our names. */
function named({ kind, metrics }: Case): object {
  const { teacher_kl: kl, "teacher_kl/dataset_0": first, "teacher_kl/dataset_1": second } = metrics;
  if (kind === "base") return { kl_policy_base: near(metrics["kl_policy_base"]) };
  if (kind === undefined) return {};
  return {
    teacher: { kl: near(kl), env: { First: { kl: near(first) }, Second: { kl: near(second) } } },
  };
}

function near(value = Number.NaN): unknown {
  return expect.closeTo(value, 5);
}

describe("advantages compared with tinker-cookbook", () => {
  it.each(cases)("are the same for $name", async (one) => {
    const { data, metrics } = await ourAdvantages(one);
    expect(data.map(({ tokens }) => tokens.length)).toEqual(
      one.advantages.map(({ length }) => length),
    );
    for (const [d, { advantages, mask }] of data.entries()) {
      const theirs = one.advantages[d] ?? [];
      expect(Array.from(advantages)).toEqual(
        theirs.map((advantage, i) => near(mask[i] === 1 ? advantage : 0)),
      );
    }
    expect(metrics).toMatchObject(named(one));
  });
});

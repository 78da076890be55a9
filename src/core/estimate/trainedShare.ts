/**
 * Estimates the share of rollouts that a run trains on from rewards. A group is trained on if its rewards differ. Counting only
 * which groups differ gives little information (with two groups: 0, a half or 1), so all rollouts are used. A reward's
 * probability varies between tasks according to a Dirichlet distribution around its overall frequency (with two rewards, the
 * beta-binomial model of pass rates). The concentration, i.e. how similar tasks are, is unknown, so each of `CONCENTRATIONS` is
 * weighted by the likelihood of the observed rewards. This also works if the planned groups have another size.
 */

import { sum } from "../../shared/mean.ts";
import { areEqualRewards } from "../runFolder/metrics/outcomes.ts";
import { mean } from "../util/stats.ts";
import type { PlayedGroup } from "./basis.ts";

/** From tasks that are always or never solved to tasks that are all alike. Equally probable a priori. */
const CONCENTRATIONS = Array.from({ length: 11 }, (_, i) => 2 ** (i - 4));
/** Relative to the highest likelihood. Less likely concentrations are ignored. */
const LEAST_LIKELIHOOD = 1e-3;
/** Number of rollouts added to the measured ones, with a reward that none of them had. */
export const UNSEEN = 0.5;

/** Weight of the expected share, as a number of groups, relative to groups that count as measured. */
const EXPECTED_GROUPS = 2;

/** One number per rollout, by group. */
type Lists = readonly (readonly number[])[];

/** Shares of all rollouts. */
export interface TrainedShares {
  readonly trained: number;
  /** The same, including rollouts that `off_policy_correction` removes completely after their forward pass. */
  readonly passed: number;
}

/** Takes a weight for each rollout by group, the size of the planned groups, and the number of unseen rollouts. */
export type SharesOf = (weights: Lists, size: number, unseen: number) => TrainedShares;

interface ShareOptions {
  /** The groups are from a run that learned, so groups of the planned size also count as measured. */
  readonly isLearned: boolean;
  /** Groups with equal rewards are trained on. Used if none were measured. */
  readonly trainsOnEqual: boolean;
}

export function trainedSharesOf(
  groups: readonly PlayedGroup[],
  { isLearned, trainsOnEqual }: ShareOptions,
): SharesOf {
  const rewards = groups.map(({ rollouts }) => rollouts.map(({ reward }) => reward));
  const { positionOf, distinct } = distinctRewards(rewards.flat());
  // Rollouts without a reward get -1, which is no position.
  const positions = rewards.map((own) =>
    own.map((reward) => positionOf.get(reward ?? Number.NaN) ?? -1),
  );
  const likely = likelyConcentrations(positions, distinct);
  const isMixed = positions.map((own) => new Set(own.filter((position) => position >= 0)).size > 1);
  const found = (fractions: readonly number[]) => ({
    fractions,
    ofMixed: mean(fractions.filter((_, i) => isMixed[i])) ?? 1,
    ofEqual: mean(fractions.filter((_, i) => !isMixed[i])) ?? (trainsOnEqual ? 1 : 0),
  });
  const trained = found(groups.map(({ trainedFraction }) => trainedFraction));
  const passed = found(groups.map(({ passedFraction }) => passedFraction));
  return (weights, size, unseen) => {
    const tasks = positions.map((own, group) => countTask(own, weights[group] ?? []));
    const frequencies = frequenciesOf(tasks, distinct, unseen);
    const isEqual = sum(
      likely.map(({ concentration, chance }) => {
        const prior = frequencies.map((each) => each * concentration);
        return chance * probabilityOfEqual(tasks, prior, size);
      }),
    );
    const shareOf = ({ fractions, ofMixed, ofEqual }: ReturnType<typeof found>): number => {
      const expected = (1 - isEqual) * ofMixed + isEqual * ofEqual;
      let [used, all] = [EXPECTED_GROUPS * expected, EXPECTED_GROUPS];
      groups.forEach(({ rollouts }, group) => {
        if (!isLearned || rollouts.length !== size) return;
        const weight = sum(weights[group] ?? []) / size;
        used += weight * (fractions[group] ?? 0);
        all += weight;
      });
      return used / all;
    };
    return { trained: shareOf(trained), passed: shareOf(passed) };
  };
}

/** The number of distinct rewards, and the position of each reward. */
function distinctRewards(rewards: readonly (number | null)[]) {
  const positionOf = new Map<number, number>();
  let [lowest, distinct] = [Number.NEGATIVE_INFINITY, 0];
  for (const reward of rewards.filter((each) => each !== null).sort((a, b) => a - b)) {
    if (!areEqualRewards([lowest, reward])) [lowest, distinct] = [reward, distinct + 1];
    positionOf.set(reward, distinct - 1);
  }
  return { positionOf, distinct };
}

/** Rewards of a group's rollouts. Rollouts without a reward are ignored. */
interface Task {
  readonly played: number;
  readonly weight: number;
  /** Weights of the rollouts by the position of their reward. */
  readonly weightOf: ReadonlyMap<number, number>;
}

function countTask(positions: readonly number[], weights: readonly number[]): Task {
  const weightOf = new Map<number, number>();
  let [played, weight] = [0, 0];
  positions.forEach((position, i) => {
    if (position < 0) return;
    const own = weights[i] ?? 0;
    weightOf.set(position, (weightOf.get(position) ?? 0) + own);
    played += 1;
    weight += own;
  });
  return { played, weight, weightOf };
}

/**
 * Probability that `size` more rollouts of a task get the same reward: the mean over all tasks, given their own rewards. `prior`
 * is the number of additional rollouts for each reward. 1 if no rollout has a reward.
 */
function probabilityOfEqual(
  tasks: readonly Task[],
  prior: readonly number[],
  size: number,
): number {
  let [equal, all] = [0, 0];
  const concentration = sum(prior);
  // By number of rollouts, assuming that none of them had the reward.
  const powersWithout = new Map<number, readonly [powers: readonly number[], sum: number]>();
  for (const { played, weight, weightOf } of tasks) {
    if (weight === 0) continue;
    const total = concentration + played;
    let without = powersWithout.get(played);
    if (without === undefined) {
      const powers = prior.map((each) => expectedPower(each, total, size));
      without = [powers, sum(powers)];
      powersWithout.set(played, without);
    }
    let probability = without[1];
    for (const [position, own] of weightOf) {
      const rollouts = (prior[position] ?? 0) + (own * played) / weight;
      probability += expectedPower(rollouts, total, size) - (without[0][position] ?? 0);
    }
    equal += weight * probability;
    all += weight;
  }
  return all === 0 ? 1 : equal / all;
}

/** One frequency per reward. The last is for rewards that no rollout had. */
function frequenciesOf(
  tasks: readonly Task[],
  distinct: number,
  unseen: number,
): readonly number[] {
  const weights = [...Array.from({ length: distinct }, () => 0), unseen];
  for (const { weightOf } of tasks) {
    for (const [position, own] of weightOf) weights[position] = (weights[position] ?? 0) + own;
  }
  const total = sum(weights);
  return weights.map((weight) => weight / total);
}

/** Concentrations with their probabilities, given the observed rewards. */
function likelyConcentrations(positions: Lists, distinct: number) {
  const tasks = positions.map((own) =>
    countTask(
      own,
      own.map(() => 1),
    ),
  );
  const frequencies = frequenciesOf(tasks, distinct, UNSEEN);
  const logs = CONCENTRATIONS.map((concentration) =>
    sum(positions.map((own) => logLikelihood(own, frequencies, concentration))),
  );
  const likelihoods = logs.map((log) => Math.exp(log - Math.max(...logs)));
  const likely = CONCENTRATIONS.flatMap((concentration, i) => {
    const likelihood = likelihoods[i] ?? 0;
    return likelihood < LEAST_LIKELIHOOD ? [] : [{ concentration, likelihood }];
  });
  const total = sum(likely.map(({ likelihood }) => likelihood));
  return likely.map(({ concentration, likelihood }) => ({
    concentration,
    chance: likelihood / total,
  }));
}

/** Log-likelihood of a group's rewards, drawn one after another from Pólya's urn. */
function logLikelihood(
  positions: readonly number[],
  frequencies: readonly number[],
  concentration: number,
): number {
  const before = new Map<number, number>();
  let [log, drawn] = [0, 0];
  for (const position of positions) {
    if (position < 0) continue;
    const same = before.get(position) ?? 0;
    const expected = (frequencies[position] ?? 0) * concentration;
    log += Math.log((expected + same) / (concentration + drawn));
    before.set(position, same + 1);
    drawn += 1;
  }
  return log;
}

/** E[p^n] for p ~ Beta(a, total - a). */
function expectedPower(a: number, total: number, n: number): number {
  let power = 1;
  for (let i = 0; i < n; i += 1) power *= (a + i) / (total + i);
  return power;
}

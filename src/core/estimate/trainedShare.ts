/**
 * The share of rollouts that a run trains on, from rewards. A group teaches where its rewards differ. Two groups say little when they
 * are counted as different or equal: 0, a half or 1. So all their rollouts are taken: the probability of a reward differs from task to
 * task as a Dirichlet distribution around its frequency in all rollouts (with two rewards, the beta-binomial model of pass rates).
 * How much tasks are alike, the distribution's concentration, is unknown: each of `CONCENTRATIONS` counts by how probable it makes
 * what the groups got. Groups of another size than those that are planned can be read so, too.
 */

import { sum } from "../../shared/mean.ts";
import { areEqualRewards } from "../runFolder/metrics/outcomes.ts";
import { mean } from "../util/stats.ts";
import type { PlayedGroup } from "./basis.ts";

/** From tasks that are always or never solved to tasks that are alike; equally probable before anything is played. */
const CONCENTRATIONS = Array.from({ length: 11 }, (_, i) => 2 ** (i - 4));
/** By that of the most probable one; a less probable one is left out. */
const LEAST_LIKELIHOOD = 1e-3;
/** Rollouts that count beside those that were played, with a reward that none of them got. */
export const UNSEEN = 0.5;

/** As many as what is expected counts beside groups that count as they were found. */
const EXPECTED_GROUPS = 2;

/** One number per rollout, by group. */
type Lists = readonly (readonly number[])[];

/** Shares of all rollouts. */
export interface TrainedShares {
  readonly trained: number;
  /** The same with those of which `off_policy_correction` leaves nothing after its forward pass. */
  readonly passed: number;
}

/** From a weight of each rollout, group by group, the size of the planned groups, and how many unseen rollouts count. */
export type SharesOf = (weights: Lists, size: number, unseen: number) => TrainedShares;

interface ShareOptions {
  /** The groups are of a run that learned, so that groups of the planned size count as they were found, too. */
  readonly isLearned: boolean;
  /** Groups of equal rewards are trained on, where none of them was played. */
  readonly trainsOnEqual: boolean;
}

export function trainedSharesOf(
  groups: readonly PlayedGroup[],
  { isLearned, trainsOnEqual }: ShareOptions,
): SharesOf {
  const rewards = groups.map(({ rollouts }) => rollouts.map(({ reward }) => reward));
  const { positionOf, distinct } = distinctRewards(rewards.flat());
  // A rollout without a reward gets -1, which no list has.
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

/** How many differ, and which of these each is. */
function distinctRewards(rewards: readonly (number | null)[]) {
  const positionOf = new Map<number, number>();
  let [lowest, distinct] = [Number.NEGATIVE_INFINITY, 0];
  for (const reward of rewards.filter((each) => each !== null).sort((a, b) => a - b)) {
    if (!areEqualRewards([lowest, reward])) [lowest, distinct] = [reward, distinct + 1];
    positionOf.set(reward, distinct - 1);
  }
  return { positionOf, distinct };
}

/** What the rollouts of a group got, those that got a reward. */
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
 * That `size` further rollouts of a task get the same reward: its mean over the tasks of the groups, each with what its own rollouts
 * got. `prior`: of each reward, how many rollouts count beside those. 1 where nothing got a reward.
 */
function probabilityOfEqual(
  tasks: readonly Task[],
  prior: readonly number[],
  size: number,
): number {
  let [equal, all] = [0, 0];
  const concentration = sum(prior);
  // By the number of rollouts, as if none of them had got the reward.
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

/** One per reward; the last is for rewards that no rollout got. */
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

/** With their chances, given what the groups got. */
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

/** ln of how probable the rewards of a group are, one after the other: Pólya's urn. */
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

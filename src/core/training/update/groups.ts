/**
 * Decides which groups of a step are trained on, and with which advantages: GRPO compares the rollouts of a task (arXiv:2402.03300). A
 * group with equal rewards has no gradient and is left out, as in DAPO's dynamic sampling (Yu et al. 2025, arXiv:2503.14476); `refill.ts`
 * replaces such groups.
 */

import { groupBy } from "../../../shared/groupBy.ts";
import { sum } from "../../../shared/mean.ts";
import { zeroVariancePolicy } from "../../config/fields/presets.ts";
import type { Config } from "../../config/fields/schema.ts";
import { teacherOf } from "../../config/rules/teachers.ts";
import { isAppError } from "../../errors.ts";
import { returnsByTurn } from "../../rollout/rewards.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import { areEqualRewards } from "../../runFolder/metrics/outcomes.ts";
import type { GroupFacts } from "../../runFolder/metrics/stepFacts.ts";
import { byTurn, turnAdvantages } from "./advantages.ts";
import { buildDatum, type TrainingDatum } from "./datums.ts";
import { mayHaveGradient } from "./gradient.ts";
import { type CountedRollout, rolloutKey } from "./lossNormalization.ts";
import { isOverlong, overlongPenalty } from "./overlong.ts";

export interface ScoredRollout {
  readonly rollout: FinishedRollout;
  /** With `credit: reward_to_go` the mean over turns; null when not trained on. */
  readonly advantage: number | null;
  /** Per turn with `credit: reward_to_go`; otherwise, or when not trained on, absent. */
  readonly turnAdvantages?: readonly number[] | undefined;
  /** Data to send, one datum per stream with trained tokens; empty also when an advantage of 0 has no gradient. */
  readonly data: readonly TrainingDatum[];
  readonly trainingUse: "trained" | `excluded:${string}`;
}

export interface ScoredGroup {
  readonly facts: GroupFacts;
  readonly rollouts: readonly ScoredRollout[];
}

/** Training data of a step in the order of groups, rollouts and streams, so that a repeat sends the same bytes. */
export interface TrainingBatch {
  /** Data to send. */
  readonly data: readonly TrainingDatum[];
  /** Rollouts that count in the normalization of the loss. */
  readonly counted: readonly CountedRollout[];
}

/** True for a group with something to train on. */
export function hasSignal({ rollouts }: ScoredGroup): boolean {
  return rollouts.some(({ data }) => data.length > 0);
}

export function trainingBatch(groups: readonly ScoredGroup[]): TrainingBatch {
  const rollouts = groups.flatMap((group) => group.rollouts);
  return {
    data: rollouts.flatMap(({ data }) => data),
    counted: rollouts
      .filter(({ trainingUse }) => trainingUse === "trained")
      .map(({ rollout: { record, streams } }) => ({
        group: record.group,
        rollout: record.rollout,
        tokens: sum(streams.map(({ trainedTokens }) => trainedTokens)),
      })),
  };
}

/** Values of a rollout: its reward, or with `credit: reward_to_go` one return per turn. */
type Returns = readonly number[];

/** Finished rollouts of a task. */
interface Group {
  readonly group: number;
  readonly members: readonly FinishedRollout[];
  readonly scored: readonly FinishedRollout[];
  /** Values by which `scored` are compared, minus length penalties: rewards, or the return of each turn. */
  readonly returns: readonly Returns[];
  readonly excluded: string | null;
}

/** Scores the finished rollouts of a step, in group order. */
export function scoreGroups(
  rollouts: readonly FinishedRollout[],
  config: Config,
): readonly ScoredGroup[] {
  const groups = [...groupBy(rollouts, ({ record }) => record.group)]
    .sort(([a], [b]) => a - b)
    .map(([group, members]) => toGroup(group, members, config));
  const trained = groups.filter(({ excluded }) => excluded === null);
  const advantages = turnAdvantages(
    trained.map(({ returns }) => returns),
    config,
  );
  const advantagesOf = new Map(trained.map((group, i) => [group, advantages[i] ?? []]));
  return groups.map((group) => scoreGroup(group, advantagesOf.get(group) ?? [], config));
}

/**
 * The groups after `off_policy_correction` removed the `masked` data. A rollout with no data left is not trained on, but still counts in
 * its group's baseline and in the normalization of the loss.
 */
export function leaveOutMasked(
  groups: readonly ScoredGroup[],
  masked: readonly TrainingDatum[],
): readonly ScoredGroup[] {
  if (masked.length === 0) return groups;
  const maskedOf = groupBy(masked, rolloutKey);
  const why = "off_policy_correction";
  return groups.map(({ facts, rollouts }) => {
    const left = rollouts.map((each) => {
      const count = maskedOf.get(rolloutKey(each.rollout.record))?.length ?? 0;
      return count > 0 && count === each.data.length ? leftOut(each.rollout, why) : each;
    });
    const isKept = facts.excluded !== null || left.some(({ advantage }) => advantage !== null);
    return { facts: isKept ? facts : { ...facts, excluded: why }, rollouts: left };
  });
}

function toGroup(group: number, unordered: readonly FinishedRollout[], config: Config): Group {
  const members = unordered.toSorted((a, b) => a.record.rollout - b.record.rollout);
  const isTaughtAlone = teachesAlone(members, config);
  const scored = isTaughtAlone ? members : members.filter(({ record }) => record.reward !== null);
  const given = scored.map((member) => (isTaughtAlone ? [0] : returnsOf(member, config)));
  const returns = scored.map((member, i) => {
    const penalty = isTaughtAlone ? 0 : overlongPenalty(member, config);
    return (given[i] ?? []).map((value) => value - penalty);
  });
  const excluded = isTaughtAlone ? null : whyExcluded(members, given, config);
  return { group, members, scored, returns, excluded };
}

/** True for an environment whose teacher replaces its rewards. */
function teachesAlone([first]: readonly FinishedRollout[], config: Config): boolean {
  const environment = first?.record.environment ?? "";
  return teacherOf(config, environment)?.rewards === false;
}

function returnsOf({ record, facts }: FinishedRollout, config: Config): Returns {
  const rules = config.environments[record.environment];
  if (config.credit === "trajectory" || rules === undefined) return [record.reward ?? 0];
  return returnsByTurn(facts.turnRewards, record.rewardBreakdown, rules, config.discount);
}

function scoreGroup(
  { group, members, scored, excluded }: Group,
  advantages: readonly Returns[],
  config: Config,
): ScoredGroup {
  if (excluded !== null) {
    return {
      facts: { group, excluded, isPartial: false },
      rollouts: members.map((rollout) => leftOut(rollout, excluded)),
    };
  }
  const byRollout = new Map(scored.map((member, i) => [member, advantages[i] ?? []]));
  return {
    facts: { group, excluded: null, isPartial: scored.length < members.length },
    rollouts: members.map((rollout) =>
      scoreRollout(rollout, byRollout.get(rollout) ?? null, config),
    ),
  };
}

function scoreRollout(
  rollout: FinishedRollout,
  advantages: Returns | null,
  config: Config,
): ScoredRollout {
  if (advantages === null) return leftOut(rollout, "failed");
  if (config.overlong === "mask" && isOverlong(rollout)) return leftOut(rollout, "overlong");
  const { streams, record } = rollout;
  // Without usable log-probabilities, no sampled token can be trained on.
  if (!streams.some(({ trainedTokens }) => trainedTokens > 0)) return leftOut(rollout, "masked");
  const scored = {
    rollout,
    advantage: sum(advantages) / advantages.length,
    trainingUse: "trained",
    turnAdvantages: config.credit === "trajectory" ? undefined : advantages,
  } as const;
  if (!advantages.some((advantage) => mayHaveGradient(advantage, config))) {
    return { ...scored, data: [] };
  }
  try {
    const images = rollout.images.length === 0 ? undefined : rollout.images.map(({ file }) => file);
    const source = { group: record.group, rollout: record.rollout, images };
    const data = streams.flatMap(
      (ledger, stream) => buildDatum({ ...source, stream, ledger }, advantages) ?? [],
    );
    return { ...scored, data };
  } catch (error) {
    if (!isAppError(error, "invariant")) throw error;
    return leftOut(rollout, "invariant");
  }
}

function leftOut(rollout: FinishedRollout, why: string): ScoredRollout {
  return { rollout, advantage: null, data: [], trainingUse: `excluded:${why}` };
}

/** Why a group is left out; checked in this order: failures, too few rollouts, all overlong, equal rewards. */
function whyExcluded(
  members: readonly FinishedRollout[],
  given: readonly Returns[],
  config: Config,
): string | null {
  const failures = members.length - given.length;
  if (given.length === 0 || failures > allowedFailures(members, config)) return "failures";
  const isCentered = config.advantage_calculation !== "direct";
  if (isCentered && given.length < 2) return "too_few";
  const fitting = members.filter((member) => member.record.reward !== null && !isOverlong(member));
  if (config.overlong === "mask" && fitting.length === 0) return "overlong";
  if (zeroVariancePolicy(config) === "drop" && !byTurn(given).some(differ)) return "zero_variance";
  return null;
}

function differ(values: readonly number[]): boolean {
  return !areEqualRewards(values);
}

function allowedFailures(members: readonly FinishedRollout[], config: Config): number {
  if (config.group_failures !== "reference") return 0;
  const environment = members[0]?.record.environment ?? "";
  return config.environments[environment]?.max_failing_rollouts ?? 0;
}

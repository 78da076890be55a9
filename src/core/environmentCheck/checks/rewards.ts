/** Checks that finished episodes have a reward that is finite and of reasonable size. */

import { formatMeasure } from "../../../shared/format.ts";
import { REWARD_AT_END } from "../../openreward/faults.ts";
import { type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { findOracle, hasEnded, playedSteps, randomPlays, stepEvidence } from "../probe/players.ts";
import type { Play } from "../probe/probe.ts";

const MIN_ENDED = 3;

export const rewardGiven: EnvironmentCheck = {
  id: "reward-given",
  rule: "An episode that ends has a reward.",
  async run(probe) {
    await randomPlays(probe);
    await findOracle(probe);
    const ended = probe.plays.filter(hasEnded);
    if (ended.length < MIN_ENDED) return notMade("too few plays ended an episode");
    const unscored = ended.filter(({ steps }) => !steps.some(isScored));
    const measured = `${ended.length - unscored.length} of ${ended.length} ended episodes have a reward`;
    const [first] = unscored;
    const last = first?.steps.at(-1);
    if (first === undefined || last === undefined) return found(measured);
    if ((await probe.sharedTools()).supportsGroupScoring) {
      return notMade("the environment scores whole groups");
    }
    const isAll = unscored.length === ended.length;
    return found(measured, {
      severity: isAll ? "defect" : "warning",
      message: isAll
        ? "No episode that ended has a reward, so nothing can be learned."
        : `${unscored.length} of ${ended.length} episodes ended without a reward.`,
      evidence: stepEvidence({ task: first.task, step: last }),
      advice: REWARD_AT_END,
    });
  },
};

function isScored({ answer }: Play["steps"][number]): boolean {
  return answer.kind === "result" && answer.reward !== null;
}

/** Beyond this, sums in single precision lose their fractions, and one rollout outweighs all others. */
const HUGE = 1e6;
const LARGE = 100;

export const rewardRange: EnvironmentCheck = {
  id: "reward-range",
  rule: "Rewards are finite numbers of a sane size.",
  async run(probe) {
    await randomPlays(probe);
    await findOracle(probe);
    const seen = playedSteps(probe);
    const rewards = seen.flatMap(({ step: { answer } }) =>
      answer.kind === "result" && answer.reward !== null ? [answer.reward] : [],
    );
    const malformed = seen.find(
      ({ step: { answer } }) => answer.kind === "failed" && answer.failure === "malformed-reward",
    );
    const most = seen.find(
      ({ step: { answer } }) =>
        answer.kind === "result" &&
        Math.abs(answer.reward ?? 0) === Math.max(...rewards.map(Math.abs)),
    );
    const size = Math.max(0, ...rewards.map(Math.abs));
    return found(
      rewards.length === 0
        ? "no reward seen"
        : `rewards from ${formatMeasure(Math.min(...rewards))} to ${formatMeasure(Math.max(...rewards))}`,
      malformed === undefined
        ? null
        : {
            severity: "defect",
            message: "A reward is not a finite number.",
            evidence: stepEvidence(malformed),
            advice:
              "Return a finite number, or none for a call that is not scored. JSON has no NaN and no Infinity.",
          },
      most === undefined || size <= LARGE
        ? null
        : {
            severity: size > HUGE ? "defect" : "warning",
            message: `A reward has the size ${size}.`,
            evidence: stepEvidence(most),
            advice:
              "Scale rewards to about 0 to 1: a single large one decides the update of its group.",
          },
    );
  },
};

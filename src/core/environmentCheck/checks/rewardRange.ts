/** Rewards are finite numbers of a sane size. */

import { type EnvironmentCheck, found } from "../probe/finding.ts";
import { findOracle, playedSteps, randomPlays, stepEvidence } from "../probe/players.ts";

/** Beyond it sums lose their fractions in single precision, and one rollout outweighs all others. */
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
        : `rewards from ${Math.min(...rewards)} to ${Math.max(...rewards)}`,
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

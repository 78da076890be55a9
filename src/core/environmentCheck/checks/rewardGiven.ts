/** Episodes that end have a reward. */

import { type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { findOracle, hasEnded, randomPlays, stepEvidence } from "../probe/players.ts";
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
      advice: "Give a reward with the call that ends the episode; 0 where it is not earned.",
    });
  },
};

function isScored({ answer }: Play["steps"][number]): boolean {
  return answer.kind === "result" && answer.reward !== null;
}

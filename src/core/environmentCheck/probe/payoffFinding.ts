/** Rates how serious it is that a cheat is rewarded. */

import type { CheckFinding, FindingSeverity } from "./finding.ts";
import { findOracle, type Payoff, rewardOf, stepEvidence } from "./players.ts";
import type { Probe } from "./probe.ts";

/** From this share of the best reward, a model may learn the cheat instead of the task. */
const DEFECT_SHARE = 0.5;

/**
 * The finding for a rewarded cheat. A defect when it ends every episode with the same large reward. A warning when the reward is small,
 * differs between tasks, or does not end the episode, as with partial rewards and the steps of a game.
 */
export async function payoffFinding(
  probe: Probe,
  { steps, rewards, isSame, endsAll }: Payoff,
  { message, advice }: Pick<CheckFinding, "message" | "advice">,
): Promise<CheckFinding> {
  const oracle = await findOracle(probe);
  const best = oracle?.reward ?? Math.max(1, bestReward(probe));
  const least = Math.min(...rewards);
  const isLarge = isSame && endsAll && least >= DEFECT_SHARE * best;
  const severity: FindingSeverity = isLarge ? "defect" : "warning";
  const [first] = steps;
  const range = isSame ? `${least}` : `${least} to ${Math.max(...rewards)}`;
  return {
    severity,
    message,
    evidence: {
      ...stepEvidence(first),
      numbers: `reward ${range} in ${steps.length} of ${steps.length} sessions; the best known reward is ${best}`,
    },
    advice: isLarge
      ? advice
      : `${advice} If this is a partial reward that you intend, keep it far below that of a right answer.`,
  };
}

/** The largest reward of any call so far. */
function bestReward({ plays }: Probe): number {
  return Math.max(0, ...plays.flatMap(({ steps }) => steps.map(rewardOf)));
}

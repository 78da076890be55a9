/** Random valid calls are answered; what they earn is the floor. */

import { mean } from "../../util/stats.ts";
import { isBroken } from "../probe/answer.ts";
import { type CheckFinding, type EnvironmentCheck, found } from "../probe/finding.ts";
import { hasEnded, randomPlays, rewardOf, stepEvidence } from "../probe/players.ts";
import type { Play } from "../probe/probe.ts";

const FAILURES = {
  crashed: "fails with an error of the environment",
  lost: "loses the session",
  malformed: "is answered with something that is not ORS",
  "too-long": "is answered with more than can be read",
  unavailable: "gets no answer",
} as const;

export const randomCalls: EnvironmentCheck = {
  id: "random-calls",
  rule: "Calls that fit the schemas are answered.",
  async run(probe) {
    const plays = await randomPlays(probe);
    const rewards = plays.map(({ steps }) => steps.reduce((sum, step) => sum + rewardOf(step), 0));
    const ended = plays.filter(hasEnded);
    const floor = mean(rewards) ?? 0;
    return found(
      `floor: random calls earn ${floor.toFixed(2)} on average; ${ended.length} of ${plays.length} plays ended`,
      ...failures(plays),
    );
  },
};

/** The first failure of each tool. */
function failures(plays: readonly Play[]): readonly CheckFinding[] {
  const findings = new Map<string, CheckFinding>();
  for (const { task, steps } of plays) {
    for (const step of steps) {
      const { answer, tool } = step;
      if (!isBroken(answer) || findings.has(tool)) continue;
      findings.set(tool, {
        severity: "defect",
        message: `A call of ${tool} whose arguments fit the schema ${FAILURES[answer.failure]}.`,
        evidence: stepEvidence({ task, step }),
        advice:
          "Answer in words that the model can act on; a crash costs the rollout and is repeated.",
      });
    }
  }
  return [...findings.values()];
}

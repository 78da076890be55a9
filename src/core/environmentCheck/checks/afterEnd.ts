/** Once the episode has ended, no call is run. */

import { describeAnswer } from "../probe/answer.ts";
import { type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import {
  constantCall,
  findOracle,
  hasEnded,
  type PlannedCall,
  randomPlays,
  rewardOf,
  stepEvidence,
  triedTools,
} from "../probe/players.ts";
import type { Play, PlayedTask, Probe } from "../probe/probe.ts";

export const afterEnd: EnvironmentCheck = {
  id: "after-end",
  rule: "Calls after the end of an episode are refused.",
  async run(probe) {
    const ending = await endingCalls(probe);
    if (ending === null) return notMade("no play ended an episode");
    const { task, calls } = ending;
    return probe.session(task, async (session) => {
      for (const { tool, input } of calls) {
        if (!session.isOver) await session.call(tool, input);
      }
      const last = session.steps.at(-1);
      if (last === undefined || !hasEnded(session)) return notMade("the episode did not end again");
      const answer = await session.call(last.tool, last.input);
      if (answer.kind !== "result") return found("refused");
      const isPaid = rewardOf({ ...last, answer }) > 0;
      return found(undefined, {
        severity: isPaid ? "defect" : "warning",
        message: isPaid
          ? "A call after the end of the episode is run and paid."
          : "A call after the end of the episode is run.",
        evidence: {
          ...stepEvidence({ task, step: { ...last, answer } }),
          numbers: `the call that ended the episode: ${describeAnswer(last.answer)}`,
        },
        advice:
          "Refuse calls once a result was final. Servers of openreward 0.1.160 and newer do so; with ors-sdk the environment must.",
      });
    });
  },
};

/** Calls that end an episode, with a reward if there are such. */
async function endingCalls(
  probe: Probe,
): Promise<{ readonly task: PlayedTask; readonly calls: readonly PlannedCall[] } | null> {
  const [task] = await probe.playedTasks(1);
  const right = task && (await (await findOracle(probe))?.callFor(task));
  if (task !== undefined && right != null) await probe.play(task, [right]);
  await randomPlays(probe);
  for (const tool of await triedTools(probe)) {
    if (task !== undefined) await probe.play(task, [constantCall(tool, "x")]);
  }
  const ended = probe.plays.filter(hasEnded);
  const best = ended.toSorted((a, b) => earned(b) - earned(a))[0];
  return best === undefined ? null : { task: best.task, calls: best.steps };
}

/** The reward of the call that ended it counts: that one is repeated. */
function earned({ steps }: Play): number {
  const last = steps.at(-1);
  return last === undefined ? 0 : rewardOf(last);
}

/** Checks that a reward cannot be earned twice with the same call. */

import { type CheckFinding, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import {
  contentlessPayoff,
  type PlannedCall,
  randomPlays,
  rewardOf,
  rightCall,
  stepEvidence,
  triedTools,
} from "../probe/players.ts";
import type { PlayedTask, Probe, Step } from "../probe/probe.ts";

const REPEATS = 4;
const MAX_LINES = 4;

/** Calls up to one that was rewarded without ending the episode. */
interface PaidLine {
  readonly task: PlayedTask;
  readonly calls: readonly PlannedCall[];
}

export const farmedReward: EnvironmentCheck = {
  id: "farmed-reward",
  rule: "The same call does not earn rewards again and again.",
  async run(probe) {
    const lines = await paidLines(probe);
    if (lines.length === 0) return notMade("no call earned a reward without ending the episode");
    for (const { task, calls } of lines) {
      const steps = await probe.session(task, async (session) => {
        for (const { tool, input } of calls) if (!session.isOver) await session.call(tool, input);
        const last = session.steps.at(-1);
        for (let i = 0; i < REPEATS && last !== undefined && !session.isOver; i += 1) {
          await session.call(last.tool, last.input);
        }
        return session.steps.slice(calls.length - 1);
      });
      const finding = repeatedPay(task, steps);
      if (finding !== null) return found(undefined, finding);
    }
    return found(`${lines.length} rewarded calls repeated`);
  },
};

async function paidLines(probe: Probe): Promise<readonly PaidLine[]> {
  await randomPlays(probe);
  for (const tool of await triedTools(probe)) await contentlessPayoff(probe, tool);
  const [task] = await probe.playedTasks(1);
  const right = task && (await rightCall(probe, task));
  if (task !== undefined && right != null) await probe.play(task, [right]);
  const lines = new Map<string, PaidLine>();
  for (const play of probe.plays) {
    const at = play.steps.findIndex(
      (step) => rewardOf(step) > 0 && step.answer.kind === "result" && !step.answer.finished,
    );
    const tool = play.steps[at]?.tool;
    if (tool === undefined || lines.has(tool)) continue;
    lines.set(tool, { task: play.task, calls: play.steps.slice(0, at + 1) });
  }
  return [...lines.values()].slice(0, MAX_LINES);
}

/** Steps of a game are rewarded again too, but their replies differ. */
function repeatedPay(task: PlayedTask, steps: readonly Step[]): CheckFinding | null {
  const rewards = steps.map(rewardOf);
  const [first, ...again] = steps;
  if (first === undefined || again.length < 2 || !again.every((step) => rewardOf(step) > 0))
    return null;
  const isSame =
    again.every(({ answer }) => answer.text === first.answer.text) && new Set(rewards).size === 1;
  return {
    severity: isSame ? "defect" : "warning",
    message: isSame
      ? `The same call of ${first.tool} earns a reward each time with the same answer.`
      : `The same call of ${first.tool} earns a reward each time.`,
    evidence: {
      ...stepEvidence({ task, step: first }),
      numbers: `rewards ${rewards.join(", ")}`,
    },
    advice: isSame
      ? "Reward a step once: a model learns to repeat what is rewarded."
      : "Nothing, if the state changes and each step earns its reward; otherwise reward it once.",
  };
}

/** The same calls get the same answers. */

import { describeAnswer, describeCall } from "../probe/answer.ts";
import { type CheckOutcome, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { randomPlays } from "../probe/players.ts";
import { type Play, type Probe, type Step, taskName } from "../probe/probe.ts";
import { samePrompts } from "./samePrompt.ts";

const PLAYS = 4;

interface Difference {
  readonly play: Play;
  readonly first: Step;
  readonly second: Step;
}

/** Random plays played twice: where they first differ. */
export function repeats(
  probe: Probe,
): Promise<{ readonly plays: readonly Play[]; readonly differences: readonly Difference[] }> {
  return probe.once("repeats", async () => {
    const plays = (await randomPlays(probe))
      .filter(
        ({ steps }) => steps.length > 0 && !steps.some(({ answer }) => answer.kind === "failed"),
      )
      .slice(0, PLAYS);
    const differences: Difference[] = [];
    for (const play of plays) {
      const again = await probe.play(play.task, play.steps);
      const at = play.steps.findIndex((step, index) => !isSame(step, again.steps[index]));
      const [first, second] = [play.steps[at], again.steps[at]];
      if (first !== undefined && second !== undefined) differences.push({ play, first, second });
    }
    return { plays, differences };
  });
}

export const sameAnswers: EnvironmentCheck = {
  id: "same-answers",
  rule: "The same calls on a task get the same answers in every session.",
  async run(probe): Promise<CheckOutcome> {
    if ((await samePrompts(probe)).differing.length > 0) {
      return notMade("prompts differ between sessions, so answers may, too");
    }
    const { plays, differences: all } = await repeats(probe);
    // A reward that alone differs is for the check of graders.
    const differences = all.filter(({ first, second }) => first.answer.text !== second.answer.text);
    if (plays.length === 0) return notMade("no random play could be repeated");
    const [difference] = differences;
    return found(
      `${plays.length} plays repeated`,
      difference === undefined
        ? null
        : {
            severity: "warning",
            message: `The same calls got other answers in ${differences.length} of ${plays.length} repeats.`,
            evidence: {
              task: taskName(difference.play.task),
              call: describeCall(difference.first),
              answer: `first: ${describeAnswer(difference.first.answer)}`,
              numbers: `second: ${describeAnswer(difference.second.answer)}`,
            },
            advice:
              "Derive what is random from the task, and keep all state in the session. Otherwise rollouts of a group are rewarded for luck. Nothing, if chance is part of the task.",
          },
    );
  },
};

function isSame(one: Step, other: Step | undefined): boolean {
  const { answer } = one;
  if (other === undefined || answer.kind !== other.answer.kind) return false;
  if (answer.kind === "result" && other.answer.kind === "result") {
    const { text, reward, finished } = other.answer;
    return text === answer.text && reward === answer.reward && finished === answer.finished;
  }
  return answer.kind === "failed" || answer.text === other.answer.text;
}

/** Checks that the same calls get the same answers, and the same answer the same reward. */

import { describeAnswer, describeCall } from "../probe/answer.ts";
import {
  type CheckFinding,
  type CheckOutcome,
  type EnvironmentCheck,
  found,
  notMade,
} from "../probe/finding.ts";
import {
  constantCall,
  type PlannedCall,
  randomPlays,
  rightCall,
  stepEvidence,
  triedTools,
} from "../probe/players.ts";
import { type Play, type PlayedTask, type Probe, type Step, taskName } from "../probe/probe.ts";
import { textArguments } from "../probe/tools.ts";
import { samePrompts } from "./prompts.ts";

const PLAYS = 4;

interface Difference {
  readonly play: Play;
  readonly first: Step;
  readonly second: Step;
}

/** Replays random plays and records where they first differ. */
function repeats(
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
    // If only the reward differs, the grader check reports it.
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

const TASKS = 3;
/** Finds a grader that errs in one of ten cases with a probability of 96% over the tasks. */
const REPEATS = 10;
const LEAST_DIFFERENCE = 1e-9;

export const stableGrader: EnvironmentCheck = {
  id: "stable-grader",
  rule: "The same answer to a task gets the same reward every time.",
  async run(probe) {
    if ((await samePrompts(probe)).differing.length > 0) {
      return notMade("prompts differ between sessions, so rewards may, too");
    }
    const tools = await triedTools(probe);
    const open = new Set(
      tools.filter((tool) => textArguments(tool).length > 0).map(({ name }) => name),
    );
    // Moves of a game may involve chance, but a written answer is graded.
    const severityOf = (tool: string) => (open.has(tool) ? "defect" : "warning");
    const silent = (await repeats(probe)).differences.find(
      ({ first, second }) =>
        rewardText(first) !== rewardText(second) && first.answer.text === second.answer.text,
    );
    if (silent !== undefined) {
      const { play, first, second } = silent;
      return found(undefined, flaky(play.task, [first, second], severityOf(first.tool)));
    }
    for (const task of await probe.playedTasks(TASKS)) {
      for (const call of await callsToRepeat(probe, task)) {
        const steps = await repeatCall(probe, task, call);
        if (new Set(steps.map(rewardText)).size < 2) continue;
        return found(undefined, flaky(task, steps, severityOf(call.tool)));
      }
    }
    return found(`each answer graded ${REPEATS} times`);
  },
};

async function callsToRepeat(probe: Probe, task: PlayedTask): Promise<readonly PlannedCall[]> {
  const right = await rightCall(probe, task);
  const wrong = (await triedTools(probe)).map((tool) => constantCall(tool, "x"));
  return right === null ? wrong : [right, ...wrong];
}

/** Stops at the first call that is not scored, because there is nothing to compare. */
async function repeatCall(
  probe: Probe,
  task: PlayedTask,
  call: PlannedCall,
): Promise<readonly Step[]> {
  // Earlier plays count too, since a task may only be rewarded once.
  const steps: Step[] = probe.plays.flatMap((play) => {
    const [first] = taskName(play.task) === taskName(task) ? play.steps : [];
    return first !== undefined && describeCall(first) === describeCall(call) ? [first] : [];
  });
  if (steps.some((step) => rewardText(step) === "")) return [];
  for (let i = 0; i < REPEATS; i += 1) {
    const [step] = (await probe.play(task, [call])).steps;
    if (step === undefined || (i === 0 && rewardText(step) === "")) break;
    steps.push(step);
  }
  return steps;
}

/** Empty for a call that is not scored. */
function rewardText({ answer }: Step): string {
  if (answer.kind !== "result" || answer.reward === null) return "";
  return String(Math.round(answer.reward / LEAST_DIFFERENCE));
}

function flaky(
  task: PlayedTask,
  steps: readonly Step[],
  severity: CheckFinding["severity"],
): CheckFinding {
  const rewards = steps.map(({ answer }) => (answer.kind === "result" ? answer.reward : null));
  const [first] = steps;
  return {
    severity,
    message: "The same answer to the same task got different rewards.",
    evidence: {
      ...stepEvidence(first && { task, step: first }),
      numbers: `rewards ${rewards.map((reward) => reward ?? "none").join(", ")}`,
    },
    advice:
      "Make the grader deterministic, or average it. Otherwise a group has advantages that its answers did not earn.",
  };
}

/** Measures what random calls earn, and what a right answer earns if the environment reveals one. */

import type { Json, JsonObject } from "../../json.ts";
import { mean } from "../../util/stats.ts";
import { isBroken, isFinal } from "../probe/answer.ts";
import {
  type CheckFinding,
  type CheckOutcome,
  type EnvironmentCheck,
  found,
  notMade,
} from "../probe/finding.ts";
import {
  findOracle,
  hasEnded,
  type PaidStep,
  randomPlays,
  rewardOf,
  stepEvidence,
  triedTools,
} from "../probe/players.ts";
import type { Play, Probe } from "../probe/probe.ts";
import { argumentSchemas, type PlayableTool } from "../probe/tools.ts";

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
        advice: "Answer with a message that the model can act on; a crash ends the rollout.",
      });
    }
  }
  return [...findings.values()];
}

const TASKS = 4;
const ANSWER_KEYS = ["answer", "solution", "truth", "ground_truth", "target"];

export const rightAnswer: EnvironmentCheck = {
  id: "right-answer",
  rule: "A right answer earns more than a wrong one.",
  async run(probe) {
    const oracle = await findOracle(probe);
    if (oracle !== null) return found(`ceiling: ${oracle.reward} with ${oracle.source}`);
    return (
      (await unpaidAnswer(probe)) ??
      notMade(
        "neither the task data nor metadata of results hold an answer that earns a reward immediately",
      )
    );
  },
};

/** Only a warning, because the answer in the task data may have to be written in another form. */
async function unpaidAnswer(probe: Probe): Promise<CheckOutcome | null> {
  for (const tool of await triedTools(probe)) {
    const [argument, ...others] = Object.entries(argumentSchemas(tool));
    if (argument === undefined || others.length > 0) continue;
    const steps = await unpaidSteps(probe, tool, argument);
    const [first] = steps;
    if (first === undefined || steps.length < TASKS) continue;
    return found(undefined, {
      severity: "warning",
      message: "What the task data call the answer ends the episode without a reward.",
      evidence: {
        ...stepEvidence(first),
        numbers: `unpaid in ${steps.length} of ${steps.length} sessions`,
      },
      advice: "Check the grader. Nothing, if an answer is to be written in another form.",
    });
  }
  return null;
}

/** Tries answers until one is rewarded or does not end the episode. */
async function unpaidSteps(
  probe: Probe,
  tool: PlayableTool,
  [argument, schema]: readonly [string, JsonObject],
): Promise<readonly PaidStep[]> {
  const steps: PaidStep[] = [];
  for (const task of await probe.playedTasks(TASKS)) {
    const data = (await probe.dataOf(task)) ?? {};
    const answer = ANSWER_KEYS.map((key) => data[key]).find(isScalar);
    if (answer === undefined) break;
    const value = schema["type"] === "string" ? String(answer) : answer;
    const call = { tool: tool.name, input: { [argument]: value } };
    const [step] = (await probe.play(task, [call])).steps;
    if (step === undefined || !isFinal(step.answer) || rewardOf(step) > 0) break;
    steps.push({ task, step });
  }
  return steps;
}

function isScalar(value: Json | undefined): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** Right answers are paid, where the environment gives them away to a check. */

import type { Json, JsonObject } from "../../json.ts";
import { isFinal } from "../probe/answer.ts";
import { type CheckOutcome, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { findOracle, type PaidStep, rewardOf, stepEvidence, triedTools } from "../probe/players.ts";
import type { Probe } from "../probe/probe.ts";
import { argumentSchemas, type PlayableTool } from "../probe/tools.ts";

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
      notMade("neither the task data nor metadata of results hold an answer that is paid at once")
    );
  },
};

/** What the task data call the answer may be written otherwise than it is given, so this is no defect. */
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

/** Up to the first that is paid, or does not end the episode. */
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

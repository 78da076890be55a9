/** Sessions open, and begin with a prompt. */

import { errorMessage, isAppError } from "../../errors.ts";
import { type EnvironmentCheck, found } from "../probe/finding.ts";
import { type PlayedTask, type Probe, taskName } from "../probe/probe.ts";

const TASKS = 3;

export const sessionStart: EnvironmentCheck = {
  id: "session-start",
  rule: "Sessions open and begin with a prompt.",
  async run(probe) {
    const tasks = [...(await probe.playedTasks(TASKS)), ...(await lastTasks(probe))];
    for (const task of tasks) {
      try {
        const { prompt } = await probe.play(task, []);
        if (prompt.trim() !== "") continue;
        return found(undefined, {
          severity: "defect",
          message: "A session begins with an empty prompt.",
          evidence: { task: taskName(task) },
          advice: "Return the question from get_prompt.",
        });
      } catch (error) {
        if (!isAppError(error) || probe.signal.aborted) throw error;
        return found(undefined, {
          severity: "defect",
          message: "A session could not be opened.",
          evidence: { task: taskName(task), answer: errorMessage(error) },
          advice: "Look at the log of the server. Other checks need sessions and were not made.",
        });
      }
    }
    return found(`${tasks.length} sessions opened`);
  },
};

/** A number of tasks that is too large shows at the end. */
async function lastTasks(probe: Probe): Promise<readonly PlayedTask[]> {
  const tasks: PlayedTask[] = [];
  for (const split of await probe.filledSplits()) {
    tasks.push({ split, index: (await probe.numTasks(split)) - 1 });
  }
  return tasks;
}

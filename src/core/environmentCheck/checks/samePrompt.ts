/** A task is the same in every session. */

import { shorten } from "../probe/answer.ts";
import { type EnvironmentCheck, found } from "../probe/finding.ts";
import { type Probe, taskName } from "../probe/probe.ts";

const TASKS = 4;

export const samePrompt: EnvironmentCheck = {
  id: "same-prompt",
  rule: "A task has the same prompt in every session.",
  async run(probe) {
    const { compared, differing } = await samePrompts(probe);
    const [first] = differing;
    return found(
      `${compared} tasks opened twice`,
      first === undefined
        ? null
        : {
            severity: "warning",
            message: `${differing.length} of ${compared} tasks have another prompt in a second session.`,
            evidence: {
              task: first.name,
              answer: `first: ${shorten(first.prompts[0])}`,
              numbers: `second: ${shorten(first.prompts[1])}`,
            },
            advice:
              "Derive all that is random from the task. Otherwise the rollouts of a group play different tasks, and their rewards compare luck; a resumed run cannot repeat a task.",
          },
    );
  },
};

/** Tasks whose prompts differ between two sessions. */
export function samePrompts(probe: Probe) {
  return probe.once("samePrompts", async () => {
    const tasks = await probe.playedTasks(TASKS);
    const differing: { name: string; prompts: readonly [string, string] }[] = [];
    for (const task of tasks) {
      const first = await probe.play(task, []);
      const second = await probe.play(task, []);
      if (first.prompt === second.prompt) continue;
      differing.push({ name: taskName(task), prompts: [first.prompt, second.prompt] });
    }
    return { compared: tasks.length, differing };
  });
}

/** Checks that prompts are the same in every session and have no rendering faults. */

import { shorten } from "../probe/answer.ts";
import { type EnvironmentCheck, found } from "../probe/finding.ts";
import { type Probe, taskName } from "../probe/probe.ts";
import { promptSample } from "../probe/taskSample.ts";

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

/** Traces of an unfilled template or of a missing value. */
const TRACES: readonly RegExp[] = [
  /\{\{\s*[a-z_][\w.]*\s*\}\}/i,
  /\{(?:question|prompt|task|input|problem|instruction|context|query|self\.[\w.]+|task_spec[\w.[\]'"]*)\}/i,
  /\$\{[a-z_][\w.]*\}/i,
  /\[object Object\]/,
  /<[\w.]+ object at 0x[0-9a-f]+>/i,
  /(?:question|problem|task|answer|input)\s*:\s*(?:None|undefined|nan|null)\b/i,
  /\ufffd/,
];
/** A minority may be questions about templates or code. */
const MIN_SHARE = 0.5;

export const promptText: EnvironmentCheck = {
  id: "prompt-text",
  rule: "Prompts hold no unfilled templates and no missing values.",
  async run(probe) {
    const sample = await promptSample(probe);
    const odd = sample.flatMap((task) => {
      const trace = TRACES.map((each) => each.exec(task.prompt)).find((match) => match !== null);
      return trace == null ? [] : [{ task, text: trace[0], at: trace.index }];
    });
    const [first] = odd;
    const measured = `${sample.length} prompts read`;
    if (first === undefined) return found(measured);
    const { task, text, at } = first;
    return found(measured, {
      severity: odd.length >= MIN_SHARE * sample.length ? "defect" : "warning",
      message: `${odd.length} of ${sample.length} prompts hold ${JSON.stringify(text)} or the like.`,
      evidence: {
        task: taskName(task),
        answer: shorten(task.prompt.slice(Math.max(0, at - 60), at + 60)),
      },
      advice: "Fill in the template, and check that each task has its values.",
    });
  },
};

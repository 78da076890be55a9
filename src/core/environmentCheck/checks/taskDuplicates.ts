/** Tasks of a split differ. */

import { formatCount } from "../../../shared/format.ts";
import { type CheckFinding, type EnvironmentCheck, found } from "../probe/finding.ts";
import { identifiedTasks, type KeyedTask, promptKeys } from "../probe/taskSample.ts";

/** With so many different tasks to train on, repeats are those of a generator with few outcomes. */
const ENOUGH_TASKS = 64;
/** Fewer repeats are not worth a word. */
const MIN_SHARE = 0.1;

export const taskDuplicates: EnvironmentCheck = {
  id: "task-duplicates",
  rule: "The tasks of a split differ from each other.",
  async run(probe) {
    const identified = await identifiedTasks(probe);
    const tasks = identified ?? (await promptKeys(probe));
    const what = identified === null ? "prompts" : "tasks";
    const names = [...new Set(tasks.map(({ split }) => split))];
    const isTrained = (split: string): boolean => split === names[0];
    const findings = names.map((split) => {
      const own = tasks.filter((task) => task.split === split);
      return duplicates(split, own, what === "tasks" && isTrained(split));
    });
    return found(`${formatCount(tasks.length)} ${what} compared`, ...findings);
  },
};

/** `counts` is true where repeats weigh in training, and keys are more than prompts, which hide the secret of a game. */
function duplicates(
  split: string,
  tasks: readonly KeyedTask[],
  counts: boolean,
): CheckFinding | null {
  const first = new Map<string, number>();
  let example: string | undefined;
  for (const { key, index } of tasks) {
    const before = first.get(key);
    if (before === undefined) first.set(key, index);
    else example ??= `${split} ${before} and ${split} ${index}`;
  }
  const repeats = tasks.length - first.size;
  if (example === undefined || repeats < MIN_SHARE * tasks.length) return null;
  const isFew = counts && first.size < ENOUGH_TASKS;
  return {
    severity: isFew ? "warning" : "note",
    message: `${formatCount(repeats)} of ${formatCount(tasks.length)} tasks of ${split} repeat another one.`,
    evidence: { task: example, numbers: `${formatCount(first.size)} are different` },
    advice: isFew
      ? "Remove the repeats: they weigh a task more than others, and an epoch takes longer."
      : "Nothing, if tasks are drawn at random or hide something that the prompt does not say.",
  };
}

/** Splits share no task. */

import { formatCount, formatQuantity } from "../../../shared/format.ts";
import { type CheckFinding, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { type Probe, taskName } from "../probe/probe.ts";
import { identifiedTasks, type KeyedTask, promptKeys } from "../probe/taskSample.ts";

/** From this share of different prompts in a split a prompt identifies its task. */
const IDENTIFYING = 0.9;
const MIN_PROMPTS = 8;

export const splitOverlap: EnvironmentCheck = {
  id: "split-overlap",
  rule: "No task is in two splits.",
  async run(probe) {
    const splits = await probe.filledSplits();
    if (splits.length < 2) return notMade("there is only one split with tasks");
    const identified = await identifiedTasks(probe);
    if (identified !== null) {
      return found(
        `${formatCount(identified.length)} tasks compared by their data`,
        ...overlaps(splits, identified, "tasks"),
      );
    }
    const prompts = await promptKeys(probe);
    if (!(await arePromptsIdentifying(probe, prompts))) {
      return notMade("the server gives no data of tasks, and prompts do not tell tasks apart");
    }
    return found(`${prompts.length} prompts compared`, ...overlaps(splits, prompts, "prompts"));
  },
};

/** False for games, whose prompts are often the same while their secrets differ. */
async function arePromptsIdentifying(probe: Probe, tasks: readonly KeyedTask[]): Promise<boolean> {
  for (const split of await probe.filledSplits()) {
    const keys = tasks.filter((task) => task.split === split).map(({ key }) => key);
    const isEnough = keys.length >= MIN_PROMPTS || keys.length === (await probe.numTasks(split));
    if (!isEnough || new Set(keys).size < IDENTIFYING * keys.length) return false;
  }
  return true;
}

function overlaps(
  splits: readonly string[],
  tasks: readonly KeyedTask[],
  what: "tasks" | "prompts",
): readonly CheckFinding[] {
  return splits.flatMap((split, position) =>
    splits.slice(position + 1).flatMap((other): readonly CheckFinding[] => {
      const known = new Map(
        tasks.filter((task) => task.split === split).map((task) => [task.key, task] as const),
      );
      const shared = tasks.filter((task) => task.split === other && known.has(task.key));
      const [example] = shared;
      if (example === undefined) return [];
      const twin = known.get(example.key);
      return [
        {
          severity: "defect",
          message: `${formatQuantity(shared.length, what.slice(0, -1))} of ${other} ${shared.length === 1 ? "is" : "are"} also in ${split}.`,
          evidence: {
            task: `${taskName(example)} and ${twin === undefined ? split : taskName(twin)}`,
            numbers: `${formatCount(shared.length)} of ${formatCount(tasks.filter((task) => task.split === other).length)} ${what} looked at`,
          },
          advice:
            "Separate the splits by what a task is: an evaluation on trained tasks measures memory.",
        },
      ];
    }),
  );
}

/** Samples of tasks: their data if the server provides it, and their prompts. */

import type { JsonObject } from "../../json.ts";
import type { PlayedTask, Probe } from "./probe.ts";

export interface PromptedTask extends PlayedTask {
  readonly prompt: string;
}

/** Prompts of sampled tasks of each split: half from its start, half spread over the rest. */
export function promptSample(probe: Probe): Promise<readonly PromptedTask[]> {
  return probe.once("promptSample", async () => {
    const sample: PromptedTask[] = [];
    for (const split of await probe.filledSplits()) {
      const count = await probe.numTasks(split);
      for (const index of sampledIndices(count, probe.options.tasks)) {
        const { prompt } = await probe.play({ split, index }, []);
        sample.push({ split, index, prompt });
      }
    }
    return sample;
  });
}

function sampledIndices(count: number, wanted: number): readonly number[] {
  if (count <= wanted) return Array.from({ length: count }, (_, index) => index);
  const first = Math.ceil(wanted / 2);
  const rest = wanted - first;
  const spread = Array.from(
    { length: rest },
    (_, i) => first + Math.floor((i * (count - first)) / rest),
  );
  return [...Array.from({ length: first }, (_, index) => index), ...spread];
}

export interface KeyedTask extends PlayedTask {
  /** Equal for identical tasks. */
  readonly key: string;
}

/** Prompts as keys. Tasks that hide something may have the same prompt. */
export async function promptKeys(probe: Probe): Promise<readonly KeyedTask[]> {
  return (await promptSample(probe)).map((task) => ({ ...task, key: task.prompt }));
}

/** Keys that number tasks but are not part of their content. */
const ID_KEY =
  /^(?:id|idx|index|uid|uuid|_id|task_?id|problem_?id|question_?id|sample_?id|split|number)$/i;

/**
 * The first tasks of each split, keyed by their data without ids. Null when the server provides no data that distinguishes tasks, for
 * example only an id.
 */
export function identifiedTasks(probe: Probe): Promise<readonly KeyedTask[] | null> {
  return probe.once("identifiedTasks", async () => {
    const tasks: KeyedTask[] = [];
    for (const split of await probe.filledSplits()) {
      const data = await probe.taskData(split);
      if (data === null) return null;
      const keyOf = (task: JsonObject): string => JSON.stringify(withoutIds(task));
      tasks.push(...data.map((each, index) => ({ split, index, key: keyOf(each) })));
    }
    const isDistinct = new Set(tasks.map(({ key }) => key)).size > 1;
    return isDistinct ? tasks : null;
  });
}

function withoutIds(data: JsonObject): JsonObject {
  const kept = Object.entries(data).filter(([key]) => !ID_KEY.test(key));
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

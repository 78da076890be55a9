/** Checks that tasks differ within and between splits. */

import { formatCount, formatQuantity } from "../../../shared/format.ts";
import { type CheckFinding, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { type PlayedTask, type Probe, taskName } from "../probe/probe.ts";
import { identifiedTasks, type KeyedTask, promptKeys, promptSample } from "../probe/taskSample.ts";

/** With this many different tasks, repeats are harmless: they come from a generator with few outcomes. */
const ENOUGH_TASKS = 64;
/** Fewer repeats are not worth reporting. */
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

/** `counts` is true when repeats affect training and keys are more than prompts, which do not show the secret of a game. */
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

/** Minimum share of different prompts in a split for prompts to identify tasks. */
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

/** Words per shingle. */
const WORDS = 4;
/** A shingle shared by more prompts than this belongs to the template and says nothing about the task. */
const TEMPLATE_SHARE = 0.2;
/** With fewer shingles of its own, a task cannot be compared. */
const MIN_SHINGLES = 8;
/** Jaccard similarity: shared shingles divided by all shingles of both. */
const THRESHOLD = 0.6;

interface Shingled extends PlayedTask {
  readonly prompt: string;
  readonly position: number;
  /** For each of its shingles, the positions of the prompts that contain it. */
  readonly holders: readonly (readonly number[])[];
}

export const nearOverlap: EnvironmentCheck = {
  id: "near-overlap",
  rule: "No prompt of a split has nearly the words of one in another split.",
  async run(probe) {
    const splits = await probe.filledSplits();
    if (splits.length < 2) return notMade("there is only one split with tasks");
    const tasks = ownShingles(await promptSample(probe));
    if (tasks.length === 0) return notMade("the prompts are too short or too alike to compare");
    const how = `${formatCount(tasks.length)} prompts compared by runs of ${WORDS} words that few prompts share; near from ${THRESHOLD * 100}% shared`;
    const pairs = nearPairs(tasks);
    const [example] = pairs;
    return found(how, example === undefined ? null : finding(example, pairs.length));
  },
};

interface NearPair {
  readonly one: Shingled;
  readonly other: Shingled;
  /** Jaccard index. */
  readonly similarity: number;
}

/** Similar pairs from different splits. Exact copies have their own check. */
function nearPairs(tasks: readonly Shingled[]): readonly NearPair[] {
  return tasks.flatMap((one, index) => {
    const shared = new Map<number, number>();
    for (const holder of one.holders.flat()) shared.set(holder, (shared.get(holder) ?? 0) + 1);
    return tasks.slice(index + 1).flatMap((other): readonly NearPair[] => {
      const both = shared.get(other.position) ?? 0;
      const similarity = both / (one.holders.length + other.holders.length - both);
      const isNear = similarity >= THRESHOLD && one.prompt !== other.prompt;
      return isNear && one.split !== other.split ? [{ one, other, similarity }] : [];
    });
  });
}

function finding({ one, other, similarity }: NearPair, count: number): CheckFinding {
  return {
    severity: "warning",
    message: `${count === 1 ? "A prompt has" : `${formatCount(count)} pairs of prompts have`} nearly the same words in two splits.`,
    evidence: {
      task: `${taskName(one)} and ${taskName(other)}`,
      numbers: `${Math.round(similarity * 100)}% of their word runs are shared`,
    },
    advice:
      "Put variants of one question into one split. Nothing, if a generator makes both splits from the same template on purpose.",
  };
}

/** Prompts with their shingles that are not part of a template, except those with too few. */
function ownShingles(
  tasks: readonly (PlayedTask & { readonly prompt: string })[],
): readonly Shingled[] {
  const positions = new Map<string, number[]>();
  const all = tasks.map((task, position) => {
    const holders = [...shinglesOf(task.prompt)].map((shingle) => {
      const known = positions.get(shingle) ?? [];
      if (known.push(position) === 1) positions.set(shingle, known);
      return known;
    });
    return { ...task, position, holders };
  });
  // In a small sample, too, two variants of a question may share their words.
  const most = Math.max(2, TEMPLATE_SHARE * tasks.length);
  return all
    .map((task) => ({ ...task, holders: task.holders.filter(({ length }) => length <= most) }))
    .filter(({ holders }) => holders.length >= MIN_SHINGLES);
}

function shinglesOf(prompt: string): ReadonlySet<string> {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.slice(WORDS - 1).map((_, end) => words.slice(end, end + WORDS).join(" ")));
}

/** Splits share no task in nearly the same words. */

import { formatCount } from "../../../shared/format.ts";
import { type CheckFinding, type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { type PlayedTask, taskName } from "../probe/probe.ts";
import { promptSample } from "../probe/taskSample.ts";

/** Words of a shingle. */
const WORDS = 4;
/** Shared by so many prompts, a shingle belongs to the template and says nothing of the task. */
const TEMPLATE_SHARE = 0.2;
/** Fewer shingles of its own say too little of a task. */
const MIN_SHINGLES = 8;
/** Shared shingles over all shingles of both. */
const THRESHOLD = 0.6;

interface Shingled extends PlayedTask {
  readonly prompt: string;
  readonly shingles: ReadonlySet<string>;
}

export const nearOverlap: EnvironmentCheck = {
  id: "near-overlap",
  rule: "No prompt of a split has nearly the words of one in another split.",
  async run(probe) {
    const splits = await probe.filledSplits();
    if (splits.length < 2) return notMade("there is only one split with tasks");
    const tasks = ownShingles(await promptSample(probe));
    if (tasks.length === 0) return notMade("the prompts are too short or too alike to compare");
    const how = `${formatCount(tasks.length)} prompts compared by runs of ${WORDS} words that few prompts share; near from ${THRESHOLD * 100} % shared`;
    const pairs = tasks.flatMap((task, position) =>
      tasks
        .slice(position + 1)
        .filter((other) => other.split !== task.split && isNear(task, other))
        .map((other) => [task, other] as const),
    );
    const [example] = pairs;
    return found(how, example === undefined ? null : finding(example, pairs.length));
  },
};

function finding([one, other]: readonly [Shingled, Shingled], count: number): CheckFinding {
  return {
    severity: "warning",
    message: `${count === 1 ? "A prompt has" : `${formatCount(count)} pairs of prompts have`} nearly the same words in two splits.`,
    evidence: {
      task: `${taskName(one)} and ${taskName(other)}`,
      numbers: `${Math.round(similarity(one, other) * 100)} % of their word runs are shared`,
    },
    advice:
      "Put variants of one question into one split. Nothing, if a generator makes both splits from the same template on purpose.",
  };
}

/** Prompts with the shingles that are not of a template; those with too few are left out. */
function ownShingles(
  tasks: readonly (PlayedTask & { readonly prompt: string })[],
): readonly Shingled[] {
  const all = tasks.map((task) => ({ ...task, shingles: shinglesOf(task.prompt) }));
  const frequency = new Map<string, number>();
  for (const { shingles } of all) {
    for (const each of shingles) frequency.set(each, (frequency.get(each) ?? 0) + 1);
  }
  // Two variants of a question share their words in a small sample, too.
  const most = Math.max(2, TEMPLATE_SHARE * tasks.length);
  return all
    .map((task) => ({
      ...task,
      shingles: new Set([...task.shingles].filter((each) => (frequency.get(each) ?? 0) <= most)),
    }))
    .filter(({ shingles }) => shingles.size >= MIN_SHINGLES);
}

function shinglesOf(prompt: string): ReadonlySet<string> {
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.slice(WORDS - 1).map((_, end) => words.slice(end, end + WORDS).join(" ")));
}

/** Exact copies are for the check of equal tasks. */
function isNear(one: Shingled, other: Shingled): boolean {
  return one.prompt !== other.prompt && similarity(one, other) >= THRESHOLD;
}

/** Jaccard's index. */
function similarity(one: Shingled, other: Shingled): number {
  const shared = [...one.shingles].filter((each) => other.shingles.has(each)).length;
  return shared / (one.shingles.size + other.shingles.size - shared);
}

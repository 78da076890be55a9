/**
 * Finds groups whose rollouts end alike. Compares sets of word triples ("shingles") by the Jaccard index (A. Broder, "On the
 * resemblance and containment of documents", 1997).
 */

import type { AlikeEndings } from "../../shared/changes.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { mean } from "../util/stats.ts";
import type { ListedRollout } from "./readSample.ts";

const WORDS_AT_END = 60;
const SHINGLE_WORDS = 3;
const ALIKE_FROM = 0.5;
/** Smaller clusters are not reported. */
const MIN_ALIKE = 3;
const MAX_CLUSTERS = 20;
const TEXT_CHARACTERS = 300;

interface Ending extends ListedRollout {
  readonly shingles: ReadonlySet<string>;
}

/** Takes the rollouts of one step. Returns the largest clusters first. */
export function alikeEndings(read: readonly ListedRollout[]): readonly AlikeEndings[] {
  const groups = groupBy(read, ({ summary }) => summary.group);
  return [...groups.values()]
    .flatMap((group) => clustersOf(group.map(toEnding)).map((own) => describe(own, group.length)))
    .sort((a, b) => b.rollouts.length - a.rollouts.length)
    .slice(0, MAX_CLUSTERS);
}

function toEnding(rollout: ListedRollout): Ending {
  const words = (
    endOf(rollout.record)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  ).slice(-WORDS_AT_END);
  const count = Math.max(1, words.length - SHINGLE_WORDS + 1);
  const shingles = Array.from({ length: count }, (_, at) =>
    words.slice(at, at + SHINGLE_WORDS).join(" "),
  );
  return { ...rollout, shingles: new Set(words.length === 0 ? [] : shingles) };
}

/** Text that the model wrote last. */
function endOf({ turns }: RolloutRecord): string {
  const last = turns.at(-1);
  return last === undefined ? "" : last.content || last.sampledText;
}

/** Each ending is added to the clusters that have a similar ending. These clusters are then merged. */
function clustersOf(endings: readonly Ending[]): readonly (readonly Ending[])[] {
  let clusters: (readonly Ending[])[] = [];
  for (const ending of endings.filter(({ shingles }) => shingles.size > 0)) {
    const joined = clusters.filter((own) => own.some((other) => isAlike(ending, other)));
    const others = clusters.filter((own) => !joined.includes(own));
    clusters = [...others, [...joined.flat(), ending]];
  }
  return clusters.filter(({ length }) => length >= MIN_ALIKE);
}

function isAlike({ shingles: a }: Ending, { shingles: b }: Ending): boolean {
  let shared = 0;
  for (const shingle of a) if (b.has(shingle)) shared += 1;
  return shared / (a.size + b.size - shared) >= ALIKE_FROM;
}

function describe(cluster: readonly Ending[], size: number): AlikeEndings {
  const sorted = cluster.toSorted((a, b) => a.summary.rollout - b.summary.rollout);
  const [first] = sorted;
  const rewards = sorted.flatMap(({ record: { reward } }) => reward ?? []);
  return {
    step: first?.summary.step ?? 0,
    group: first?.summary.group ?? 0,
    rollouts: sorted.map(({ summary }) => summary.rollout),
    size,
    taskKey: first?.summary.taskKey ?? "",
    rewardMean: mean(rewards),
    text: first === undefined ? "" : endOf(first.record).slice(-TEXT_CHARACTERS),
  };
}

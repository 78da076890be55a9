/** Reads some of a run's rollouts, evenly spread. */

import type { RolloutSummary, RunReader } from "../runFolder/reader.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { rolloutTexts } from "../search/rolloutTexts.ts";

/** A stored rollout and its entry in the index. */
export interface ListedRollout {
  readonly summary: RolloutSummary;
  readonly record: RolloutRecord;
}

/** At most `count` entries, including the first and the last. */
export function evenly<T>(entries: readonly T[], count: number): readonly T[] {
  if (entries.length <= count) return entries;
  const stride = (entries.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, at) => entries[Math.round(at * stride)]).filter(
    (entry) => entry !== undefined,
  );
}

/** At most `count` completely stored rollouts of a step. */
export async function readSome(
  reader: RunReader,
  summaries: readonly RolloutSummary[],
  count: number,
): Promise<readonly ListedRollout[]> {
  const read: ListedRollout[] = [];
  for (const summary of evenly(summaries, count)) {
    const record = await reader.body(summary);
    if (record !== null) read.push({ summary, record });
  }
  return read;
}

/** Texts that the model wrote: thinking, answers and calls. In calls, escaped whitespace in the JSON arguments is replaced by spaces. */
export function modelTexts(record: RolloutRecord): readonly string[] {
  return rolloutTexts(record)
    .filter(({ role }) => role === "thinking" || role === "answer" || role === "call")
    .map(({ role, text }) => (role === "call" ? text.replace(/\\[nrt]/g, " ") : text));
}

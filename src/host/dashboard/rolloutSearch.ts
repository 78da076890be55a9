/** Looks for words in what was said in rollouts. */

import type { RolloutSummary, RunReader } from "../../core/runFolder/reader.ts";
import type { RolloutRecord } from "../../core/runFolder/rolloutRecord.ts";

/** Bodies between two reports. */
const BODIES_PER_REPORT = 32;

export interface SearchReport {
  /** Found since the last report. */
  readonly found: readonly { readonly group: number; readonly rollout: number }[];
  readonly checked: number;
  readonly isComplete: boolean;
}

/**
 * Reads one body after another, so that other work goes on in between, and reports as it goes. All words must occur in the texts of
 * a rollout, upper and lower case alike. Whoever stops taking reports ends the search.
 */
export async function* searchRollouts(
  reader: RunReader,
  summaries: readonly RolloutSummary[],
  text: string,
): AsyncGenerator<SearchReport, void> {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  let found: { group: number; rollout: number }[] = [];
  for (const [index, summary] of summaries.entries()) {
    const body = await reader.body(summary);
    if (body !== null && holdsAll(body, words)) {
      found.push({ group: summary.group, rollout: summary.rollout });
    }
    const checked = index + 1;
    if (checked % BODIES_PER_REPORT !== 0 && checked < summaries.length) continue;
    yield { found, checked, isComplete: checked === summaries.length };
    found = [];
  }
  if (summaries.length === 0) yield { found, checked: 0, isComplete: true };
}

function holdsAll(record: RolloutRecord, words: readonly string[]): boolean {
  const texts = textsOf(record).map((text) => text.toLowerCase());
  return words.every((word) => texts.some((text) => text.includes(word)));
}

function textsOf({ systemText, promptText, turns, error }: RolloutRecord): readonly string[] {
  return [
    systemText ?? "",
    promptText,
    error ?? "",
    ...turns.flatMap(({ sampledText, results, nudge }) => [
      sampledText,
      nudge ?? "",
      ...results.map((result) => result.text),
    ]),
  ];
}

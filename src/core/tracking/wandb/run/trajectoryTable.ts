/** A table of some rollouts of a step, for the run's page. */

import type { FolderFiles } from "../../../ports.ts";
import { createRunReader, type RolloutSummary } from "../../../runFolder/reader.ts";
import { askedText, type RolloutRecord } from "../../../runFolder/rollouts/rolloutRecord.ts";
import type { ExtendedValue } from "./extendedJson.ts";
import type { Table } from "./tableFile.ts";

const MAX_ROWS = 32;
const MAX_TRANSCRIPT = 20_000;
const MAX_TEXT = 2_000;
/** Larger rollouts are skipped instead of loaded into memory. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

const COLUMNS = [
  "step",
  "group",
  "rollout",
  "task",
  "environment",
  "reward",
  "advantage",
  "turns",
  "tokens",
  "stop_reason",
  "final_answer",
  "transcript",
];

/** At most 32 rollouts, spread evenly over the step's groups; null if it has none. Steps, groups and rollouts are numbered from 1. */
export async function trajectoryTable(
  fileSystem: FolderFiles,
  folder: string,
  step: number,
): Promise<Table | null> {
  const reader = createRunReader(fileSystem, folder);
  const all = await reader.rollouts(step);
  const data: (readonly ExtendedValue[])[] = [];
  for (const summary of spread(all, MAX_ROWS)) {
    if (summary.length > MAX_BODY_BYTES) continue;
    const record = await reader.body(summary);
    if (record !== null) data.push(row(summary, record));
  }
  return data.length === 0 ? null : { columns: COLUMNS, data };
}

function spread<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items;
  return Array.from(
    { length: count },
    (_, i) => items[Math.floor((i * items.length) / count)],
  ).filter((item) => item !== undefined);
}

function row(summary: RolloutSummary, record: RolloutRecord): readonly ExtendedValue[] {
  return [
    summary.step + 1,
    summary.group + 1,
    summary.rollout + 1,
    summary.taskKey,
    summary.environment,
    summary.reward,
    summary.score?.advantage ?? null,
    summary.turns,
    summary.tokens,
    summary.stop,
    cut(record.turns.at(-1)?.content ?? "", MAX_TEXT),
    cut(transcript(record), MAX_TRANSCRIPT),
  ];
}

function transcript(record: RolloutRecord): string {
  const { systemText, turns, error } = record;
  const { group } = record.rewardBreakdown;
  const parts = [
    ...(systemText === null ? [] : [`[system]\n${systemText}`]),
    `[task]\n${askedText(record)}`,
    ...turns.flatMap(({ sampledText, results, nudge, asked }) => [
      ...(asked === undefined ? [] : [`[task]\n${asked}`]),
      `[model]\n${sampledText}`,
      ...results.map(({ name, text, reward }) => {
        const paid = reward === null ? "" : ` reward ${reward}`;
        return `[tool ${name}${paid}]\n${text}`;
      }),
      ...(nudge === null ? [] : [`[nudge]\n${nudge}`]),
    ]),
    ...(group === null ? [] : [`[score in the group]\n${group}`]),
    ...(error === null ? [] : [`[error]\n${error}`]),
  ];
  return parts.join("\n\n");
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Filters and sorts the rollout table, and defines its columns. */

import * as l10n from "@vscode/l10n";
import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import {
  formatCount,
  formatDuration,
  formatReward,
  formatSigned,
  formatTemperature,
  plural,
} from "../../../src/shared/format.ts";
import { isMarked, type Mark, NO_MARK } from "../../../src/shared/marks.ts";
import { isExample, outcomeText } from "../../../src/shared/outcome.ts";
import type { RolloutSource } from "../../../src/shared/rolloutSet.ts";
import { taskId } from "../../../src/shared/taskId.ts";
import type { RolloutFilter, Sorting } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import { stopText } from "../../text/stopText.ts";
import { visibleLine } from "../../text/visible.ts";
import { formatRolloutName, rolloutName } from "./rolloutGroups.ts";
import type { TableContext } from "./tableContext.ts";

export const NO_CONTEXT: TableContext = {
  groupOf: () => null,
  detailOf: () => null,
  markOf: () => NO_MARK,
};
const NOTHING_FOUND: ReadonlySet<string> = new Set();

export interface RolloutColumn {
  readonly key: Exclude<keyof typeof strings.trajectories.head, "example">;
  /** CSS grid width, with room for the head and its sort arrow. */
  readonly width: string;
  readonly isNumber: boolean;
  /** The source of rollouts that have this value; null = any. */
  readonly source: RolloutSource | null;
  readonly text: (row: RolloutRow, context: TableContext) => string;
  /** Sort key; null comes last. */
  readonly rank: (row: RolloutRow, context: TableContext) => number | string | null;
}

export const ROLLOUT_COLUMNS: readonly RolloutColumn[] = [
  {
    ...column("marks", "56px", false),
    text: (row, { markOf }) => markText(markOf(row)),
    rank: (row, { markOf }) => -markRank(markOf(row)),
  },
  {
    ...column("rollout", "88px", true),
    text: (row) => (isExample(row) ? formatCount(row.group + 1) : formatRolloutName(row)),
    rank: ({ group, rollout }) => group * 1e6 + rollout,
  },
  {
    ...column("taskText", "minmax(160px, 3fr)", false),
    text: (row) => visibleLine(row.taskText),
    rank: ({ environment, split, index }) => `${environment}:${split}:${index}`,
  },
  {
    ...column("reward", "84px", true),
    text: outcomeText,
    rank: ({ reward }) => reward,
  },
  {
    ...column("groupMean", "116px", true),
    text: (row, { groupOf }) => formatReward(groupOf(row)?.mean ?? null),
    rank: (row, { groupOf }) => groupOf(row)?.mean ?? null,
  },
  {
    ...column("advantage", "106px", true, "training"),
    text: ({ advantage }) => formatSigned(advantage),
    rank: ({ advantage }) => advantage,
  },
  {
    ...column("turns", "68px", true),
    text: ({ turns }) => String(turns),
    rank: ({ turns }) => turns,
  },
  {
    ...column("tokens", "78px", true),
    text: ({ tokens }) => formatCount(tokens),
    rank: ({ tokens }) => tokens,
  },
  {
    ...column("tools", "66px", true),
    text: ({ toolCalls, failedToolCalls }) =>
      failedToolCalls === 0 ? String(toolCalls) : `${toolCalls} (${failedToolCalls} ✕)`,
    rank: ({ toolCalls, failedToolCalls }) => toolCalls + failedToolCalls / 1e3,
  },
  {
    ...column("strip", "108px", false, "training"),
    text: () => "",
    rank: (row, { detailOf }) => meanLogprob(detailOf(row)?.strip ?? null),
  },
  {
    ...column("stop", "minmax(90px, 1.2fr)", false),
    text: ({ stop }) => stopText(stop),
    rank: ({ stop }) => stop,
  },
  {
    ...column("trainingUse", "minmax(72px, 1.6fr)", false, "training"),
    text: ({ trainingUse }) => trainingUseText(trainingUse),
    rank: ({ trainingUse }) => trainingUse,
  },
  {
    ...column("temperature", "minmax(112px, 1fr)", false, "evaluation"),
    text: ({ temperature }) => (temperature === null ? "" : formatTemperature(temperature)),
    rank: ({ temperature }) => temperature,
  },
  {
    ...column("environment", "minmax(120px, 1.2fr)", false),
    text: ({ environment }) => visibleLine(environment),
    rank: ({ environment }) => environment,
  },
  {
    ...column("split", "70px", false),
    text: ({ split }) => visibleLine(split),
    rank: ({ split }) => split,
  },
  {
    ...column("task", "60px", true),
    text: ({ index }) => String(index),
    rank: ({ index }) => index,
  },
  {
    ...column("duration", "90px", true),
    text: ({ durationMs }) => formatDuration(durationMs / 1000),
    rank: ({ durationMs }) => durationMs,
  },
];

function column(
  key: RolloutColumn["key"],
  width: string,
  isNumber: boolean,
  source: RolloutColumn["source"] = null,
) {
  return { key, width, isNumber, source };
}

/** Columns that the replay shows itself or that take too much space beside it. */
const HIDDEN_BESIDE_REPLAY: ReadonlySet<string> = new Set(["groupMean", "strip", "trainingUse"]);

/** Columns hidden for training examples, which were neither sampled nor rewarded. */
const HIDDEN_OF_EXAMPLES: ReadonlySet<string> = new Set([
  "reward",
  "groupMean",
  "advantage",
  "stop",
  "duration",
]);

/** True for a list of training examples. */
export function areExamples([first]: readonly RolloutRow[]): boolean {
  return first !== undefined && isExample(first);
}

/** Drops columns that are empty or the same in every row and, beside a replay, those that the replay shows. */
export function columnsOf(
  rows: readonly RolloutRow[],
  markOf: TableContext["markOf"],
  {
    isBesideReplay,
    hidden,
  }: { readonly isBesideReplay: boolean; readonly hidden: readonly string[] },
): readonly RolloutColumn[] {
  const areGiven = areExamples(rows);
  // A file opened for reading may not have been tokenized for any model.
  const isEmpty: Readonly<Record<string, boolean>> = {
    marks: !rows.some((row) => isMarked(markOf(row))),
    environment: new Set(rows.map(({ environment }) => environment)).size < 2,
    tokens: areGiven && !rows.some(({ tokens }) => tokens > 0),
    strip: !rows.some(({ streams }) => streams.length > 0),
  };
  return ROLLOUT_COLUMNS.filter(
    ({ key, source }) =>
      !hidden.includes(key) &&
      isEmpty[key] !== true &&
      !(isBesideReplay && HIDDEN_BESIDE_REPLAY.has(key)) &&
      !(areGiven && HIDDEN_OF_EXAMPLES.has(key)) &&
      (source === null || source === rows[0]?.source),
  );
}

/** `found` contains the names of rollouts whose messages match; see {@link rolloutName}. */
export function filterRows(
  rows: readonly RolloutRow[],
  filter: RolloutFilter,
  found: ReadonlySet<string> = NOTHING_FOUND,
  markOf: TableContext["markOf"] = () => NO_MARK,
): readonly RolloutRow[] {
  const { text, rewardLow, rewardHigh, stop, trainingUse, mark } = filter;
  const { environment, split, temperature, model } = filter;
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return rows.filter(
    (row) =>
      isWithin(row.reward, rewardLow, rewardHigh) &&
      (stop === "" || row.stop === stop) &&
      (trainingUse === "" || (row.trainingUse ?? "waiting") === trainingUse) &&
      (environment === "" || row.environment === environment) &&
      (split === "" || row.split === split) &&
      (temperature === null || (row.temperature ?? temperature) === temperature) &&
      (model === "" || (row.model ?? model) === model) &&
      hasMark(markOf(row), mark) &&
      (words.every((word) => matches(row, markOf(row), word)) || found.has(rolloutName(row))),
  );
}

/** A full task id matches exactly, so that task 2 does not find task 20 by its id. */
function matches(row: RolloutRow, mark: Mark, word: string): boolean {
  return taskId(row).toLowerCase() === word || searchText(row, mark).includes(word);
}

/** Stable, pinned rollouts first. */
export function sortRows(
  rows: readonly RolloutRow[],
  sorting: Sorting,
  context: TableContext = NO_CONTEXT,
): readonly RolloutRow[] {
  const sorted = ROLLOUT_COLUMNS.find(({ key }) => key === sorting.column);
  if (sorted === undefined) return rows;
  const direction = sorting.isDescending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const pinned = Number(context.markOf(b).pin) - Number(context.markOf(a).pin);
    if (pinned !== 0) return pinned;
    const [first, second] = [sorted.rank(a, context), sorted.rank(b, context)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    if (first !== second) return first < second ? -direction : direction;
    // Within a group, the best rollout comes first.
    return sorting.column === "groupMean" ? (b.reward ?? -Infinity) - (a.reward ?? -Infinity) : 0;
  });
}

export function isFiltered(filter: RolloutFilter): boolean {
  return Object.values(filter).some(
    (value) => typeof value === "number" || (value !== "" && typeof value === "string"),
  );
}

/** The number of shown rollouts out of all. */
export function countOfRollouts(shown: number, all: number): string {
  return shown === all
    ? plural(all, "{0} rollout", "{0} rollouts")
    : plural(all, "{1} of {0} rollout", "{1} of {0} rollouts", formatCount(shown));
}

export function trainingUseText(trainingUse: string | null): string {
  const text = strings.trajectories;
  if (trainingUse === null) return l10n.t("not scored yet");
  if (trainingUse === "trained") return l10n.t("trained");
  const why = visibleLine(trainingUse.replace(/^excluded:/, ""));
  return text.trainingUses[why] ?? l10n.t("skipped: {0}", why.replaceAll("_", " "));
}

function isWithin(reward: number | null, low: number | null, high: number | null): boolean {
  if (low === null && high === null) return true;
  if (reward === null) return false;
  return (
    (low === null || reward >= low - slackAt(low)) &&
    (high === null || reward <= high + slackAt(high))
  );
}

/** Histogram bounds are rounded to nine digits. */
function slackAt(bound: number): number {
  return 1e-8 * Math.max(1, Math.abs(bound));
}

/** `mark` as in {@link RolloutFilter}. */
function hasMark({ star, pin, note, tags }: Mark, mark: string): boolean {
  if (mark === "star") return star;
  if (mark === "pin") return pin;
  if (mark === "note") return note !== "";
  return mark === "" || tags.includes(mark.replace(/^tag:/, ""));
}

/** Tags and note; stars and pins are icons. */
function markText({ tags, note }: Mark): string {
  return [...tags.map(visibleLine), ...(note === "" ? [] : [visibleLine(note)])].join(", ");
}

function markRank({ star, pin, tags, note }: Mark): number {
  return 8 * Number(pin) + 4 * Number(star) + 2 * Number(tags.length > 0) + Number(note !== "");
}

function meanLogprob(strip: Float32Array | null): number | null {
  if (strip === null || strip.length === 0) return null;
  return strip.reduce((sum, value) => sum + value, 0) / strip.length;
}

function searchText(row: RolloutRow, { tags, note }: Mark): string {
  const { environment, split, index, stop, error } = row;
  const own = [
    environment,
    split,
    index,
    stop,
    error ?? "",
    formatRolloutName(row),
    trainingUseText(row.trainingUse),
    row.taskText,
    ...tags,
    note,
  ];
  return own.join(" ").toLowerCase();
}

/** Rollouts as a table, and what their training uses mean. */

import { formatCount, formatReward, formatSigned } from "../shared/format.ts";
import { BLANK, type Line, type Piece, styled } from "./line.ts";
import { remark } from "./showContext.ts";
import { type Column, tableLines } from "./table.ts";

/** What a table tells of a rollout. */
export interface RolloutRow {
  /** Which one it is, one cell for each column of `keys`. */
  readonly key: readonly string[];
  readonly environment: string;
  readonly split: string;
  /** Of the task in its split. */
  readonly index: number;
  readonly reward: number | null;
  /** Undefined where there is no training. */
  readonly score?: { readonly advantage: number | null; readonly trainingUse: string } | null;
  readonly stop: string;
  readonly turns: number;
  readonly tokens: number;
}

const FATES: Readonly<Record<string, { readonly short: string; readonly meaning: string }>> = {
  trained: { short: "trained", meaning: "" },
  "excluded:failed": { short: "failed", meaning: "it ended without a reward" },
  "excluded:failures": {
    short: "failures",
    meaning: "more rollouts of the group failed than max_failing_rollouts allows",
  },
  "excluded:too_few": { short: "too few", meaning: "one reward alone cannot be compared" },
  "excluded:zero_variance": {
    short: "equal",
    meaning: "all rewards of the group are equal, so it teaches nothing",
  },
};

/** The environments, then a table; `keys` are the titles of its first columns. */
export function rolloutTable(
  keys: readonly string[],
  rows: readonly RolloutRow[],
  width: number,
): readonly Line[] {
  const environments = [...new Set(rows.map(({ environment }) => environment))];
  const isScored = rows.some(({ score }) => score !== undefined);
  const scoreColumns: readonly Column[] = isScored
    ? [
        { title: "advantage", align: "right" },
        { title: "training", align: "left" },
      ]
    : [];
  const columns: readonly Column[] = [
    ...keys.map((title): Column => ({ title, align: "right" })),
    { title: "task", align: "left", canShrink: true },
    { title: "reward", align: "right" },
    ...scoreColumns,
    { title: "stop", align: "left", canShrink: true },
    { title: "turns", align: "right" },
    { title: "tokens", align: "right" },
  ];
  const cells = rows.map((row) => [
    ...row.key,
    taskLabel(row, environments.length > 1),
    row.reward === null ? styled("bad", "failed") : styled("strong", formatReward(row.reward)),
    ...(isScored ? scoreCells(row.score ?? null) : []),
    shortStop(row.stop),
    String(row.turns),
    formatCount(row.tokens),
  ]);
  const noun = environments.length === 1 ? "environment" : "environments";
  return [
    remark(`${noun} ${environments.join(", ")}`),
    BLANK,
    ...tableLines(columns, cells, width),
  ];
}

/** One line of explanation for each of `trainingUses` whose name does not explain it. */
export function trainingUseLegend(trainingUses: readonly string[]): readonly Line[] {
  return [...new Set(trainingUses)].flatMap((trainingUse) => {
    const known = FATES[trainingUse];
    return known === undefined || known.meaning === ""
      ? []
      : [remark(`${known.short}: not trained on, ${known.meaning}`)];
  });
}

/** A training use as a sentence part: `trained on`, or `not trained on: …`. */
export function describeTrainingUse(trainingUse: string): string {
  if (trainingUse === "trained") return "trained on";
  return `not trained on: ${FATES[trainingUse]?.meaning ?? trainingUse.replace("excluded:", "")}`;
}

/** Where there are several environments the task shows the last part of its own. */
function taskLabel({ environment, split, index }: RolloutRow, isMixed: boolean): string {
  const place = isMixed ? `${environment.slice(environment.lastIndexOf("/") + 1)} ` : "";
  return `${place}${split} ${index}`;
}

function scoreCells(
  score: { readonly advantage: number | null; readonly trainingUse: string } | null,
) {
  if (score === null) return ["", styled("quiet", "not scored")] satisfies Piece[];
  const { advantage, trainingUse } = score;
  const short = FATES[trainingUse]?.short ?? trainingUse.replace("excluded:", "");
  const shownUse: Piece = trainingUse === "trained" ? short : styled("warning", short);
  return [advantage === null ? "" : formatSigned(advantage, 3), shownUse];
}

function shortStop(stop: string): Piece {
  return stop === "reached_terminal_state" ? "finished" : styled("warning", stop);
}

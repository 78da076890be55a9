/** The columns of the runs table, for reading, sorting, and filtering. */

import * as l10n from "@vscode/l10n";
import {
  formatBounds,
  formatCost,
  formatCount,
  formatDuration,
  formatMeasure,
  formatReward,
  formatRounded,
} from "../../src/shared/format.ts";
import {
  type EvaluationDigest,
  LISTED_METRICS,
  type ListedMetric,
  type RunsTableRow,
} from "../../src/shared/runsPage.ts";
import { resultBy, type SweepMeasures, sweepBasis } from "../../src/shared/sweepResult.ts";
import { basisText, shortKey } from "../../src/shared/sweepText.ts";
import { runsStrings as text } from "../strings/runs.ts";
import { visibleLine } from "../text/visible.ts";
import type { RunsLayout } from "./layout.ts";
import { parentsOf } from "./lineage.ts";
import { DURATION, type FilterFields, type FilterValue, MOMENT, type Unit } from "./runFilter.ts";

/** The section of the column menu. */
export type ColumnSection = "run" | "results" | "settings";

export interface RunColumn {
  /** Also its name in filters. */
  readonly key: string;
  readonly head: string;
  /** Describes the column in a sentence. */
  readonly hint: string;
  readonly width: number;
  readonly section: ColumnSection;
  readonly isNumber: boolean;
  readonly isShownAtFirst: boolean;
  readonly value: (row: RunsTableRow) => FilterValue;
  /** Unit of its numbers in filters; absent for plain numbers. */
  readonly unit?: Unit;
  readonly text: (row: RunsTableRow) => string;
  /** Formats a number of the column. */
  readonly format: (value: number) => string;
  /** Shown in a group's head: the mean of its runs, with its spread, or the value that all share. */
  readonly inGroup: "mean" | "spread" | "shared" | "nothing";
}

const NONE = "–";
/** Key of a column that exists for sweeps only. */
export const COMPARED = "compared";
/** Number of settings shown by default. */
const FIRST_SETTINGS = 6;
/** Characters that fit the usual width. */
const LONG_HEAD = 14;

type NumberOf = (row: RunsTableRow) => number | null;

function numberColumn(
  key: string,
  read: NumberOf,
  format: (value: number) => string,
  {
    width = 118,
    isShownAtFirst = true,
    inGroup = "spread" as RunColumn["inGroup"], // any of them
    texts = text.columns[key],
  } = {},
): RunColumn {
  return {
    key,
    width,
    section: "results",
    isNumber: true,
    isShownAtFirst,
    format,
    value: read,
    inGroup,
    head: texts?.head ?? key,
    hint: texts?.hint ?? "",
    text: (row) => {
      const value = read(row);
      return value === null ? NONE : format(value);
    },
  };
}

function textColumn(key: string, read: (row: RunsTableRow) => string, width: number): RunColumn {
  const { head = key, hint = "" } = text.columns[key] ?? {};
  return {
    key,
    head,
    hint,
    width,
    section: "run",
    isNumber: false,
    isShownAtFirst: true,
    value: read,
    text: read,
    format: formatMeasure,
    inGroup: "nothing",
  };
}

const METRIC_KEYS: Readonly<Record<ListedMetric, string>> = {
  "rollout/success_frac": "success",
  "rollout/response_tokens/mean": "response_tokens",
  "rollout/turns/mean": "turns",
  loss: "loss",
  "optim/kl_sample_train_v2": "kl",
  "rollout/entropy": "entropy",
};

const MEAN = { width: 84, inGroup: "mean" } as const;

const NAME: readonly RunColumn[] = [
  textColumn("name", ({ name }) => visibleLine(name), 180),
  {
    ...textColumn("star", ({ mark }) => (mark.star ? "★" : "☆"), 44),
    value: ({ mark }) => mark.star,
  },
];

const PROGRESS: readonly RunColumn[] = [
  textColumn("state", ({ state }) => text.states[state], 92),
  numberColumn("reward.last", ({ reward }) => reward, formatReward),
  numberColumn("reward.best", ({ digest }) => digest?.best?.value ?? null, formatReward),
];

const LAST: readonly RunColumn[] = [
  numberColumn("reward.mean", ({ digest }) => digest?.mean ?? null, formatReward),
  {
    ...numberColumn("steps", ({ steps }) => steps, formatCount, MEAN),
    text: ({ steps, totalSteps }) =>
      totalSteps === null ? formatCount(steps) : `${formatCount(steps)}/${formatCount(totalSteps)}`,
  },
  {
    // Runs that only evaluate have no steps and thus no training time.
    ...numberColumn("time", ({ digest }) => digest?.seconds || null, formatDuration, {
      ...MEAN,
      width: 104,
    }),
    unit: DURATION,
  },
  numberColumn("tokens", ({ tokens }) => tokens, formatRounded, MEAN),
  numberColumn("cost", ({ costUsd }) => costUsd, formatCost, MEAN),
  {
    ...numberColumn("alarms", ({ digest }) => digest?.alarms ?? null, formatMeasure, MEAN),
    text: ({ digest }) => (digest === null ? NONE : formatCount(digest.alarms)),
  },
  {
    ...numberColumn("started", ({ startedAtMs }) => startedAtMs, formatStart, {
      width: 136,
      inGroup: "nothing",
    }),
    section: "run",
    unit: MOMENT,
  },
  ...LISTED_METRICS.map((metric) =>
    numberColumn(
      METRIC_KEYS[metric],
      ({ digest }) => digest?.metrics[metric] ?? null,
      formatMeasure,
      { isShownAtFirst: false, width: 132 },
    ),
  ),
];

let startFormat: Intl.DateTimeFormat | null = null;

/** The first call takes tens of milliseconds because the browser loads its date formats. */
export function formatStart(timeMs: number): string {
  startFormat ??= new Intl.DateTimeFormat([], { dateStyle: "short", timeStyle: "short" });
  return startFormat.format(timeMs);
}

/** All columns for these runs in their default order: results before settings. */
export function columnsFor(
  rows: readonly RunsTableRow[],
  settingKeys: readonly string[],
): readonly RunColumn[] {
  const reached = [...NAME, ...PROGRESS, ...evaluationColumns(rows), ...fitColumns(rows)];
  const origin = [lineageColumn(rows), sweepColumn(rows)];
  const marks = markColumns(rows);
  const taken = new Set([...reached, ...origin, ...marks, ...LAST].map(({ key }) => key));
  const varied = variedKeys(rows, settingKeys);
  const others = settingKeys.filter((key) => !varied.includes(key));
  const shownKeys = [...varied, ...others].slice(0, FIRST_SETTINGS);
  const settingColumns = (keys: readonly string[]): readonly RunColumn[] =>
    keys.map((key) =>
      settingColumn(key, {
        key: taken.has(key) ? `config.${key}` : key,
        head: shortKey(key, settingKeys),
        isShownAtFirst: shownKeys.includes(key),
      }),
    );
  const [first, rest] = [settingColumns(varied), settingColumns(others)];
  return [...reached, ...origin, ...first, ...marks, ...rest, ...LAST];
}

/** Settings varied by the sweeps among the runs, in the sweeps' order. */
export function variedKeys(
  rows: readonly RunsTableRow[],
  settingKeys: readonly string[],
): readonly string[] {
  const keys = new Set(rows.flatMap(({ sweep }) => Object.keys(sweep?.settings ?? {})));
  return [...keys].filter((key) => settingKeys.includes(key));
}

/** Shown if a run starts from the weights of another. */
function lineageColumn(rows: readonly RunsTableRow[]): RunColumn {
  const parents = parentsOf(rows);
  const nameOf = ({ id }: RunsTableRow): string | null => parents.get(id)?.name ?? null;
  return {
    ...textColumn("lineage", (row) => visibleLine(nameOf(row) ?? ""), 180),
    value: nameOf,
    isShownAtFirst: parents.size > 0,
    inGroup: "shared",
  };
}

/** Shown if a run belongs to a sweep. */
function sweepColumn(rows: readonly RunsTableRow[]): RunColumn {
  return {
    ...textColumn("sweep", ({ sweep }) => (sweep === null ? NONE : visibleLine(sweep.name)), 130),
    value: ({ sweep }) => sweep?.name ?? null,
    isShownAtFirst: rows.some(({ sweep }) => sweep !== null),
    inGroup: "shared",
  };
}

/** Shown if a run has them. */
function fitColumns(rows: readonly RunsTableRow[]): readonly RunColumn[] {
  const column = (key: string, read: NumberOf): RunColumn =>
    numberColumn(key, read, formatMeasure, {
      width: 112,
      isShownAtFirst: rows.some((row) => read(row) !== null),
    });
  return [
    column("held_out_loss", ({ fit }) => fit?.heldOut ?? null),
    column("mean_loss", ({ fit }) => fit?.now ?? null),
  ];
}

/** Shown if a run has them. */
function markColumns(rows: readonly RunsTableRow[]): readonly RunColumn[] {
  const tags = textColumn("tags", ({ mark }) => visibleLine(mark.tags.join(", ")), 120);
  const note = textColumn("note", ({ mark }) => visibleLine(mark.note), 160);
  return [
    { ...tags, isShownAtFirst: rows.some(({ mark }) => mark.tags.length > 0) },
    { ...note, isShownAtFirst: rows.some(({ mark }) => mark.note !== "") },
  ];
}

/** Settings offered for grouping: those varied by sweeps, then others that put at least two runs together and at least two apart. */
export function offeredGroupings(
  rows: readonly RunsTableRow[],
  settingKeys: readonly string[],
): { readonly varied: readonly string[]; readonly others: readonly string[] } {
  const varied = variedKeys(rows, settingKeys);
  const others = settingKeys.filter((key) => {
    if (varied.includes(key)) return false;
    const known = rows.flatMap(({ settings }) => settings[key] ?? []);
    const values = new Set(known).size;
    return values >= 2 && values < known.length;
  });
  return { varied, others };
}

/**
 * Columns that a sweep's runs can be compared by, the default first: numeric columns with a value, results before costs. Without any
 * result yet, the reward comes first.
 */
export function resultColumns(
  columns: readonly RunColumn[],
  rows: readonly RunsTableRow[],
): readonly RunColumn[] {
  const isMeasuredByAll = rows.every(({ fit }) => fit?.heldOut !== null);
  const numbers = columns.filter(
    ({ key, isNumber, inGroup }) =>
      isNumber && inGroup !== "nothing" && (key !== "held_out_loss" || isMeasuredByAll),
  );
  const known = numbers.filter(({ value }) => rows.some((row) => typeof value(row) === "number"));
  const reached = known.filter(({ inGroup }) => inGroup === "spread");
  const first = reached.length > 0 ? reached : numbers.slice(0, 1);
  return [...first, ...known.filter((column) => !reached.includes(column))];
}

/** The measure that the terminal and reports compare sweeps by; null if that is a loss, which has its own column. */
export function comparedColumn(rows: readonly RunsTableRow[]): RunColumn | null {
  const measuresOf = ({ state, steps, fit, swept }: RunsTableRow): SweepMeasures => ({
    isDone: state === "done",
    steps,
    fit,
    recentReward: swept?.recentReward ?? null,
    evaluated: swept?.evaluated ?? [],
  });
  const basis = sweepBasis(rows.map(measuresOf));
  if (basis.kind !== "evaluation" && basis.kind !== "reward") return null;
  const head =
    basis.kind === "evaluation"
      ? l10n.t("Evaluation at {0}", basis.step)
      : l10n.t("Reward of the last 5 steps");
  const texts = { head, hint: visibleLine(basisText(basis)) };
  return numberColumn(COMPARED, (row) => resultBy(basis, measuresOf(row)), formatReward, { texts });
}

/** The visible columns in the user's order. */
export function shownColumns(
  columns: readonly RunColumn[],
  { order, shown }: Pick<RunsLayout, "order" | "shown">,
): readonly RunColumn[] {
  return inOrder(columns, order).filter(({ key, isShownAtFirst }) => shown[key] ?? isShownAtFirst);
}

/** A column that was never moved stays behind its default predecessor. */
export function inOrder(
  columns: readonly RunColumn[],
  order: readonly string[],
): readonly RunColumn[] {
  if (order.length === 0) return columns;
  const place = new Map(order.map((key, index) => [key, index]));
  let last = -1;
  const placed = columns.map((column) => {
    last = place.get(column.key) ?? last;
    return { column, place: place.get(column.key) ?? last + 0.5 };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ column }) => column);
}

/** Filter fields: columns by key, and settings also by the last part of their key if it is unique. */
export function filterFields(
  columns: readonly RunColumn[],
  shown: readonly RunColumn[] = columns,
): FilterFields<RunsTableRow> {
  const byName = new Map<string, RunColumn | null>();
  for (const column of columns) {
    const last = column.key.replace(/^.*\./, "");
    byName.set(last, byName.has(last) ? null : column);
  }
  for (const column of columns) byName.set(column.key, column);
  const [firstEvaluation] = columns.filter(({ key }) => key.startsWith("eval."));
  if (firstEvaluation !== undefined) byName.set("eval", firstEvaluation);
  const textColumns = columns.filter(({ isNumber }) => !isNumber);
  return {
    field: (name) => byName.get(name) ?? byName.get(name.toLowerCase()) ?? null,
    text: (row) => textColumns.map((column) => column.text(row)).join("\n"),
    names: [...byName].flatMap(([name, column]) => (column === null ? [] : [name])),
    examples: shown.map(({ key }) => key),
  };
}

function evaluationColumns(rows: readonly RunsTableRow[]): readonly RunColumn[] {
  const cells = new Set(rows.flatMap(({ digest }) => Object.keys(digest?.evaluations ?? {})));
  const sorted = [...cells].sort();
  const heads = evaluationHeads(sorted);
  return sorted.map((cell, index) => evaluationColumn(cell, heads[index] ?? cell));
}

/** Column heads: the parts of each name that not all cells share. */
function evaluationHeads(cells: readonly string[]): readonly string[] {
  const parts = cells.map((cell) => /^(?:.*\/)?(.+) (\S+) (greedy|temperature \S+)$/.exec(cell));
  return parts.map((own, at) => {
    if (own === null) return visibleLine(cells[at] ?? "");
    const differing = own
      .slice(1)
      .filter((part, index) => parts.some((other) => other?.[index + 1] !== part));
    if (differing.length === 0 && cells.length > 1) return visibleLine(cells[at] ?? "");
    return differing.length === 0
      ? l10n.t("Evaluation")
      : l10n.t("Eval {0}", visibleLine(differing.join(" ")));
  });
}

function evaluationColumn(cell: string, head: string): RunColumn {
  const read = ({ digest }: RunsTableRow): EvaluationDigest | null =>
    digest?.evaluations[cell] ?? null;
  const shown = visibleLine(cell);
  return {
    ...numberColumn(`eval.${cell}`, (row) => read(row)?.mean ?? null, formatReward, {
      width: 132,
      texts: {
        head,
        hint: l10n.t("Newest evaluation of {0}, with its 95% confidence interval", shown),
      },
    }),
    text: (row) => {
      const found = read(row);
      if (found === null) return NONE;
      const failed = found.failed === 0 ? "" : text.failed(found.failed);
      const model = visibleLine(found.model ?? "");
      const parts = [formatReward(found.mean), formatBounds(found), failed, model];
      return parts.filter(Boolean).join(" ");
    },
  };
}

/** `shown` has its unique key, its head, and whether it is shown by default. */
function settingColumn(
  key: string,
  { head, ...shown }: Pick<RunColumn, "key" | "head" | "isShownAtFirst">,
): RunColumn {
  return {
    ...shown,
    head: visibleLine(head),
    hint: visibleLine(key),
    width: head.length > LONG_HEAD ? 180 : 116,
    section: "settings",
    isNumber: false,
    value: ({ settings }) => settingValue(settings[key]),
    format: settingNumber,
    inGroup: "shared",
    text: ({ settings }) => settingText(settings[key]),
  };
}

/** A setting's value, given as JSON; `–` for none. */
export function settingText(json: string | undefined): string {
  const value = settingValue(json);
  if (typeof value === "number") return settingNumber(value);
  return value === null ? NONE : visibleLine(String(value));
}

/** Small numbers get an exponent, so that learning rates of 1e-3 and 1e-4 look alike. */
function settingNumber(value: number): string {
  return value !== 0 && Math.abs(value) < 1e-2 ? value.toExponential() : String(value);
}

/** Undefined and null mean that the run has no value. */
function settingValue(json: string | undefined): FilterValue {
  if (json === undefined) return null;
  try {
    const value: unknown = JSON.parse(json);
    if (value === null) return null;
    return typeof value === "object" ? json : (value as string | number | boolean); // JSON has no others
  } catch {
    // A long value that was truncated.
    return json;
  }
}

/** Derives what the timeline draws. */

import * as l10n from "@vscode/l10n";
import {
  endOf,
  startOf,
  TIME_KINDS,
  type TimeKind,
  type Timeline,
  type TimelineRow,
  type TimeSpan,
} from "../../../src/shared/timeline.ts";
import type { NumberTable } from "../../controls/export.ts";
import { timelineStrings as text } from "../../strings/timeline.ts";

export const ORDERS = ["group", "start", "end", "duration", "path"] as const;
export type Order = (typeof ORDERS)[number];

export interface KindTotal {
  readonly kind: TimeKind;
  readonly ms: number;
}

/** Time by kind, in fixed order, without kinds that took none. */
export function totals(spans: readonly TimeSpan[]): readonly KindTotal[] {
  return TIME_KINDS.map((kind) => ({
    kind,
    ms: spans.reduce((sum, span) => sum + (span.kind === kind ? span.toMs - span.fromMs : 0), 0),
  })).filter(({ ms }) => ms > 0);
}

/** Smaller shares of a total are not visible. */
const MIN_SHARE = 0.005;

/** The visible kinds with their time on the critical path; null for kinds that appear only in other bars. */
export function legendOf({ path, phases, rows }: Timeline) {
  const onPath = shownKinds(totals(path));
  const inBars = shownKinds(totals([...rows.flatMap(({ spans }) => spans), ...phases]));
  return TIME_KINDS.filter((kind) => onPath.has(kind) || inBars.has(kind)).map((kind) => ({
    kind,
    ms: onPath.get(kind) ?? null,
  }));
}

function shownKinds(kinds: readonly KindTotal[]): ReadonlyMap<TimeKind, number> {
  const all = kinds.reduce((sum, { ms }) => sum + ms, 0);
  return new Map(
    kinds.flatMap(({ kind, ms }) => (ms < MIN_SHARE * all ? [] : [[kind, ms] as const])),
  );
}

/** Row indices in display order. */
export function ordered({ rows, path }: Timeline, order: Order): readonly number[] {
  const all = [...rows.keys()];
  const onPath = new Set(path.map(({ row }) => row));
  const rank = (at: number): number => {
    const row = rows[at];
    if (row === undefined) return 0;
    switch (order) {
      case "group":
        return at;
      case "start":
        return startOf(row);
      case "end":
        return -endOf(row);
      case "duration":
        return startOf(row) - endOf(row);
      case "path":
        return onPath.has(at) ? -endOf(row) : Number.MAX_SAFE_INTEGER;
    }
  };
  return all.sort((a, b) => rank(a) - rank(b) || a - b);
}

/** Seconds per rollout and kind. */
export function timelineTable({ rows }: Timeline, order: readonly number[]): NumberTable {
  const kinds = totals(rows.flatMap(({ spans }) => spans)).map(({ kind }) => kind);
  return {
    heads: [
      ...[l10n.t("group"), l10n.t("rollout"), l10n.t("start"), l10n.t("end"), l10n.t("in total")],
      ...kinds.map((kind) => text.kinds[kind]),
    ],
    rows: order.flatMap((at) => {
      const row = rows[at];
      if (row === undefined) return [];
      const own = new Map(totals(row.spans).map(({ kind, ms }) => [kind, ms]));
      const times = [startOf(row), endOf(row), endOf(row) - startOf(row)];
      const seconds = [...times, ...kinds.map((kind) => own.get(kind) ?? 0)].map((ms) => ms / 1000);
      return [[row.group + 1, row.rollout + 1, ...seconds]];
    }),
  };
}

export function rowText(row: TimelineRow): string {
  const spans = totals(row.spans)
    .map(({ kind, ms }) => `${text.kinds[kind]} ${text.duration(ms)}`)
    .join(", ");
  const total = text.duration(endOf(row) - startOf(row));
  const name = text.rolloutName(row);
  return l10n.t("{0}, {1}: {2} in total, {3}", name, row.environment, total, spans);
}

const TICK_STEPS_S = [
  ...[0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => 60 * minutes),
  ...[1, 2, 3, 6, 12, 24].map((hours) => 3_600 * hours),
];

/** Round times within a range, at most `most` of them. */
export function ticks(fromMs: number, toMs: number, most: number): readonly number[] {
  const stepMs =
    1000 * (TICK_STEPS_S.find((s) => (toMs - fromMs) / (1000 * s) <= most) ?? 24 * 3_600);
  const first = Math.ceil(fromMs / stepMs);
  const count = Math.min(50, Math.floor(toMs / stepMs) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * stepMs);
}

/** Formats numbers for axes and readouts. */

import * as l10n from "@vscode/l10n";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatExact,
  formatMeasure,
  formatReward,
  plural,
} from "../../src/shared/format.ts";
import { digitsOf, formatTick } from "../../src/shared/formatTick.ts";
import type { XAxis } from "./xAxis.ts";

/** A tick of the horizontal axis; `step` as in {@link formatTick}. */
export function formatXTick(axis: XAxis, value: number, step = 0): string {
  switch (axis) {
    case "step":
      return formatCount(value);
    case "tokens":
      return formatTick(value, step);
    case "cost":
      return `$${formatTick(value, step)}`;
    case "active":
      return shortDuration(value, step);
    case "wall":
      return shortTime(new Date(value), step);
  }
}

/** Describes a position on the horizontal axis. */
export function formatXValue(axis: XAxis, value: number): string {
  switch (axis) {
    case "step":
      return l10n.t("step {0}", formatCount(value));
    case "tokens":
      return plural(value, "{0} token", "{0} tokens");
    case "cost":
      return formatCost(value);
    case "active":
      return formatDuration(value);
    case "wall":
      return new Date(value).toLocaleString([], { dateStyle: "short", timeStyle: "medium" });
  }
}

/** A value in a readout; a dash for gaps. */
export function formatValue(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return formatMeasure(null);
  return Number.isInteger(value) && Math.abs(value) < 1e7
    ? formatExact(value)
    : formatMeasure(value);
}

/** A reward in a readout; a dash for gaps. */
export function formatRewardValue(value: number | undefined): string {
  return formatReward(value === undefined || Number.isNaN(value) ? null : value);
}

function shortDuration(seconds: number, step: number): string {
  if (seconds < 60 && step < 60) return `${Number(seconds.toFixed(digitsOf(step)))} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), Math.round((seconds % 60) * 10) / 10];
  if (step > 0 && step < 60) return `${minutes}:${rest < 10 ? "0" : ""}${rest}`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  return `${Number((seconds / 3_600).toFixed(step < 1_800 ? 2 : 1))} h`;
}

const HOUR_MS = 3_600_000;
/** From this tick distance on, an axis may span more than a day. */
const LONG_STEP_MS = 2 * HOUR_MS;
/** From this tick distance on, it may span more than a year. */
const LONGEST_STEP_MS = 14 * 24 * HOUR_MS;

function shortTime(date: Date, step: number): string {
  const day = { month: "short", day: "numeric" } as const;
  const minute = { hour: "2-digit", minute: "2-digit" } as const;
  if (step >= LONGEST_STEP_MS) return date.toLocaleDateString([], { ...day, year: "numeric" });
  if (step >= 24 * HOUR_MS) return date.toLocaleDateString([], day);
  if (step >= LONG_STEP_MS) return date.toLocaleString([], { ...day, ...minute });
  const second = step > 0 && step < 60_000 ? ({ second: "2-digit" } as const) : {};
  return date.toLocaleTimeString([], { ...minute, ...second });
}

/** How numbers stand on axes and in readouts. */

import { formatCount, formatDuration, formatMeasure } from "../../src/shared/format.ts";
import type { XAxis } from "./xAxis.ts";

/** A tick of the vertical axis: short. */
export function formatTick(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e6) return `${trimmed(value / 1e6)}M`;
  if (size >= 1e4) return `${trimmed(value / 1e3)}k`;
  if (size < 1e-3) return value.toExponential(0);
  return String(Number(value.toPrecision(4)));
}

/** A tick of the horizontal axis. */
export function formatXTick(axis: XAxis, value: number): string {
  switch (axis) {
    case "step":
      return formatCount(value);
    case "tokens":
      return formatTick(value);
    case "active":
      return value < 60 ? `${trimmed(value)} s` : shortDuration(value);
    case "wall":
      return new Date(value).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }
}

/** A place on the horizontal axis in words. */
export function formatXValue(axis: XAxis, value: number): string {
  switch (axis) {
    case "step":
      return `step ${formatCount(value)}`;
    case "tokens":
      return `${formatCount(value)} tokens`;
    case "active":
      return formatDuration(value);
    case "wall":
      return new Date(value).toLocaleString([], { dateStyle: "short", timeStyle: "medium" });
  }
}

/** A value in a readout; gaps are a dash. */
export function formatValue(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? formatMeasure(null) : formatMeasure(value);
}

function shortDuration(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${trimmed(minutes / 60)} h`;
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(1)));
}

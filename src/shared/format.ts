/** Formats numbers and durations for display, identically in the terminal and the editor. */

import * as l10n from "@vscode/l10n";
import type { MeanInterval } from "./interval.ts";

const BLOCKS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
const NOTHING = "–";

/** An integer with thousands separators: `4,812`. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Three significant digits with a unit suffix: `812`, `4.81k`, `12.3M`, `1.20e+18`. */
export function formatRounded(value: number): string {
  if (Math.abs(value) >= 1e15) return value.toExponential(2);
  const units = ["", "k", "M", "G", "T"];
  let power = 0;
  let rounded = Math.round(value);
  while (Math.abs(rounded) >= 1000 && power < units.length - 1) {
    power += 1;
    rounded = Number((value / 1000 ** power).toPrecision(3));
  }
  return `${rounded}${units[power]}`;
}

/** Rewards from here on are rounded. */
const LARGE_REWARD = 1e5;
/** Below this, two decimals say little about a reward. */
const SMALL_REWARD = 0.005;
/** Anything smaller is a rounding error. */
const NO_REWARD = 1e-9;

/**
 * A reward with two decimals, or three significant digits if it is very small or large: `0.25`, `1,234.50`, `0.00120`, `5.75G`; `–` for
 * null.
 */
export function formatReward(value: number | null): string {
  return value === null ? NOTHING : rewardFormat(value)(value);
}

/** The format for rewards shown next to one of this magnitude. */
function rewardFormat(value: number): (value: number) => string {
  const size = Math.abs(value);
  if (size >= LARGE_REWARD) return formatRounded;
  return size < SMALL_REWARD && size > NO_REWARD ? formatMeasure : formatDecimals;
}

function formatDecimals(value: number): string {
  return formatFixed(value, 2);
}

/** A difference or advantage with its sign and `digits` decimals: `+0.53`; `–` for null. */
export function formatSigned(value: number | null, digits = 2): string {
  if (value === null) return NOTHING;
  const text = formatFixed(value, digits);
  return text.startsWith("-") ? text : `+${text}`;
}

/** The bounds of an interval, written with `format` (default: as rewards): `[0.12, 0.34]`; empty if there is no interval. */
export function formatBounds(
  { low, high }: Pick<MeanInterval, "low" | "high">,
  format?: (value: number) => string,
): string {
  if (low === null || high === null) return "";
  const write = format ?? rewardFormat(Math.max(Math.abs(low), Math.abs(high)));
  return `[${write(low)}, ${write(high)}]`;
}

/** A change with its interval: `+0.31 [+0.24, +0.38]`. */
export function formatChange(change: MeanInterval): string {
  return [formatSigned(change.mean), formatBounds(change, formatSigned)].join(" ").trimEnd();
}

/** Any measure with three significant digits: `-12.3`, `0.00412`, `18,240`, `12.3M`, `1.20e-7`; `–` for null. */
export function formatMeasure(value: number | null): string {
  if (value === null) return NOTHING;
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e7) return formatRounded(value);
  if (size < 1e-4) return value.toExponential(2);
  const rounded = value.toPrecision(3);
  return Math.abs(Number(rounded)) >= 1000 ? formatCount(value) : rounded;
}

/** USD: `$0.00123`, `$0.09`, `$4.56`, `$1,234`. */
export function formatCost(usd: number): string {
  if (usd >= 999.995) return `$${formatCount(usd)}`;
  return usd >= 0.00995 || usd === 0 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(3)}`;
}

/**
 * A shared format for the numbers of one column, so that decimal points align: about four digits of the largest; integers stay integers.
 */
export function columnFormat(values: readonly (number | null)[]): (value: number | null) => string {
  const known = values.filter((value): value is number => Number.isFinite(value));
  if (known.every(Number.isInteger)) return formatExact;
  const size = Math.max(...known.map(Math.abs));
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  const write = (value: number): string =>
    digits > 6 ? value.toExponential(2) : formatFixed(value, digits);
  return (value) => (value === null || !Number.isFinite(value) ? formatExact(value) : write(value));
}

/** The exact value, up to six significant digits, integers in full: `0.125`, `184,162`; `–` for null. */
export function formatExact(value: number | null): string {
  if (value === null) return NOTHING;
  const exact = Number.isSafeInteger(value) ? value : Number(value.toPrecision(6));
  return String(exact).replace(/\d+(?=\.|$)/, (whole) => formatCount(Number(whole)));
}

/** A configuration key as overrides accept it: `environments.local/calculator.max_turns`, with quotes around parts that contain a dot. */
export function formatKey(path: readonly string[]): string {
  return path.map((part) => (/[.="']/.test(part) ? `"${part}"` : part)).join(".");
}

/** A fraction from 0 to 1: `0%`, `0.4%`, `37%`; never rounded to 0% or 100%. */
export function formatShare(share: number): string {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.1) return "under 0.1%";
  if (percent < 100 && percent > 99) return `${roundHalfUp(Math.min(99.9, percent), 1)}%`;
  return `${Number(roundHalfUp(percent, percent < 10 ? 1 : 0))}%`;
}

/** A file size in binary units: `812 B`, `3.4 KiB`, `1.2 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let power = 0;
  let value = bytes;
  // Values above bytes are rounded, and 999.5 would round to four digits.
  while (value >= (power === 0 ? 1024 : 999.5) && power < units.length - 1) {
    power += 1;
    value = bytes / 1024 ** power;
  }
  return `${power === 0 ? value : value.toPrecision(value < 10 ? 2 : 3)} ${units[power]}`;
}

/** Download progress, such as `a.safetensors  1.5 MiB of 4 MiB`; null = total size unknown. */
export function formatDownload(name: string, bytes: number, totalBytes: number | null): string {
  const received = formatBytes(bytes);
  return totalBytes === null
    ? `${name}  ${received}`
    : l10n.t("{0}  {1} of {2}", name, received, formatBytes(totalBytes));
}

/** From here on, durations are given in days. */
const LONG_H = 48;

/** `0.8 s`, `35 s`, `2 min 05 s`, `1 h 12 min`, `7 d 0 h`. */
export function formatDuration(seconds: number): string {
  if (seconds <= -9.95) return `-${formatDuration(-seconds)}`;
  if (seconds < 9.95) return `${withoutMinusZero(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${twoDigits(whole % 60)} s`;
  const minutes = Math.round(whole / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= LONG_H) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  return `${hours} h ${twoDigits(minutes % 60)} min`;
}

/** The translated `one` if `count` is 1, else `other`. `{0}` in them is `count`, `{1}` the first of `values`. */
export function plural(
  count: number,
  one: string,
  other: string,
  ...values: readonly (string | number)[]
): string {
  // The build extracts messages from literal `l10n.t` calls; it also recognizes the arguments of `plural` at its call sites.
  return l10n.t(count === 1 ? one : other, formatCount(count), ...values);
}

/** A count with its noun, in English, for errors and logs: `1 step`, `1,200 steps`. */
export function formatQuantity(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** One block character per value, scaled between `low` and `high`; a space for null. */
export function sparkline(
  values: readonly (number | null)[],
  { low, high }: { readonly low: number; readonly high: number },
): string {
  const span = high - low;
  return values
    .map((value) => {
      if (value === null) return " ";
      const share = span > 0 ? (value - low) / span : 0;
      return BLOCKS[Math.min(7, Math.max(0, Math.floor(share * 8)))] ?? " ";
    })
    .join("");
}

/** The label for a sampling temperature: `greedy` or `temperature 1`. */
export function formatTemperature(temperature: number): string {
  return temperature === 0 ? l10n.t("greedy") : l10n.t("temperature {0}", temperature);
}

/** `2026-11-22 09:05:07`, in local time. */
export function formatLocalTime(timeMs: number): string {
  const at = new Date(timeMs);
  const day = [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-");
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(":")}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** Fixed decimals with thousands separators. */
function formatFixed(value: number, digits: number): string {
  const [whole = "", ...decimals] = roundHalfUp(value, digits).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...decimals].join(".");
}

/** Fixed decimals. Rounds halves away from zero, even if rounding errors put a sum slightly below one: 0.37499999999999994 as 0.375. */
function roundHalfUp(value: number, digits: number): string {
  const error = Math.min(Math.abs(value) * 1e-12, 1e-9);
  return withoutMinusZero((value + Math.sign(value) * error).toFixed(digits));
}

function withoutMinusZero(text: string): string {
  return /^-0(\.0+)?$/.test(text) ? text.slice(1) : text;
}

/** As a whole percentage. */
export function formatPercent(share: number): string {
  return `${roundHalfUp(100 * share, 0)}%`;
}

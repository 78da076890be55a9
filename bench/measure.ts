/** Measures work in CPU seconds of this process, so that other load on the machine matters little. */

export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

export const REPEATS = 5;

/** CPU seconds spent in `action`. */
function cpuSeconds(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** CPU seconds of one call: median of several, after a warm-up. */
export function medianSeconds(action: () => void): number {
  action();
  return median(Array.from({ length: REPEATS }, () => cpuSeconds(action)));
}

/** Tokens per CPU second of an action that processes `tokens` tokens. */
export function rate(name: string, tokens: number, action: () => void): Measurement {
  return { name, value: tokens / medianSeconds(action), unit: "tokens per CPU-second" };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function residentMegabytes(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}

/** One line per measurement with three significant digits. */
export function print({ name, value, unit }: Measurement): void {
  const digits = value >= 100 ? value.toFixed(0) : value.toPrecision(3);
  console.log(`${name.padEnd(44)} ${digits.padStart(8)} ${unit}`);
}

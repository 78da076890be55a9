/** Prints the editor's measurements and budgets as a table. */

import { loadavg } from "node:os";
import { median } from "./measure.ts";

export interface Row {
  readonly what: string;
  /** All tries; the table shows best and median. */
  readonly samples: readonly number[];
  readonly unit: string;
  /** Upper limit; null for rows without a budget, which explain the others. */
  readonly budget: number | null;
}

export function row(
  what: string,
  samples: readonly number[],
  budget: number | null = null,
  unit = "ms",
): Row {
  return { what, samples, unit, budget };
}

const COLUMNS = [58, 10, 10, 12, 20];

/** Prints one part of the table, along with the load of the machine, which makes times longer. */
export function printRows(title: string, rows: readonly Row[]): void {
  console.log(`\n${title} (load average ${loadavg()[0]?.toFixed(1)})`);
  printCells(["", "best", "median", "budget", ""]);
  for (const { what, samples, unit, budget } of rows) {
    const best = Math.min(...samples);
    const usual = median(samples);
    printCells([
      what,
      withUnit(best, unit),
      samples.length === 1 ? "" : withUnit(usual, unit),
      budget === null ? "" : `${budget} ${unit}`,
      budget === null ? "" : verdict(best, usual, budget),
    ]);
  }
}

function verdict(best: number, usual: number, budget: number): string {
  if (usual <= budget) return "met";
  return best <= budget ? "met by the best only" : "MISSED";
}

function withUnit(value: number, unit: string): string {
  const digits = value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
  return `${digits} ${unit}`;
}

function printCells([first = "", ...others]: readonly string[]): void {
  const cells = others.map((cell, index) => {
    const width = COLUMNS[index + 1] ?? 0;
    return index === others.length - 1 ? `  ${cell}` : cell.padStart(width);
  });
  console.log(`${first.padEnd(COLUMNS[0] ?? 0)}${cells.join("")}`.trimEnd());
}

/** Tracks which metrics the page has, and sends the rest in small portions. */

import type { MetricColumns } from "../../core/runFolder/metrics/metricColumns.ts";
import type { ColumnPart } from "../../shared/dashboardTypes.ts";

const BYTES_PER_NUMBER = 8;
/** Overhead per column. */
const OVERHEAD_BYTES = 128;
const STEPS = "step";

export interface QueuedColumns {
  readonly steps: ColumnPart | null;
  readonly columns: readonly ColumnPart[];
  readonly isComplete: boolean;
}

export class ColumnQueue {
  readonly #sentRows = new Map<string, number>();
  readonly #budgetBytes: number;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  /** Marks rows of `names` that the page got another way. */
  skip(names: readonly string[], rows: number): void {
    for (const name of [STEPS, ...names]) this.#sentRows.set(name, rows);
  }

  /** Marks everything as not sent. */
  clear(): void {
    this.#sentRows.clear();
  }

  /** Marks rows from `row` on as changed. */
  rewind(row: number): void {
    for (const [name, rows] of this.#sentRows) {
      if (rows > row) this.#sentRows.set(name, row);
    }
  }

  /** The next columns in the order of `names`, as views into `metrics`; null if the page has everything. */
  next(metrics: MetricColumns, names: readonly string[]): QueuedColumns | null {
    if (this.#isComplete(metrics, names)) return null;
    let room = this.#budgetBytes;
    const take = (name: string, all: (from: number) => Float64Array): ColumnPart | null => {
      const fromRow = this.#sentRows.get(name) ?? 0;
      const rows = Math.min(
        metrics.length - fromRow,
        Math.floor((room - OVERHEAD_BYTES) / BYTES_PER_NUMBER),
      );
      if (rows <= 0) return null;
      const values = all(fromRow).subarray(0, rows);
      this.#sentRows.set(name, fromRow + rows);
      if (values.every(Number.isNaN)) return null;
      room -= rows * BYTES_PER_NUMBER + OVERHEAD_BYTES;
      return { name, fromRow, values };
    };
    const steps = take(STEPS, (from) => metrics.steps(from));
    const columns = names.flatMap((name) => take(name, (from) => metrics.values(name, from)) ?? []);
    const isComplete = this.#isComplete(metrics, names);
    return { steps, columns, isComplete };
  }

  #isComplete(metrics: MetricColumns, names: readonly string[]): boolean {
    return [STEPS, ...names].every((name) => (this.#sentRows.get(name) ?? 0) >= metrics.length);
  }
}

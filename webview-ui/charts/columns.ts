/** The metrics of the shown run, as received so far. Only columns that a view reads are requested. */

import type { ColumnPart } from "../../src/shared/dashboardTypes.ts";
import { growColumn } from "../../src/shared/growColumn.ts";

const FIRST_CAPACITY = 256;

interface Appended {
  readonly rows: number;
  readonly names?: readonly string[];
  readonly steps: ColumnPart | null;
  readonly columns: readonly ColumnPart[];
}

export class ColumnStore {
  readonly #columns = new Map<string, Float64Array>();
  #steps = new Float64Array(FIRST_CAPACITY);
  #names: readonly string[] = [];
  #rows = 0;
  readonly #requested = new Set<string>();
  readonly #onRequest: (names: readonly string[]) => void;
  #isScheduled = false;

  /** `onRequest` receives the names of all columns read so far, shortly after a view reads a new one. */
  constructor(onRequest: (names: readonly string[]) => void = () => undefined) {
    this.#onRequest = onRequest;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Names of all metrics of the run. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Drops all columns; `names` are the metrics of the new run. */
  reset(names: readonly string[]): void {
    this.#columns.clear();
    this.#steps.fill(Number.NaN);
    this.#names = names;
    this.#rows = 0;
  }

  append({ rows, names = [], steps, columns }: Appended): void {
    this.#grow(rows);
    if (names.length > 0) this.#names = [...this.#names, ...names];
    // A row counts once its step is known; its other numbers may come later.
    if (steps !== null) {
      this.#steps.set(steps.values, steps.fromRow);
      this.#rows = Math.max(this.#rows, steps.fromRow + steps.values.length);
    }
    for (const { name, fromRow, values } of columns) this.#column(name).set(values, fromRow);
  }

  /** A copy, one per row; steps count from 0. */
  steps(): Float64Array {
    return this.#steps.slice(0, this.#rows);
  }

  /** A copy, one value per row; NaN for gaps and for columns that have not arrived. */
  values(name: string): Float64Array {
    this.#request(name);
    return (
      this.#columns.get(name)?.slice(0, this.#rows) ?? new Float64Array(this.#rows).fill(Number.NaN)
    );
  }

  /** True when the run has this metric. */
  has(name: string): boolean {
    return this.#names.includes(name);
  }

  /** The value of a metric in a row; null if unknown. */
  at(name: string, row: number): number | null {
    this.#request(name);
    const value = row < this.#rows ? (this.#columns.get(name)?.[row] ?? Number.NaN) : Number.NaN;
    return Number.isNaN(value) ? null : value;
  }

  #column(name: string): Float64Array {
    const present = this.#columns.get(name);
    if (present !== undefined) return present;
    const column = growColumn([], this.#steps.length);
    this.#columns.set(name, column);
    return column;
  }

  /** Batches the columns of one render into a single message. */
  #request(name: string): void {
    if (this.#requested.has(name)) return;
    this.#requested.add(name);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#onRequest([...this.#requested]);
    });
  }

  #grow(rows: number): void {
    if (rows <= this.#steps.length) return;
    let capacity = this.#steps.length;
    while (capacity < rows) capacity *= 2;
    this.#steps = growColumn(this.#steps, capacity);
    for (const [name, old] of this.#columns) this.#columns.set(name, growColumn(old, capacity));
  }
}

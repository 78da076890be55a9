/** The numbers of the run that is shown, as they arrived. Columns that no view reads are not sent. */

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

  /** `onRequest` is called with the names of all columns that were read, shortly after a new one was read. */
  constructor(onRequest: (names: readonly string[]) => void = () => undefined) {
    this.#onRequest = onRequest;
  }

  get rows(): number {
    return this.#rows;
  }

  /** All metrics of the run. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Forgets everything. */
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

  /** Counted from 0, one a row. A copy. */
  steps(): Float64Array {
    return this.#steps.slice(0, this.#rows);
  }

  /** One a row, NaN for gaps and for names that never came. A copy. */
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

  /** The value in the row of a step; null when it is not known. */
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

  /** One message for all that is drawn at once. */
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

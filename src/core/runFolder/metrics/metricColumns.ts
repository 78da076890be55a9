/** The numbers of all steps, stored as one packed column per metric for charts. */

import { growColumn } from "../../../shared/growColumn.ts";
import { eachMetric, FlatNames, type MetricsLeaf, type MetricsRow } from "./metricsTree.ts";

/** 96 MB of numbers. Limits memory if a model invents tool names, or a folder is malicious. */
const MAX_NUMBERS = 12_000_000;
/** Each one is listed on the page. */
const MAX_NAMES = 10_000;
/** Each character of a name counts as this many numbers. */
const NUMBERS_PER_CHARACTER = 0.25;
const FIRST_CAPACITY = 64;

/** Rows are in step order, one per step. NaN = the step lacks the metric. */
export class MetricColumns {
  /** Each column ends with the last row that has the metric; later rows read as NaN. */
  readonly #columns = new Map<string, Float64Array>();
  readonly #flatNames = new FlatNames();
  readonly #maxNumbers: number;
  #steps = new Float64Array(FIRST_CAPACITY);
  #length = 0;
  #numbers = 0;
  #isTruncated = false;

  constructor(maxNumbers = MAX_NUMBERS) {
    this.#maxNumbers = maxNumbers;
  }

  /** True if numbers were dropped because there was no room. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Number of rows. */
  get length(): number {
    return this.#length;
  }

  /** The last row's step; null if there are no rows. */
  get latestStep(): number | null {
    return this.#length === 0 ? null : (this.#steps[this.#length - 1] ?? null);
  }

  /** Flat names such as `rollout/reward/mean`, in order of first occurrence; without `step`. */
  get names(): readonly string[] {
    return [...this.#columns.keys()];
  }

  /** The steps from row `from` on, as a view that is valid until the next row is added. */
  steps(from = 0): Float64Array {
    return this.#steps.subarray(from, this.#length);
  }

  /** A metric's values from row `from` on (booleans as 0 and 1, unknown names all NaN), valid until the next row is added. */
  values(name: string, from = 0): Float64Array {
    const column = this.#columns.get(name);
    if (column !== undefined && column.length >= this.#length) {
      return column.subarray(from, this.#length);
    }
    return growColumn(column?.subarray(from) ?? [], this.#length - from);
  }

  /** A metric in the last row; null when that row lacks it. */
  latest(name: string): number | null {
    const value = this.#columns.get(name)?.[this.#length - 1] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  }

  /**
   * Adds a row, or completes the existing row of its step. Drops a new step lower than the last one, because a run never goes
   * back. Returns the row's index, or null if it was dropped.
   */
  add(row: MetricsRow): number | null {
    const at = this.#rowIndex(row.step);
    if (at === null) return null;
    eachMetric(row, this.#flatNames, (name, leaf) => {
      const value = toNumber(leaf);
      if (value !== null && name !== "step") this.#set(name, at, value);
    });
    return at;
  }

  #rowIndex(step: number): number | null {
    const latest = this.latestStep;
    if (latest !== null && step <= latest) {
      const at = this.#search(step);
      return this.#steps[at] === step ? at : null;
    }
    if (this.#length === this.#steps.length && !this.#grow()) return null;
    this.#steps[this.#length] = step;
    this.#length += 1;
    return this.#length - 1;
  }

  /** Index of the first row at or after `step`. */
  #search(step: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#steps[middle] ?? 0) < step) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #set(name: string, at: number, value: number): void {
    const column = this.#columns.get(name);
    if (column !== undefined && at < column.length) {
      column[at] = value;
      return;
    }
    const added =
      column === undefined
        ? this.#steps.length + NUMBERS_PER_CHARACTER * name.length
        : this.#steps.length - column.length;
    const isNewBeyond = column === undefined && this.#columns.size >= MAX_NAMES;
    if (isNewBeyond || this.#numbers + added > this.#maxNumbers) {
      this.#isTruncated = true;
      return;
    }
    this.#numbers += added;
    const grown = growColumn(column ?? [], this.#steps.length);
    grown[at] = value;
    this.#columns.set(name, grown);
  }

  /** False if there is no room for more rows. */
  #grow(): boolean {
    const capacity = 2 * this.#steps.length;
    if (capacity > this.#maxNumbers) {
      this.#isTruncated = true;
      return false;
    }
    this.#steps = growColumn(this.#steps, capacity);
    return true;
  }
}

function toNumber(leaf: MetricsLeaf): number | null {
  if (typeof leaf === "boolean") return leaf ? 1 : 0;
  return typeof leaf === "number" ? leaf : null;
}

/** The numbers of all steps by metric: one packed column a flat name, as charts want them. */

import { growColumn } from "../../../shared/growColumn.ts";
import { eachMetric, FlatNames, type MetricsLeaf, type MetricsRow } from "./metricsTree.ts";

/** A model that makes up tool names, or a folder made to do harm, must not fill the memory: 96 MB of numbers. */
const MAX_NUMBERS = 12_000_000;
/** Each is listed on the page. */
const MAX_NAMES = 10_000;
/** What a name takes of the memory for numbers, for each of its characters. */
const NUMBERS_PER_CHARACTER = 0.25;
const FIRST_CAPACITY = 64;

/** Rows are in the order of steps, each step once. NaN = the step has no such metric. */
export class MetricColumns {
  /** Each ends with the last row that has the metric; later rows read as NaN. */
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

  /** True when numbers were left out because there was no more room for them. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Number of rows. */
  get length(): number {
    return this.#length;
  }

  /** The last row's step; null without rows. */
  get latestStep(): number | null {
    return this.#length === 0 ? null : (this.#steps[this.#length - 1] ?? null);
  }

  /** Flat names such as `rollout/reward/mean`, in the order in which they first occurred; without `step`. */
  get names(): readonly string[] {
    return [...this.#columns.keys()];
  }

  /** The steps of the rows from row `from` on: a view that holds until the next row is added. */
  steps(from = 0): Float64Array {
    return this.#steps.subarray(from, this.#length);
  }

  /** A metric's values from row `from` on, flags as 0 and 1: a view that holds until the next row is added. All NaN for an unknown name. */
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
   * Adds a row, or completes the row of its step. A step below the last one that has no row is left out: a run never goes back.
   * Returns the position of the row, null when it was left out.
   */
  add(row: MetricsRow): number | null {
    const at = this.#place(row.step);
    if (at === null) return null;
    eachMetric(row, this.#flatNames, (name, leaf) => {
      const value = toNumber(leaf);
      if (value !== null && name !== "step") this.#set(name, at, value);
    });
    return at;
  }

  #place(step: number): number | null {
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

  /** The first row that is not before `step`. */
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

  /** False when there is no room for more rows, either. */
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

/** The numbers of all steps by metric: one packed column a flat name, as charts want them. */

import { flattenMetrics, type MetricsLeaf, type MetricsRow } from "./metricsTree.ts";

/** A model that makes up tool names, or a folder made to do harm, must not fill the memory: 128 MB of numbers. */
const MAX_NUMBERS = 1 << 24;
const FIRST_CAPACITY = 64;

/** Rows are in the order of steps, each step once. NaN marks what a step does not tell. */
export class MetricColumns {
  /** Each as long as the last row that tells it needs; what lies behind is NaN. */
  readonly #columns = new Map<string, Float64Array>();
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
    const values = new Float64Array(this.#length - from).fill(Number.NaN);
    if (column !== undefined) values.set(column.subarray(from));
    return values;
  }

  /** A metric in the last row; null when that does not tell it. */
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
    for (const [name, leaf] of Object.entries(flattenMetrics(row))) {
      const value = toNumber(leaf);
      if (value === null || name === "step") continue;
      this.#set(name, at, value);
    }
    return at;
  }

  #place(step: number): number | null {
    const latest = this.latestStep;
    if (latest !== null && step <= latest) {
      const at = this.steps().indexOf(step);
      return at < 0 ? null : at;
    }
    if (this.#length === this.#steps.length) this.#grow();
    this.#steps[this.#length] = step;
    this.#length += 1;
    return this.#length - 1;
  }

  #set(name: string, at: number, value: number): void {
    const column = this.#columns.get(name) ?? new Float64Array();
    if (at < column.length) {
      column[at] = value;
      return;
    }
    const grown = new Float64Array(this.#steps.length).fill(Number.NaN);
    const numbers = this.#numbers + grown.length - column.length;
    if (numbers > this.#maxNumbers) {
      this.#isTruncated = true;
      return;
    }
    this.#numbers = numbers;
    grown.set(column);
    grown[at] = value;
    this.#columns.set(name, grown);
  }

  #grow(): void {
    const steps = new Float64Array(2 * this.#steps.length);
    steps.set(this.#steps);
    this.#steps = steps;
  }
}

function toNumber(leaf: MetricsLeaf): number | null {
  if (typeof leaf === "boolean") return leaf ? 1 : 0;
  return typeof leaf === "number" ? leaf : null;
}

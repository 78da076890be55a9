/** The summary of a run: the last value of everything, or the running statistics that a metric's definition asks for. */

import { type ExtendedObject, type ExtendedValue, isExtendedObject } from "./extendedJson.ts";
import type { MetricDefinitions, SummaryKind } from "./metricDefinitions.ts";

interface Statistics {
  first: number;
  last: number;
  min: number;
  max: number;
  sum: number;
  count: number;
}

export class Summary {
  readonly #definitions: MetricDefinitions;
  /** By dotted name; they begin again with every attempt, as the official client's do. */
  readonly #statistics = new Map<string, Statistics>();
  #value: ExtendedObject;

  constructor(definitions: MetricDefinitions, before: ExtendedObject = {}) {
    this.#definitions = definitions;
    this.#value = before;
  }

  get value(): ExtendedObject {
    return this.#value;
  }

  /** Takes a row of history in; nulls leave what was there. */
  add(row: ExtendedObject): void {
    this.#value = this.#merged(this.#value, row, "");
  }

  /** Sets top-level keys, over whatever rows say of them. */
  set(update: ExtendedObject): void {
    this.#value = { ...this.#value, ...update };
    for (const key of Object.keys(update)) this.#definitions.forgetKinds(key);
  }

  #merged(before: ExtendedObject, row: ExtendedObject, prefix: string): ExtendedObject {
    const merged: Record<string, ExtendedValue> = { ...before };
    for (const [key, value] of Object.entries(row)) {
      const name = `${prefix}${key}`;
      const kinds = typeof value === "number" ? this.#definitions.kindsOf(name) : null;
      if (value === null) continue;
      if (isExtendedObject(value) && !("_type" in value)) {
        const branch = merged[key];
        merged[key] = this.#merged(isExtendedObject(branch) ? branch : {}, value, `${name}.`);
      } else if (kinds !== null && typeof value === "number") {
        merged[key] = this.#counted(name, value, kinds);
      } else merged[key] = value;
    }
    return merged;
  }

  /** One NaN would make min, max and mean NaN for good, as it does in the official client: it is left out of them. */
  #counted(name: string, value: number, kinds: readonly SummaryKind[]): ExtendedObject {
    const before = this.#statistics.get(name) ?? {
      first: value,
      last: value,
      sum: 0,
      count: 0,
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
    };
    const isCounted = !Number.isNaN(value);
    const now: Statistics = {
      first: before.first,
      last: value,
      min: isCounted ? Math.min(before.min, value) : before.min,
      max: isCounted ? Math.max(before.max, value) : before.max,
      sum: isCounted ? before.sum + value : before.sum,
      count: before.count + (isCounted ? 1 : 0),
    };
    this.#statistics.set(name, now);
    return Object.fromEntries(kinds.map((kind) => [kind, statistic(now, kind)]));
  }
}

function statistic(of: Statistics, kind: SummaryKind): number {
  if (kind === "first" || kind === "last") return of[kind];
  if (of.count === 0) return Number.NaN;
  return kind === "mean" ? of.sum / of.count : of[kind];
}

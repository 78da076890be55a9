/** How metrics are drawn and summarised, in the reserved part of a run's configuration: `docs/protocols/wandb.md#metric-definitions`. */

import { withoutUndefined } from "../../../../shared/withoutUndefined.ts";
import type { ExtendedObject } from "./extendedJson.ts";

export type SummaryKind = "min" | "max" | "mean" | "last" | "first";

export interface MetricDefinition {
  /** A trailing `*` fits every name that begins like it; a dot separates levels, `\.` is a dot. */
  readonly name: string;
  /** The metric on the horizontal axis. */
  readonly step?: string;
  readonly summary?: readonly SummaryKind[];
  readonly isHidden?: boolean;
}

const KIND_CODES: Readonly<Record<SummaryKind, number>> = {
  min: 1,
  max: 2,
  mean: 3,
  last: 5,
  first: 8,
};
const STEP_SYNC = 1;
const HIDDEN = 2;
const EXPLICIT = 3;

export class MetricDefinitions {
  readonly #byName = new Map<string, MetricDefinition>();
  /** Longest first. */
  #globs: readonly MetricDefinition[] = [];

  define(metric: MetricDefinition): void {
    this.#byName.set(metric.name, metric);
    if (!isGlob(metric.name)) return;
    const globs = [...this.#byName.values()].filter(({ name }) => isGlob(name));
    this.#globs = globs.sort((a, b) => b.name.length - a.name.length);
  }

  /** What the summary keeps of a metric; null = its last value. An exact name goes before the longest beginning. */
  kindsOf(name: string): readonly SummaryKind[] | null {
    const found =
      this.#byName.get(name) ??
      this.#globs.find(({ name: glob }) => name.startsWith(glob.slice(0, -1)));
    const kinds = found?.summary ?? [];
    return kinds.length === 0 ? null : kinds;
  }

  /** From now on the summary keeps what was set. */
  forgetKinds(name: string): void {
    const { summary: _, ...rest } = this.#byName.get(name) ?? { name: "" };
    if (rest.name !== "") this.#byName.set(name, rest);
  }

  /** The list as it is sent: metrics refer to their axis by its place, counted from 1. */
  wire(): readonly ExtendedObject[] {
    const all = [...this.#byName.values()];
    const axes = new Set(all.flatMap(({ step }) => step ?? []));
    const undefinedAxes = [...axes].filter((axis) => !this.#byName.has(axis));
    const names = [...all.map(({ name }) => name), ...undefinedAxes];
    return [
      ...all.map((metric) => entry(metric, names)),
      ...undefinedAxes.map((name) => ({ "1": name, "6": [], "7": [] })),
    ];
  }
}

function isGlob(name: string): boolean {
  return name.endsWith("*");
}

function entry(metric: MetricDefinition, names: readonly string[]): ExtendedObject {
  const { name, step, summary = [], isHidden = false } = metric;
  return {
    [isGlob(name) ? "2" : "1"]: name,
    ...withoutUndefined({ "5": step === undefined ? undefined : names.indexOf(step) + 1 }),
    "6": [
      ...(step === undefined ? [] : [STEP_SYNC]),
      ...(isHidden ? [HIDDEN] : []),
      ...(isGlob(name) ? [] : [EXPLICIT]),
    ],
    "7": summary.map((kind) => KIND_CODES[kind]).sort((a, b) => a - b),
  };
}

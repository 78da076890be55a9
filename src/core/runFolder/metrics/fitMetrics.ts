/** The progress of a supervised run, stored in the `fit` branch of each row so that views show what the run stored. */

import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import { isJsonObject } from "../../json.ts";
import { endLength, endMeans } from "../../util/stats.ts";
import type { MetricsRow, MetricsTree } from "./metricsTree.ts";

export interface Fit {
  readonly steps: number;
  /** Mean loss of the first and the last steps, in nats per token; {@link fitEnd} gives their number. */
  readonly was: number;
  readonly now: number;
  /** The newest held-out loss; null if none was measured. */
  readonly heldOut: number | null;
}

const MOST_STEPS = 5;

/** Number of steps averaged at each end of the comparison. */
export function fitEnd(steps: number): number {
  return endLength(steps, MOST_STEPS);
}

/** Accumulates the rows of a run. */
export class FitHistory {
  readonly #losses: number[] = [];
  #heldOut: number | null = null;

  add(row: MetricsRow): void {
    if (typeof row["loss"] === "number") this.#losses.push(row["loss"]);
    this.#heldOut = heldOutLoss(row) ?? this.#heldOut;
  }

  /** Null before the first loss. */
  get fit(): Fit | null {
    const ends = endMeans(this.#losses, MOST_STEPS);
    if (ends === null) return null;
    const { first: was, last: now } = ends;
    return { steps: this.#losses.length, was, now, heldOut: this.#heldOut };
  }
}

/** False if there is no row. */
export function isSupervised(row: MetricsRow | undefined): boolean {
  return row?.["num_examples"] !== undefined;
}

/** The held-out loss; null if the step did not measure it. */
export function heldOutLoss({ held_out: heldOut }: MetricsRow): number | null {
  const measured = isJsonObject(heldOut) ? heldOut["loss"] : null;
  return typeof measured === "number" ? measured : null;
}

export function fitMetrics({ steps, was, now, heldOut }: Fit): MetricsTree {
  return { fit: withoutUndefined({ steps, was, now, held_out: heldOut ?? undefined }) };
}

/** Null for a row of another kind of run. `metric` looks up a value by flat name. */
export function storedFit(metric: (name: string) => number | null): Fit | null {
  const [steps, was, now] = [metric("fit/steps"), metric("fit/was"), metric("fit/now")];
  if (steps === null || was === null || now === null) return null;
  return { steps, was, now, heldOut: metric("fit/held_out") };
}

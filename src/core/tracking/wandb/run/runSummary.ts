/** The state of a W&B run: configuration, metrics, summary and steps; the same online and offline. */

import { type ExtendedObject, type ExtendedValue, isExtendedObject } from "./extendedJson.ts";

/** The metric on the x-axis of all others. */
export const AXIS = "step";

/** Options of a metric: fill in its axis automatically, and explicitly defined. */
const STEP_SYNC = 1;
const EXPLICIT = 3;

export interface RunSummaryStart {
  readonly config: ExtendedObject;
  /** The lowest `_step` that the next row may have. */
  readonly nextStep: number;
  /** Seconds spent in earlier attempts. */
  readonly runtimeS: number;
  /** When this attempt began. */
  readonly startedAtMs: number;
  readonly summary?: ExtendedObject;
}

export interface RowTime {
  readonly timeMs: number;
  /** The lowest `_step` for the row. */
  readonly step?: number;
}

export class RunSummary {
  readonly #metrics = new Set<string>();
  readonly #startedAtMs: number;
  readonly #spentS: number;
  #config: ExtendedObject;
  #summary: ExtendedObject;
  #nextStep: number;
  #runtimeS: number;

  constructor({ config, nextStep, runtimeS, startedAtMs, summary = {} }: RunSummaryStart) {
    this.#config = config;
    this.#nextStep = nextStep;
    this.#spentS = runtimeS;
    this.#runtimeS = runtimeS;
    this.#startedAtMs = startedAtMs;
    this.#summary = summary;
  }

  get config(): ExtendedObject {
    return this.#config;
  }

  get nextStep(): number {
    return this.#nextStep;
  }

  /** Seconds of the run up to its last row, including earlier attempts. */
  get runtimeS(): number {
    return this.#runtimeS;
  }

  /** The list in wire form, where metrics refer to their axis by its 1-based position: `docs/protocols/wandb.md#metric-definitions`. */
  get definitions(): readonly ExtendedObject[] {
    const names = [...this.#metrics];
    const axis = names.indexOf(AXIS) + 1;
    return names.map((name) =>
      name === AXIS || axis === 0
        ? { "1": name, "6": [EXPLICIT], "7": [] }
        : { "1": name, "5": axis, "6": [STEP_SYNC, EXPLICIT], "7": [] },
    );
  }

  define(name: string): void {
    this.#metrics.add(name);
  }

  updateConfig(update: ExtendedObject): void {
    this.#config = { ...this.#config, ...update };
  }

  updateSummary(update: ExtendedObject): void {
    this.#summary = { ...this.#summary, ...update };
  }

  /** The row in wire form; `_step` increases and `_runtime` never decreases: `docs/protocols/wandb.md#history`. */
  row(values: ExtendedObject, { timeMs, step = 0 }: RowTime): ExtendedObject {
    this.#runtimeS = Math.max(this.#runtimeS, this.#spentS + (timeMs - this.#startedAtMs) / 1000);
    const _step = Math.max(step, this.#nextStep);
    this.#nextStep = _step + 1;
    const times = { _step, _timestamp: timeMs / 1000, _runtime: this.#runtimeS };
    const row = { ...withoutEmpty(values), ...times };
    this.#summary = withRow(this.#summary, row);
    return row;
  }

  /** Restores summary values of an earlier attempt. */
  restore(values: ExtendedObject): void {
    this.#summary = withRow(this.#summary, withoutEmpty(values));
  }

  summary(): ExtendedObject {
    return { ...this.#summary, _wandb: { runtime: Math.floor(this.#runtimeS) } };
  }

  /** Includes the whole seconds that the run took up to `nowMs`. */
  lastSummary(nowMs: number): ExtendedObject {
    const spentS = this.#spentS + (nowMs - this.#startedAtMs) / 1000;
    this.#runtimeS = Math.max(this.#runtimeS, spentS);
    const runtime = Math.floor(this.#runtimeS);
    return { ...this.#summary, _runtime: runtime, _wandb: { runtime } };
  }
}

/** The last value of each key; null keeps the previous value. */
function withRow(summary: ExtendedObject, row: ExtendedObject): ExtendedObject {
  const merged: Record<string, ExtendedValue> = { ...summary };
  for (const [key, value] of Object.entries(row)) {
    if (value === null) continue;
    const branch = merged[key];
    merged[key] =
      isExtendedObject(value) && !("_type" in value)
        ? withRow(isExtendedObject(branch) ? branch : {}, value)
        : value;
  }
  return merged;
}

/** Drops empty objects, like the official client, and the key `__proto__`, which must not be set. */
function withoutEmpty(values: ExtendedObject): ExtendedObject {
  const kept = Object.entries(values).flatMap(([key, value]): [string, ExtendedValue][] => {
    if (key === "__proto__") return [];
    if (!isExtendedObject(value)) return [[key, value]];
    const branch = withoutEmpty(value);
    return Object.keys(branch).length === 0 ? [] : [[key, branch]];
  });
  return Object.fromEntries(kept);
}

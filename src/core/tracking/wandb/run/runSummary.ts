/** The state of a run: its configuration, definitions, summary and steps; the same online and offline. */

import { type ExtendedObject, type ExtendedValue, isExtendedObject } from "./extendedJson.ts";
import { type MetricDefinition, MetricDefinitions } from "./metricDefinitions.ts";
import { Summary } from "./summary.ts";

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
  /** At least this `_step`. */
  readonly step?: number;
}

export class RunSummary {
  readonly #definitions = new MetricDefinitions();
  readonly #summary: Summary;
  readonly #startedAtMs: number;
  readonly #spentS: number;
  #config: ExtendedObject;
  #nextStep: number;
  #runtimeS: number;

  constructor({ config, nextStep, runtimeS, startedAtMs, summary = {} }: RunSummaryStart) {
    this.#config = config;
    this.#nextStep = nextStep;
    this.#spentS = runtimeS;
    this.#runtimeS = runtimeS;
    this.#startedAtMs = startedAtMs;
    this.#summary = new Summary(this.#definitions, summary);
  }

  get config(): ExtendedObject {
    return this.#config;
  }

  get nextStep(): number {
    return this.#nextStep;
  }

  /** Seconds of the run, earlier attempts included, by its rows. */
  get runtimeS(): number {
    return this.#runtimeS;
  }

  get definitions(): MetricDefinitions {
    return this.#definitions;
  }

  define(metric: MetricDefinition): void {
    this.#definitions.define(metric);
  }

  updateConfig(update: ExtendedObject): void {
    this.#config = { ...this.#config, ...update };
  }

  updateSummary(update: ExtendedObject): void {
    this.#summary.set(update);
  }

  /** The row as it is sent; steps grow and the time of the run never goes back: `docs/protocols/wandb.md#history`. */
  row(values: ExtendedObject, { timeMs, step = 0 }: RowTime): ExtendedObject {
    this.#runtimeS = Math.max(this.#runtimeS, this.#spentS + (timeMs - this.#startedAtMs) / 1000);
    const _step = Math.max(step, this.#nextStep);
    this.#nextStep = _step + 1;
    const times = { _step, _timestamp: timeMs / 1000, _runtime: this.#runtimeS };
    const row = { ...withoutEmpty(values), ...times };
    this.#summary.add(row);
    return row;
  }

  /** Restores summary values of an earlier attempt. */
  restore(values: ExtendedObject): void {
    this.#summary.add(withoutEmpty(values));
  }

  summary(): ExtendedObject {
    return { ...this.#summary.value, _wandb: { runtime: Math.floor(this.#runtimeS) } };
  }

  /** With the whole seconds that the run took up to `nowMs`. */
  lastSummary(nowMs: number): ExtendedObject {
    const spentS = this.#spentS + (nowMs - this.#startedAtMs) / 1000;
    this.#runtimeS = Math.max(this.#runtimeS, spentS);
    const runtime = Math.floor(this.#runtimeS);
    return { ...this.#summary.value, _runtime: runtime, _wandb: { runtime } };
  }
}

/** Empty objects vanish, as in the official client; `__proto__` is no name that anything here may set. */
function withoutEmpty(values: ExtendedObject): ExtendedObject {
  const kept = Object.entries(values).flatMap(([key, value]): [string, ExtendedValue][] => {
    if (key === "__proto__") return [];
    if (!isExtendedObject(value)) return [[key, value]];
    const branch = withoutEmpty(value);
    return Object.keys(branch).length === 0 ? [] : [[key, branch]];
  });
  return Object.fromEntries(kept);
}

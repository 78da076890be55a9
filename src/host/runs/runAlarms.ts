/** Alarms of the runs that are live, or have been live in this window. */

import type { RunEntry } from "../../api/runs.ts";
import type { FiringAlarm } from "../../core/alarms/alarmEvents.ts";
import type { AlarmId } from "../../core/config/fields/schema.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";
import type { FollowRun } from "./followRun.ts";
import type { RunList } from "./runList.ts";

export interface RunAlarmsOptions {
  readonly store: RunList;
  readonly follow: FollowRun;
  readonly onError: (error: unknown) => void;
}

export class RunAlarms implements Listening {
  readonly #options: RunAlarmsOptions;
  readonly #live = new Map<string, Listening>();
  /** Alarms of such runs, most serious first. */
  readonly #firing = new Map<string, readonly FiringAlarm[]>();
  readonly #changed: Emitter<string>;
  /** Fires with the folder of a run whose alarms have changed. */
  readonly onDidChange: Emitter<string>["event"];
  readonly #listening: Listening;

  constructor(options: RunAlarmsOptions) {
    this.#options = options;
    this.#changed = new Emitter(options.onError);
    this.onDidChange = this.#changed.event;
    this.#listening = options.store.onDidChange(() => this.#followLive());
    this.#followLive();
  }

  /** Most serious first; empty for a run that has not been live in this window. */
  of(folder: string): readonly FiringAlarm[] {
    return this.#firing.get(folder) ?? [];
  }

  /** The alarms of any run. For a live run, the list's own alarms may be outdated. */
  idsOf({ folder, isLive, alarms }: RunEntry): readonly AlarmId[] {
    return isLive ? this.of(folder).map(({ id }) => id) : alarms;
  }

  /** Runs with known alarms. */
  get folders(): readonly string[] {
    return [...this.#firing.keys()];
  }

  dispose(): void {
    for (const each of [this.#listening, ...this.#live.values()]) each.dispose();
    this.#live.clear();
  }

  #followLive(): void {
    const { store, follow } = this.#options;
    const live = new Set(store.runs.flatMap(({ isLive, folder }) => (isLive ? [folder] : [])));
    for (const folder of live) {
      if (this.#live.has(folder)) continue;
      this.#firing.set(folder, this.of(folder));
      const following = follow(folder, ({ alarms }) => this.#hear(folder, alarms));
      this.#live.set(folder, following);
    }
    for (const [folder, following] of this.#live) {
      if (live.has(folder)) continue;
      this.#live.delete(folder);
      following.dispose();
    }
  }

  #hear(folder: string, alarms: readonly FiringAlarm[]): void {
    const before = this.of(folder);
    this.#firing.set(folder, alarms);
    if (JSON.stringify(before) !== JSON.stringify(alarms)) this.#changed.fire(folder);
  }
}

/** The alarms of the runs that are, or in this window were, in progress. */

import { type FiringAlarm, firingIn } from "../../core/alarms/alarmEvents.ts";
import type { AlarmId } from "../../core/config/fields/schema.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";
import type { RunFeeds } from "../../server/runs/runFeed.ts";
import type { RunEntry, RunStore } from "../../server/runs/runStore.ts";

export interface RunAlarmsOptions {
  readonly store: RunStore;
  readonly feeds: RunFeeds;
  readonly onError: (error: unknown) => void;
}

export class RunAlarms implements Listening {
  readonly #options: RunAlarmsOptions;
  readonly #followed = new Map<string, Listening>();
  readonly #firing = new Map<string, readonly FiringAlarm[]>();
  readonly #changed: Emitter<string>;
  readonly #listening: Listening;

  constructor(options: RunAlarmsOptions) {
    this.#options = options;
    this.#changed = new Emitter(options.onError);
    this.#listening = options.store.onDidChange(() => this.#followLive());
    this.#followLive();
  }

  /** Called with the folder of a run whose alarms have changed. */
  get onDidChange(): Emitter<string>["event"] {
    return this.#changed.event;
  }

  /** The most serious first; none for a run that has not been in progress in this window. */
  of(folder: string): readonly FiringAlarm[] {
    return this.#firing.get(folder) ?? [];
  }

  /** Those of any run. What the list of runs says of one in progress is as old as that list. */
  idsOf({ folder, isLive, alarms }: RunEntry): readonly AlarmId[] {
    return isLive ? this.of(folder).map(({ id }) => id) : alarms;
  }

  /** Runs whose alarms are known. */
  get folders(): readonly string[] {
    return [...this.#firing.keys()];
  }

  dispose(): void {
    this.#listening.dispose();
    for (const followed of this.#followed.values()) followed.dispose();
    this.#followed.clear();
  }

  #followLive(): void {
    const { store, feeds, onError } = this.#options;
    const live = new Set(store.runs.flatMap(({ isLive, folder }) => (isLive ? [folder] : [])));
    for (const folder of live) {
      if (this.#followed.has(folder)) continue;
      const run = feeds.follow(folder);
      const listening = run.onDidChange(() => this.#look(folder, firingIn(run.follower)));
      const stop = (): void => {
        listening.dispose();
        run.dispose();
      };
      // Reads once more before it forgets the run: the last step may have changed the alarms.
      const end = (): void => void run.refresh().catch(onError).finally(stop);
      this.#followed.set(folder, { dispose: end });
    }
    for (const [folder, followed] of this.#followed) {
      if (live.has(folder)) continue;
      this.#followed.delete(folder);
      followed.dispose();
    }
  }

  #look(folder: string, now: readonly FiringAlarm[]): void {
    const before = this.#firing.get(folder);
    this.#firing.set(folder, now);
    if (JSON.stringify(before ?? []) !== JSON.stringify(now)) this.#changed.fire(folder);
  }
}

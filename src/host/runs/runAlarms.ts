/** Alarms of the runs that are live, or have been live in this window. */

import type { RunEntry } from "../../api/runs.ts";
import type { FiringAlarm } from "../../core/alarms/alarmEvents.ts";
import type { AlarmId } from "../../core/config/fields/schema.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";
import type { FollowRun } from "../server/keptRequest.ts";
import type { RunList } from "./runList.ts";

export interface RunAlarmsOptions {
  readonly store: RunList;
  readonly follow: FollowRun;
  readonly onError: (error: unknown) => void;
}

export type RunAlarms = ReturnType<typeof followAlarms>;

export function followAlarms({ store, follow, onError }: RunAlarmsOptions) {
  const following = new Map<string, Listening>();
  /** Alarms of runs that are or were live, most serious first. */
  const firing = new Map<string, readonly FiringAlarm[]>();
  const changed = new Emitter<string>(onError);
  /** Most serious first; empty for a run that has not been live in this window. */
  const of = (folder: string): readonly FiringAlarm[] => firing.get(folder) ?? [];
  const hear = (folder: string, alarms: readonly FiringAlarm[]): void => {
    const before = of(folder);
    firing.set(folder, alarms);
    if (JSON.stringify(before) !== JSON.stringify(alarms)) changed.fire(folder);
  };
  const followLive = (): void => {
    const live = new Set(store.runs.flatMap(({ isLive, folder }) => (isLive ? [folder] : [])));
    for (const folder of live) {
      if (following.has(folder)) continue;
      const own = follow(folder, ({ alarms }) => hear(folder, alarms));
      following.set(folder, own);
    }
    for (const [folder, own] of following) {
      if (live.has(folder)) continue;
      following.delete(folder);
      own.dispose();
    }
  };
  const listening = store.onDidChange(followLive);
  followLive();
  return {
    /** Fires with the folder of a run whose alarms have changed. */
    onDidChange: changed.event,
    of,
    /** The alarms of any run. For a live run, the list's own alarms may be outdated. */
    idsOf: ({ folder, isLive, alarms }: RunEntry): readonly AlarmId[] =>
      isLive ? of(folder).map(({ id }) => id) : alarms,
    dispose: (): void => {
      for (const each of [listening, ...following.values()]) each.dispose();
      following.clear();
    },
  };
}

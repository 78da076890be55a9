/** Adds the runs that this window starts to those it knows, also from folders that it does not search: it is notified of known runs only. */

import type { RunLabels } from "./runLabels.ts";
import type { RunList } from "./runList.ts";
import type { Trainings } from "./trainings.ts";

export interface StartedRunsOptions {
  readonly trainings: Pick<Trainings, "active" | "onDidChange">;
  readonly store: Pick<RunList, "refresh" | "get">;
  readonly labels: Pick<RunLabels, "addOpened">;
  /** Looks everywhere again, also where labels say. */
  readonly find: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Reads the list of runs whenever a training begins, gets its folder or ends. A trainer takes a window that does not know its
 * run for one that was closed.
 */
export function rememberStartedRuns(options: StartedRunsOptions): { dispose(): void } {
  const { trainings, onError } = options;
  const known = new Set<string>();
  return trainings.onDidChange(() => {
    const folders = trainings.active.flatMap(({ folder }) => (folder === null ? [] : [folder]));
    const started = folders.filter((folder) => !known.has(folder));
    for (const folder of started) known.add(folder);
    look(started, options).catch(onError);
  });
}

async function look(started: readonly string[], options: StartedRunsOptions): Promise<void> {
  const { store, labels, find } = options;
  await store.refresh();
  const isKnown = (folder: string): boolean => store.get(folder) !== null;
  if (started.every(isKnown)) return;
  // Its parent may be a new one.
  await find();
  const elsewhere = started.filter((folder) => !isKnown(folder));
  for (const folder of elsewhere) await labels.addOpened(folder);
  if (elsewhere.length > 0) await find();
}

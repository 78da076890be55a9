/** Updates the context keys used by menus, the palette and welcome texts, and the badge of the view's icon. */

import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
import { usableCheckpoints } from "../../core/runFolder/checkpointLog.ts";
import { isPausable, isPaused, isResumable } from "../../core/runs/runWords.ts";
import { soon } from "../../node/soon.ts";
import type { KeyStore } from "../keys/keyStore.ts";
import type { ContextKeys } from "../manifest/contextKeyTable.ts";
import type { RunAlarms } from "../runs/runAlarms.ts";
import type { RunLabels } from "../runs/runLabels.ts";
import type { RunList } from "../runs/runList.ts";
import type { Trainings } from "../runs/trainings.ts";
import type { SavedSource } from "../views/savedCheckpoints.ts";
import { setContextKey } from "../vscode/contextKeys.ts";

export interface ContextKeySources {
  readonly keys: KeyStore;
  readonly trainings: Trainings;
  readonly store: RunList;
  readonly alarms: RunAlarms;
  readonly labels: RunLabels;
  readonly saved: SavedSource;
  /** The Runs view. */
  readonly view: Pick<vscode.TreeView<unknown>, "badge">;
}

const PAUSE_MS = 250;
/** Looking for checkpoints asks the disk for each run. */
const LOOK_MS = 1_000;
/** Maximum number of runs, newest first, to check for checkpoints. */
const MAX_READ = 50;

export function updateContextKeys(sources: ContextKeySources) {
  const { keys, trainings, store, alarms, labels, saved, view } = sources;
  const known = new Map<RunKey, boolean>();
  const set = (key: RunKey, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void setContextKey(key, value);
  };
  // Live runs report several times per second.
  const update = soon(PAUSE_MS, () => {
    const { runs } = store;
    set("hasPausable", runs.some(isPausable));
    set("hasPaused", runs.some(isPaused));
    set("hasResumable", runs.some(isResumable));
    const hasAlarms = (run: RunEntry): boolean => alarms.idsOf(run).length > 0;
    set("hasAlarms", runs.some(hasAlarms));
    const archived = runs.find(({ folder }) => labels.isArchived(folder));
    set("hasArchived", archived !== undefined);
    const expiring = runs.find(({ expiry }) => expiry !== null);
    set("hasExpiring", expiring !== undefined);
  });
  const lookForCheckpoints = async (): Promise<void> => {
    let hasCheckpoints = false;
    let hasHosted = false;
    for (const { folder } of store.runs.slice(0, MAX_READ)) {
      if (usableCheckpoints(await saved.read(folder), Date.now()).length === 0) continue;
      hasCheckpoints = true;
      hasHosted = await saved.isHosted(folder);
      if (hasHosted) break;
    }
    set("hasCheckpoints", hasCheckpoints);
    set("hasHosted", hasHosted);
  };
  const look = soon(LOOK_MS, () => void lookForCheckpoints());
  return vscode.Disposable.from(
    update,
    look,
    keys.onDidChange(() => {
      void keys.list().then((stored) => setContextKey("keyStored", stored.length > 0));
    }),
    trainings.onDidChange(() => {
      const begun = trainings.active.filter(({ folder }) => folder !== null);
      if (begun.length > 0) void setContextKey("trainingStarted", true);
      if (begun.some(({ request }) => request.resume !== null))
        void setContextKey("runResumed", true);
    }),
    alarms.onDidChange(update),
    store.onDidChange((folder) => {
      update();
      look();
      // A change of one run changes neither the number of runs nor which are live.
      if (folder !== null) return;
      const live = store.runs.filter(({ isLive }) => isLive).length;
      void setContextKey("running", live);
      void setContextKey("hasRuns", store.runs.length > 0);
      view.badge = badge(live);
    }),
  );
}

type RunKey = Extract<keyof ContextKeys, `has${string}`>;

function badge(live: number): vscode.ViewBadge | undefined {
  if (live === 0) return undefined;
  const tooltip =
    live === 1 ? vscode.l10n.t("1 run in progress") : vscode.l10n.t("{0} runs in progress", live);
  return { value: live, tooltip };
}

/** Updates the context keys used by menus, the palette and welcome texts, and the badge of the view's icon. */

import * as vscode from "vscode";
import type { RunEntry } from "../../api/runs.ts";
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
  /** Reads the disk for each of the `runs`; `isList`: these are all, so that what none of them has is gone. */
  const look = async (runs: readonly string[], isList: boolean): Promise<void> => {
    let hasCheckpoints = !isList && known.get("hasCheckpoints") === true;
    let hasHosted = !isList && known.get("hasHosted") === true;
    for (const folder of runs) {
      if (hasHosted) break;
      if ((await saved.usable(folder)).length === 0) continue;
      hasCheckpoints = true;
      hasHosted = await saved.isHosted(folder);
    }
    set("hasCheckpoints", hasCheckpoints);
    set("hasHosted", hasHosted);
  };
  const lookAtList = soon(PAUSE_MS, () => {
    const newest = store.runs.slice(0, MAX_READ);
    void look(
      newest.map(({ folder }) => folder),
      true,
    );
  });
  lookAtList();
  return vscode.Disposable.from(
    update,
    lookAtList,
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
      // A change of one run changes neither the number of runs nor which are live.
      if (folder !== null) {
        void look([folder], false);
        return;
      }
      lookAtList();
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

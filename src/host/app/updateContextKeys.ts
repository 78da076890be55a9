/** Keeps the context keys that menus and welcome texts ask about, and the number on the view's icon, up to date. */

import * as vscode from "vscode";
import type { RunStore } from "../../server/runs/runStore.ts";
import type { KeyStore } from "../keys/keyStore.ts";
import type { Trainings } from "../runs/trainings.ts";
import { setContextKey } from "../vscode/contextKeys.ts";

export interface ContextKeySources {
  readonly keys: KeyStore;
  readonly trainings: Trainings;
  readonly store: RunStore;
  /** The Runs view. */
  readonly view: Pick<vscode.TreeView<unknown>, "badge">;
}

export function updateContextKeys({ keys, trainings, store, view }: ContextKeySources) {
  return vscode.Disposable.from(
    keys.onDidChange(() => {
      void keys.list().then((stored) => setContextKey("keyStored", stored.length > 0));
    }),
    trainings.onDidChange(() => {
      const begun = trainings.active.filter(({ folder }) => folder !== null);
      if (begun.length > 0) void setContextKey("trainingStarted", true);
      if (begun.some(({ request }) => request.resume !== null))
        void setContextKey("runResumed", true);
    }),
    store.onDidChange((folder) => {
      // A change of one run changes neither the number of runs nor which are live.
      if (folder !== null) return;
      const live = store.runs.filter(({ isLive }) => isLive).length;
      void setContextKey("running", live);
      void setContextKey("hasRuns", store.runs.length > 0);
      view.badge = badge(live);
    }),
  );
}

function badge(live: number): vscode.ViewBadge | undefined {
  if (live === 0) return undefined;
  const tooltip =
    live === 1 ? vscode.l10n.t("1 run in progress") : vscode.l10n.t("{0} runs in progress", live);
  return { value: live, tooltip };
}

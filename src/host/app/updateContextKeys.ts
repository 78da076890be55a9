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
import type { SavedSource } from "../views/checkpointsView.ts";
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
  const { keys, trainings, store, alarms, view } = sources;
  const runKeys = new RunKeys(sources);
  return vscode.Disposable.from(
    runKeys,
    keys.onDidChange(() => {
      void keys.list().then((stored) => setContextKey("keyStored", stored.length > 0));
    }),
    trainings.onDidChange(() => {
      const begun = trainings.active.filter(({ folder }) => folder !== null);
      if (begun.length > 0) void setContextKey("trainingStarted", true);
      if (begun.some(({ request }) => request.resume !== null))
        void setContextKey("runResumed", true);
    }),
    alarms.onDidChange(() => runKeys.updateSoon([])),
    store.onDidChange((folder) => {
      runKeys.updateSoon(folder === null ? null : [folder]);
      // A change of one run changes neither the number of runs nor which are live.
      if (folder !== null) return;
      const live = store.runs.filter(({ isLive }) => isLive).length;
      void setContextKey("running", live);
      void setContextKey("hasRuns", store.runs.length > 0);
      view.badge = badge(live);
    }),
  );
}

/** Context keys for what can be done with the window's runs. */
class RunKeys {
  readonly #sources: ContextKeySources;
  readonly #set = new Map<RunKey, boolean>();
  /** Coalesces the reports of live runs, which arrive several times per second. */
  readonly #soon = soon(PAUSE_MS, () => void this.#update());
  /** Folders of runs whose checkpoints may have changed since the last check; null = all runs. */
  #changed: Set<string> | null = null;

  constructor(sources: ContextKeySources) {
    this.#sources = sources;
  }

  dispose(): void {
    this.#soon.dispose();
  }

  /** `changed` are run folders; null = the list changed. */
  updateSoon(changed: readonly string[] | null): void {
    if (changed === null) this.#changed = null;
    for (const folder of changed ?? []) this.#changed?.add(folder);
    this.#soon();
  }

  async #update(): Promise<void> {
    const { store, alarms, labels } = this.#sources;
    const { runs } = store;
    this.#is("hasPausable", runs.some(isPausable));
    this.#is("hasPaused", runs.some(isPaused));
    this.#is("hasResumable", runs.some(isResumable));
    const any = (test: (run: RunEntry) => boolean): boolean => runs.some(test);
    this.#is(
      "hasAlarms",
      any((run) => alarms.idsOf(run).length > 0),
    );
    this.#is(
      "hasArchived",
      any(({ folder }) => labels.isArchived(folder)),
    );
    this.#is(
      "hasExpiring",
      any(({ expiry }) => expiry !== null),
    );
    await this.#lookForCheckpoints();
  }

  /** Checks all runs after the list has changed, otherwise only those that reported a change; stops as soon as possible. */
  async #lookForCheckpoints(): Promise<void> {
    const { store, saved } = this.#sources;
    const changed = this.#changed;
    this.#changed = new Set();
    if (changed !== null && this.#set.get("hasHosted") === true) return;
    const looked = store.runs
      .slice(0, MAX_READ)
      .filter(({ folder }) => changed?.has(folder) ?? true);
    let hasCheckpoints = false;
    for (const { folder } of looked) {
      if (usableCheckpoints(await saved.read(folder), Date.now()).length === 0) continue;
      hasCheckpoints = true;
      this.#is("hasCheckpoints", true);
      if (!(await saved.isHosted(folder))) continue;
      this.#is("hasHosted", true);
      return;
    }
    if (changed !== null) return;
    this.#is("hasCheckpoints", hasCheckpoints);
    this.#is("hasHosted", false);
  }

  #is(key: RunKey, value: boolean): void {
    if (this.#set.get(key) === value) return;
    this.#set.set(key, value);
    void setContextKey(key, value);
  }
}

type RunKey = Extract<keyof ContextKeys, `has${string}`>;

function badge(live: number): vscode.ViewBadge | undefined {
  if (live === 0) return undefined;
  const tooltip =
    live === 1 ? vscode.l10n.t("1 run in progress") : vscode.l10n.t("{0} runs in progress", live);
  return { value: live, tooltip };
}

/** The dashboard, connected to the window's runs. */

import * as vscode from "vscode";
import * as z from "zod";
import type { DashboardTarget } from "../../api/pages.ts";
import { AppError } from "../../core/errors.ts";
import { runIdOf } from "../../server/runs/runId.ts";
import type { RunList } from "../runs/runList.ts";
import type { Memento } from "../vscode/memento.ts";
import { readSetting } from "../vscode/settings.ts";
import { type OpenTabOptions, PageTab } from "./pageTab.ts";
import type { WindowPages } from "./windowPages.ts";

export interface RunDashboardOptions {
  readonly pages: WindowPages;
  readonly store: RunList;
  readonly workspaceState: Memento;
  /** Called with the folder when a different run is shown. */
  readonly onShown: (folder: string) => void;
}

export interface OpenDashboardOptions {
  readonly target?: DashboardTarget | undefined;
  readonly preserveFocus?: boolean | undefined;
}

const SHOWN = "dashboard.shown";
const shownSchema = z.object({ session: z.string(), folder: z.string() });
const restoredSchema = z.object({ runId: z.string() });

export class RunDashboard implements vscode.Disposable {
  readonly #options: RunDashboardOptions;
  readonly #tab: PageTab;
  /** Folder of the run that is or will be shown; null = the newest. */
  #folder: string | null = null;

  constructor(options: RunDashboardOptions) {
    this.#options = options;
    const { pages, workspaceState, onShown } = options;
    this.#tab = new PageTab({
      pages,
      page: () => ({ kind: "dashboard", folder: this.#folder }),
      title: () => this.#title(),
      onShown: (folder) => {
        this.#folder = folder;
        onShown(folder);
        void workspaceState.update(SHOWN, { session: vscode.env.sessionId, folder });
      },
    });
  }

  /** Folder of the run that is or will be shown; null if not specified yet. */
  get folder(): string | null {
    return this.#folder;
  }

  /** True while the dashboard is visible. */
  get isVisible(): boolean {
    return this.#tab.isVisible;
  }

  /** Opens the dashboard, or brings it to the front, at a run or at one of its steps or rollouts. */
  open(folder: string, { target, preserveFocus }: OpenDashboardOptions = {}): void {
    const viewColumn =
      vscode.window.activeTextEditor === undefined
        ? vscode.ViewColumn.Active
        : vscode.ViewColumn.Beside;
    this.#show(folder, { viewColumn, preserveFocus }, target);
  }

  /** Opens the dashboard for a run that the user just started, placed according to the setting; keeps the focus. */
  openBeside(folder: string): void {
    const isBeside =
      readSetting("dashboard.openOnStart") === "beside" &&
      vscode.window.activeTextEditor !== undefined;
    this.#show(folder, {
      viewColumn: isBeside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
      preserveFocus: true,
    });
  }

  /** Offers a newly started run in the open dashboard. */
  offer(folder: string): void {
    this.#tab.send({ kind: "offer", folder });
  }

  /** Opens the search across all runs. @throws AppError `no-runs` */
  openSearch(): void {
    const [newest] = this.#options.store.runs;
    if (newest === undefined) {
      throw new AppError(
        "no-runs",
        vscode.l10n.t("There is no run to search. Start a run, or open a run folder first."),
      );
    }
    const shown = this.#tab.isOpen ? this.#folder : null;
    this.#show(shown ?? newest.folder, { viewColumn: vscode.ViewColumn.Active });
    this.#tab.send({ kind: "search" });
  }

  /** Replaces the tab after a crash of the extension host, because the old tab remains but no longer responds. */
  reviveAfterCrash(): void {
    const last = shownSchema.safeParse(this.#options.workspaceState.get(SHOWN)).data;
    const [tab] = this.#tab.orphans;
    // A reload starts a new session, and the editor restores the dashboard itself.
    if (tab === undefined || last?.session !== vscode.env.sessionId || this.#tab.isOpen) return;
    this.#show(last.folder, {
      viewColumn: tab.group.viewColumn,
      preserveFocus: true,
    });
  }

  /** Restores the dashboard after a reload; `state` is what its page stored. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const id = restoredSchema.safeParse(state).data?.runId;
    this.#folder = id === undefined ? null : this.#folderOf(id);
    this.#tab.restore(panel);
  }

  dispose(): void {
    this.#tab.dispose();
  }

  #show(folder: string, place: OpenTabOptions, target: DashboardTarget | null = null): void {
    this.#folder = folder;
    this.#tab.open(place);
    this.#tab.send({ kind: "show", folder, target });
  }

  #title(): string | null {
    const folder = this.#folder;
    if (folder === null) return null;
    return this.#options.store.get(folder)?.name ?? folder.replace(/^.*[/\\]/, "");
  }

  #folderOf(id: string): string | null {
    const { store, workspaceState } = this.#options;
    const run = store.runs.find(({ folder }) => runIdOf(folder) === id);
    if (run !== undefined) return run.folder;
    // The run's folder may be gone by now, which the dashboard then shows.
    const last = shownSchema.safeParse(workspaceState.get(SHOWN)).data;
    return last !== undefined && runIdOf(last.folder) === id ? last.folder : null;
  }
}

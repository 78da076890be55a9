/** The dashboard, joined with the runs of this window. */

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
  /** Called with the folder of the run that is shown from now on. */
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
  /** Of the run that is shown, or will be; null = the newest. */
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

  /** Of the run that is shown, or will be; null while it was not said. */
  get folder(): string | null {
    return this.#folder;
  }

  /** True while the dashboard is in sight. */
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

  /** Opens the dashboard at a run that a person has just started, where the setting says; the focus stays where it is. */
  openBeside(folder: string): void {
    const isBeside =
      readSetting("dashboard.openOnStart") === "beside" &&
      vscode.window.activeTextEditor !== undefined;
    this.#show(folder, {
      viewColumn: isBeside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
      preserveFocus: true,
    });
  }

  /** Names a run that has begun in the dashboard that is open. */
  offer(folder: string): void {
    this.#tab.send({ kind: "offer", folder });
  }

  /** Goes to the search in all runs. @throws AppError `no-runs` */
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

  /** Replaces the tab after a crash of the extension host: the old tab is still there and no longer reacts. */
  reviveAfterCrash(): void {
    const last = shownSchema.safeParse(this.#options.workspaceState.get(SHOWN)).data;
    const [tab] = this.#tab.orphans;
    // A reload begins another session, and the editor restores the dashboard by itself.
    if (tab === undefined || last?.session !== vscode.env.sessionId || this.#tab.isOpen) return;
    this.#show(last.folder, {
      viewColumn: tab.group.viewColumn,
      preserveFocus: true,
    });
  }

  /** As the dashboard was before a reload; `state` is what its page kept. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
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
    // A reload may come back to a run whose folder is gone: the dashboard says so.
    const last = shownSchema.safeParse(workspaceState.get(SHOWN)).data;
    return last !== undefined && runIdOf(last.folder) === id ? last.folder : null;
  }
}

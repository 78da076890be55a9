/** The dashboard's tab in VS Code: one, reused, restored after a reload. What its page shows comes from the session. */

import * as vscode from "vscode";
import type { DashboardReport, DashboardTarget, WindowRun } from "../../api/dashboard.ts";
import { AppError } from "../../core/errors.ts";
import type { CommandArgs, DashboardCommand } from "../../shared/dashboardMessages.ts";
import { saveFile } from "../vscode/saveFile.ts";
import { fillPanel } from "./fillPanel.ts";
import { RemoteSession, type RemoteSessionOptions } from "./remoteSession.ts";

const DASHBOARD_VIEW_TYPE = "tinkerRL.dashboard";

export interface DashboardOptions
  extends Omit<RemoteSessionOptions, "post" | "reload" | "onReport"> {
  /** Called with the folder of the run that is shown from now on. */
  readonly onShown: (folder: string) => void;
  /** Keeps what the person added or named. */
  readonly keep: (kept: Extract<DashboardReport, { readonly kind: "keep" }>) => void;
  readonly nameOf: (folder: string) => string;
  /** The folder of a run by the id that its page has kept; null when there is none. */
  readonly folderOf: (id: string) => string | null;
  /** The extension's folder: holds `dist/webview` and `media`. */
  readonly extensionUri: vscode.Uri;
  /** Fires with the run that has changed, or null when the list has. */
  readonly onDidChangeRuns: vscode.Event<WindowRun | null>;
}

export interface OpenDashboardOptions {
  readonly target?: DashboardTarget;
  readonly viewColumn?: vscode.ViewColumn;
  readonly preserveFocus?: boolean;
}

interface OpenPanel {
  readonly panel: vscode.WebviewPanel;
  readonly session: RemoteSession;
}

export class Dashboard implements vscode.Disposable {
  readonly #options: DashboardOptions;
  #shown: OpenPanel | null = null;

  constructor(options: DashboardOptions) {
    this.#options = options;
  }

  /** The folder of the run that is shown; null when the dashboard is closed. */
  get shownFolder(): string | null {
    return this.#shown?.session.folder ?? null;
  }

  /** True while the dashboard is in sight. */
  get isVisible(): boolean {
    return this.#shown?.panel.visible === true;
  }

  /** Opens the dashboard beside, or brings it to the front, and shows the run. */
  open(folder: string, options: OpenDashboardOptions = {}): void {
    const { target = null, viewColumn = vscode.ViewColumn.Beside, preserveFocus = false } = options;
    if (this.#shown !== null) {
      this.#shown.panel.reveal(undefined, preserveFocus);
      this.#shown.session.show(folder, target);
      return;
    }
    closeOrphans();
    const panel = vscode.window.createWebviewPanel(
      DASHBOARD_VIEW_TYPE,
      this.#options.nameOf(folder),
      { viewColumn, preserveFocus },
      {},
    );
    this.#adopt(panel, folder).show(folder, target);
  }

  /** Names a run that has begun, beside the one that is shown; nothing while the dashboard is closed. */
  offer(folder: string): void {
    this.#shown?.session.offer(folder);
  }

  /** Goes to the search in all runs, in the run that is shown or in the one in `folder`. */
  openSearch(folder: string): void {
    this.open(this.shownFolder ?? folder, { viewColumn: vscode.ViewColumn.Active });
    this.#shown?.session.showSearch();
  }

  dispose(): void {
    this.#shown?.session.dispose();
  }

  /** Fills a panel that the editor has restored with the run that it showed; `state` is what its page kept. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const id = runIdIn(state);
    this.#shown?.panel.dispose();
    this.#adopt(panel, id === null ? null : this.#options.folderOf(id));
  }

  #adopt(panel: vscode.WebviewPanel, folder: string | null): RemoteSession {
    const { extensionUri, keep, nameOf, onDidChangeRuns, onShown } = this.#options;
    const { webview } = panel;
    const load = (): void => fillPanel(panel, "dashboard", extensionUri);
    const session = new RemoteSession(
      {
        ...this.#options,
        post: (json) => void webview.postMessage(json),
        reload: load,
        onReport: (report) => {
          if (report.kind === "keep") keep(report);
          else {
            panel.title = nameOf(report.folder);
            onShown(report.folder);
          }
        },
      },
      { folder, isVisible: panel.visible },
    );
    const opened = { panel, session };
    const subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => session.receive(message)),
      panel.onDidChangeViewState(() => session.setVisible(panel.visible)),
      onDidChangeRuns((run) => {
        if (session.folder !== null) panel.title = nameOf(session.folder);
        session.refresh(run);
      }),
    ];
    panel.onDidDispose(() => {
      session.dispose();
      for (const subscription of subscriptions) subscription.dispose();
      if (this.#shown === opened) this.#shown = null;
    });
    load();
    this.#shown = opened;
    return session;
  }
}

/** Tabs of the dashboard that no session serves: they stay after a crash of the extension host, and only this program removes them. */
export function orphanedTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputWebview && input.viewType.endsWith(DASHBOARD_VIEW_TYPE),
    );
}

function closeOrphans(): void {
  const orphans = orphanedTabs();
  // A tab that does not close does no harm.
  if (orphans.length > 0) vscode.window.tabGroups.close(orphans).then(undefined, () => undefined);
}

/** Does what needs nothing but the editor itself; false for any other command. */
export async function doneByEditor(command: DashboardCommand, args: CommandArgs): Promise<boolean> {
  switch (command) {
    case "copyText":
      await vscode.env.clipboard.writeText(args.text ?? "");
      return true;
    case "exportFile":
      if (args.file !== undefined) await saveFile(args.file);
      return true;
    case "openLink":
      await openLink(args.url ?? "");
      return true;
    default:
      return false;
  }
}

/** The editor asks before it opens an address that it does not trust. */
async function openLink(address: string): Promise<void> {
  const uri = vscode.Uri.parse(address, true);
  if (uri.scheme !== "https" && uri.scheme !== "http") {
    throw new AppError(
      "link-refused",
      `Only http and https links can be opened, not ${uri.scheme}.`,
    );
  }
  await vscode.env.openExternal(uri);
}

function runIdIn(state: unknown): string | null {
  if (typeof state !== "object" || state === null || !("runId" in state)) return null;
  return typeof state.runId === "string" ? state.runId : null;
}

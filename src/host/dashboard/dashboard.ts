/** The dashboard's tab in VS Code: one, reused, restored after a reload. What its page shows comes from the session. */

import * as vscode from "vscode";
import { AppError } from "../../core/errors.ts";
import { checkpointPath } from "../../server/dashboard/checkpointPath.ts";
import type { DashboardRun, DashboardTarget } from "../../server/dashboard/dashboardRun.ts";
import {
  DashboardSession,
  type DashboardSessionOptions,
} from "../../server/dashboard/dashboardSession.ts";
import type { CommandArgs, DashboardCommand } from "../../shared/dashboardMessages.ts";
import { saveFile } from "../vscode/saveFile.ts";
import { fillPanel } from "./fillPanel.ts";

const DASHBOARD_VIEW_TYPE = "tinkerRL.dashboard";

/** The commands that need nothing but the editor itself are done here; all others come to `command`. */
export interface DashboardOptions {
  readonly session: Omit<DashboardSessionOptions, "post">;
  /** The extension's folder: holds `dist/webview` and `media`. */
  readonly extensionUri: vscode.Uri;
  /** Fires when files of a run have changed, so that the dashboard need not wait for its next reading. */
  readonly onDidChangeRuns: vscode.Event<unknown>;
}

export interface OpenDashboardOptions {
  readonly target?: DashboardTarget;
  readonly viewColumn?: vscode.ViewColumn;
  readonly preserveFocus?: boolean;
}

interface OpenPanel {
  readonly panel: vscode.WebviewPanel;
  readonly session: DashboardSession;
}

export class Dashboard implements vscode.Disposable {
  readonly #options: DashboardOptions;
  #shown: OpenPanel | null = null;

  constructor(options: DashboardOptions) {
    this.#options = options;
  }

  /** The run that is shown; null when the dashboard is closed. */
  get shownRun(): DashboardRun | null {
    return this.#shown?.session.run ?? null;
  }

  /** True while the dashboard is in sight. */
  get isVisible(): boolean {
    return this.#shown?.panel.visible === true;
  }

  /** Opens the dashboard beside, or brings it to the front, and shows the run. */
  open(run: DashboardRun, options: OpenDashboardOptions = {}): void {
    const { target = null, viewColumn = vscode.ViewColumn.Beside, preserveFocus = false } = options;
    if (this.#shown !== null) {
      this.#shown.panel.reveal(undefined, preserveFocus);
      this.#shown.session.show(run, target);
      return;
    }
    closeOrphans();
    const panel = vscode.window.createWebviewPanel(
      DASHBOARD_VIEW_TYPE,
      run.name,
      { viewColumn, preserveFocus },
      {},
    );
    this.#adopt(panel, run).show(run, target);
  }

  /** Names a run that has begun, beside the one that is shown; nothing while the dashboard is closed. */
  offer(id: string): void {
    this.#shown?.session.offer(id);
  }

  /** Goes to the search in all runs, in the run that is shown or in `run`. */
  openSearch(run: DashboardRun): void {
    this.open(this.shownRun ?? run, { viewColumn: vscode.ViewColumn.Active });
    this.#shown?.session.showSearch();
  }

  dispose(): void {
    this.#shown?.session.dispose();
  }

  /** Fills a panel that the editor has restored with the run that it showed; `state` is what its page kept. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const id = runIdOf(state);
    const run = id === null ? null : await this.#options.session.runs.find(id);
    this.#shown?.panel.dispose();
    this.#adopt(panel, run);
  }

  #adopt(panel: vscode.WebviewPanel, run: DashboardRun | null): DashboardSession {
    const { webview } = panel;
    const session = this.#createSession(panel, run);
    const opened = { panel, session };
    const subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => session.receive(message)),
      panel.onDidChangeViewState(() => session.setVisible(panel.visible)),
      this.#options.onDidChangeRuns(() => {
        if (session.run !== null) panel.title = session.run.name;
        session.refresh();
      }),
    ];
    panel.onDidDispose(() => {
      session.dispose();
      for (const subscription of subscriptions) subscription.dispose();
      if (this.#shown === opened) this.#shown = null;
    });
    fillPanel(panel, "dashboard", this.#options.extensionUri);
    this.#shown = opened;
    return session;
  }

  #createSession(panel: vscode.WebviewPanel, run: DashboardRun | null): DashboardSession {
    const { session } = this.#options;
    return new DashboardSession(
      {
        ...session,
        post: (message) => void panel.webview.postMessage(message),
        command: (command, own, args) => runCommand(session.command, command, own, args),
        onRunShown: (own) => {
          panel.title = own.name;
          session.onRunShown?.(own);
        },
      },
      { run, isVisible: panel.visible },
    );
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

async function runCommand(
  handle: DashboardSessionOptions["command"],
  command: DashboardCommand,
  run: DashboardRun,
  args: CommandArgs,
): Promise<void> {
  switch (command) {
    case "copyText":
      await vscode.env.clipboard.writeText(args.text ?? "");
      return;
    case "copyCheckpointPath":
      await vscode.env.clipboard.writeText(checkpointPath(run, args));
      return;
    case "exportFile":
      if (args.file !== undefined) await saveFile(args.file);
      return;
    case "openLink":
      await openLink(args.url ?? "");
      return;
    default:
      await handle(command, run, args);
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

function runIdOf(state: unknown): string | null {
  if (typeof state !== "object" || state === null || !("runId" in state)) return null;
  return typeof state.runId === "string" ? state.runId : null;
}

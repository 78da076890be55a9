/** The panel as VS Code shows it: one tab, reused, restored after a reload. All it says and does is in the session. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { AppError } from "../../core/errors.ts";
import type {
  CommandArgs,
  DashboardCommand,
  ExportedFile,
} from "../../shared/dashboardMessages.ts";
import { dashboardHtml } from "./dashboardHtml.ts";
import {
  type DashboardRun,
  DashboardSession,
  type DashboardSessionOptions,
  type DashboardTarget,
} from "./dashboardSession.ts";

const DASHBOARD_VIEW_TYPE = "tinkerRL.dashboard";

/** The commands that need nothing but the editor itself are done here; all others come to `command`. */
export interface DashboardServices extends Omit<DashboardSessionOptions, "post" | "onRunShown"> {
  /** The extension's folder: holds `dist/webview` and `media`. */
  readonly extensionUri: vscode.Uri;
  /** Fires when files of a run have changed, so that the panel need not wait for its next look. */
  readonly onDidChangeRuns?: vscode.Event<unknown>;
  /** Called with the run that the panel shows from now on. */
  readonly onRunShown?: (run: DashboardRun) => void;
}

export interface Dashboard extends vscode.Disposable {
  /** Opens the panel beside, or brings it to the front, and shows the run. */
  open(run: DashboardRun, options?: DashboardOptions): void;
  /** The run that is shown; null when the panel is closed. */
  readonly shownRun: DashboardRun | null;
  /** True while the panel is in sight. */
  readonly isVisible: boolean;
}

export interface DashboardOptions {
  readonly target?: DashboardTarget;
  readonly viewColumn?: vscode.ViewColumn;
  readonly preserveFocus?: boolean;
}

interface OpenPanel {
  readonly panel: vscode.WebviewPanel;
  readonly session: DashboardSession;
}

/** Registers the serializer; push the result to the extension's subscriptions. */
export function createDashboard(parts: DashboardServices): Dashboard {
  let shown: OpenPanel | null = null;

  const adopt = (panel: vscode.WebviewPanel, run: DashboardRun | null): OpenPanel => {
    const { webview } = panel;
    const root = (name: string): vscode.Uri =>
      vscode.Uri.joinPath(parts.extensionUri, ...name.split("/"));
    webview.options = {
      enableScripts: true,
      localResourceRoots: [root("dist/webview"), root("media")],
    };
    panel.iconPath = {
      light: root("media/icons/dashboard-light.svg"),
      dark: root("media/icons/dashboard-dark.svg"),
    };
    const session = new DashboardSession(
      {
        ...parts,
        post: (message) => void webview.postMessage(message),
        command: (command, own, args) => runCommand(parts, command, own, args),
        onRunShown: (own) => {
          panel.title = own.name;
          parts.onRunShown?.(own);
        },
      },
      { run, isVisible: panel.visible },
    );
    const opened = { panel, session };
    const subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => session.receive(message)),
      panel.onDidChangeViewState(() => session.setVisible(panel.visible)),
      parts.onDidChangeRuns?.(() => session.refresh()),
    ];
    panel.onDidDispose(() => {
      session.dispose();
      for (const subscription of subscriptions) subscription?.dispose();
      if (shown === opened) shown = null;
    });
    webview.html = dashboardHtml({
      scriptUri: String(webview.asWebviewUri(root("dist/webview/dashboard.js"))),
      styleUri: String(webview.asWebviewUri(root("dist/webview/style.css"))),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString("hex"),
      language: "en",
    });
    shown = opened;
    return opened;
  };

  const serializer = vscode.window.registerWebviewPanelSerializer(DASHBOARD_VIEW_TYPE, {
    deserializeWebviewPanel: async (panel, state: unknown) => {
      const id = runIdOf(state);
      const run = id === null ? null : await parts.runs.find(id);
      shown?.panel.dispose();
      adopt(panel, run ?? (await firstRun(parts)));
    },
  });

  return {
    get shownRun() {
      return shown?.session.run ?? null;
    },
    get isVisible() {
      return shown?.panel.visible === true;
    },
    open: (run, options = {}) => {
      const {
        target = null,
        viewColumn = vscode.ViewColumn.Beside,
        preserveFocus = false,
      } = options;
      if (shown === null) {
        closeOrphans();
        const panel = vscode.window.createWebviewPanel(
          DASHBOARD_VIEW_TYPE,
          run.name,
          { viewColumn, preserveFocus },
          {},
        );
        adopt(panel, run).session.show(run, target);
        return;
      }
      shown.panel.reveal(undefined, preserveFocus);
      shown.session.show(run, target);
    },
    dispose: () => {
      serializer.dispose();
      shown?.session.dispose();
    },
  };
}

/** Tabs of the panel that no session serves: they stay after a crash of the extension host, and only this program removes them. */
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
  { command: handle }: DashboardServices,
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

function checkpointPath({ follower }: DashboardRun, { name, which }: CommandArgs): string {
  const entry = follower.checkpoints.findLast((checkpoint) => checkpoint.name === name);
  const path = which === "sampler" ? entry?.sampler_path : entry?.state_path;
  if (path == null) {
    throw new AppError(
      "no-such-checkpoint",
      `The run has no ${which ?? "state"} path for ${name}.`,
    );
  }
  return path;
}

async function saveFile({ name, content, encoding }: ExportedFile): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uri = await vscode.window.showSaveDialog(
    folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) },
  );
  if (uri !== undefined) await vscode.workspace.fs.writeFile(uri, Buffer.from(content, encoding));
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

/** The newest run, when the one that was shown is gone. */
async function firstRun({ runs }: DashboardServices): Promise<DashboardRun | null> {
  const id = (await runs.list())[0]?.id;
  return id === undefined ? null : await runs.find(id);
}

function runIdOf(state: unknown): string | null {
  if (typeof state !== "object" || state === null || !("runId" in state)) return null;
  return typeof state.runId === "string" ? state.runId : null;
}

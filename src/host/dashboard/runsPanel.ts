/** The tab of the runs table: one, reused, restored after a reload. */

import { join } from "node:path";
import * as vscode from "vscode";
import type { FileSystem } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { systemClock } from "../../node/clock.ts";
import type { RunFeeds } from "../../server/runs/runFeed.ts";
import type { RunStore } from "../../server/runs/runStore.ts";
import { RunDigests } from "../../server/runsTable/runDigests.ts";
import { RunsSession } from "../../server/runsTable/runsSession.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { Memento, RunLabels } from "../runs/runLabels.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { saveFile } from "../vscode/saveFile.ts";
import { readSetting } from "../vscode/settings.ts";
import { shortenPath } from "../vscode/shortenPath.ts";
import { fillPanel } from "./fillPanel.ts";

export interface RunsPanelOptions {
  readonly store: RunStore;
  readonly finder: Pick<RunFinder, "onDidMark">;
  readonly labels: RunLabels;
  readonly fileSystem: FileSystem;
  readonly workspaceState: Memento;
  /** The storage of this workspace; undefined without one. */
  readonly storageUri: vscode.Uri | undefined;
  readonly extensionUri: vscode.Uri;
  /** Opens the dashboard of the run in a folder. */
  readonly open: (folder: string) => void;
  readonly feeds: Pick<RunFeeds, "follow">;
}

const RUNS_VIEW_TYPE = "tinkerRL.runs";
const LAYOUT = "runsTable.layout";

interface OpenPanel {
  readonly panel: vscode.WebviewPanel;
  readonly session: RunsSession;
}

export class RunsPanel implements vscode.Disposable {
  readonly #options: RunsPanelOptions;
  readonly #digests: RunDigests;
  #shown: OpenPanel | null = null;

  constructor(options: RunsPanelOptions) {
    this.#options = options;
    const { fileSystem, storageUri } = options;
    const cachePath = storageUri === undefined ? null : join(storageUri.fsPath, "runDigests.json");
    this.#digests = new RunDigests({ fileSystem, cachePath, shortenPath });
  }

  /** Fills a panel that the editor has restored. */
  async restore(panel: vscode.WebviewPanel): Promise<void> {
    this.#shown?.panel.dispose();
    this.#adopt(panel);
  }

  /** Opens the table, or brings it to the front, and chooses runs to compare; null = those that were chosen last. */
  open(folders: readonly string[] | null): void {
    if (this.#shown === null) {
      const title = vscode.l10n.t("Tinker RL: Runs");
      this.#adopt(
        vscode.window.createWebviewPanel(RUNS_VIEW_TYPE, title, vscode.ViewColumn.Active),
      );
    } else this.#shown.panel.reveal();
    if (folders !== null) this.#shown?.session.choose(folders);
  }

  dispose(): void {
    this.#shown?.session.dispose();
  }

  /** In the editor's own comparison of texts. */
  async #diff(left: string, right: string): Promise<void> {
    const nameOf = (folder: string): string => this.#options.store.get(folder)?.name ?? folder;
    const uriOf = (folder: string): vscode.Uri => vscode.Uri.file(runPaths(folder).resolvedConfig);
    const title = vscode.l10n.t("Configurations: {0} and {1}", nameOf(left), nameOf(right));
    await vscode.commands.executeCommand("vscode.diff", uriOf(left), uriOf(right), title);
  }

  #adopt(panel: vscode.WebviewPanel): void {
    const { store, labels, workspaceState, extensionUri, open, feeds, fileSystem } = this.#options;
    const { webview } = panel;
    const session = new RunsSession(
      {
        open,
        clock: systemClock,
        digests: this.#digests,
        save: saveFile,
        fileSystem,
        follow: (folder) => feeds.follow(folder),
        diff: (left, right) => this.#diff(left, right),
        ask: askMark,
        runs: () => store.runs.filter(({ folder }) => !labels.isArchived(folder)),
        layout: {
          read: () => textOf(workspaceState.get(LAYOUT)),
          keep: (layout) => workspaceState.update(LAYOUT, layout),
        },
        hasSingleKeys: () => readSetting("dashboard.singleKeyShortcuts"),
        post: (message) => void webview.postMessage(message),
      },
      { isVisible: panel.visible },
    );
    const opened = { panel, session };
    const subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => session.receive(message)),
      panel.onDidChangeViewState(() => session.setVisible(panel.visible)),
      store.onDidChange(() => session.refresh()),
      this.#options.finder.onDidMark((folder) => session.refreshMark(folder)),
    ];
    panel.onDidDispose(() => {
      session.dispose();
      for (const subscription of subscriptions) subscription.dispose();
      if (this.#shown === opened) this.#shown = null;
    });
    fillPanel(panel, "runs", extensionUri);
    this.#shown = opened;
  }
}

async function askMark(
  what: "tags" | "note",
  name: string,
  value: string,
): Promise<string | undefined> {
  const prompt =
    what === "tags"
      ? vscode.l10n.t("Tags of {0}, separated by commas", name)
      : vscode.l10n.t("Note on {0}", name);
  return await plainWindow.showInputBox({ prompt, value });
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

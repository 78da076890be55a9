/** Shared by all pages of the window: runs and settings for their sessions, and the server connection. */

import { join } from "node:path";
import * as vscode from "vscode";
import type { Kept, PageNews, PageSettings, PageSurroundings } from "../../api/pages.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { RunList } from "../runs/runList.ts";
import type { Server } from "../server/server.ts";
import type { Memento } from "../vscode/memento.ts";
import { onSettingChange, readSetting } from "../vscode/settings.ts";
import { keep, readKept } from "./keptPages.ts";

export interface WindowPagesOptions {
  readonly store: RunList;
  readonly finder: Pick<RunFinder, "onDidMark">;
  readonly server: Server;
  readonly workspaceState: Memento;
  /** The workspace's storage; undefined without a workspace. */
  readonly storageUri: vscode.Uri | undefined;
  /** The extension's folder: holds `dist/webview` and `media`. */
  readonly extensionUri: vscode.Uri;
  readonly onError: (error: unknown) => void;
}

export class WindowPages implements vscode.Disposable {
  readonly options: WindowPagesOptions;
  readonly #changes = new vscode.EventEmitter<PageNews>();
  readonly #listening: readonly { dispose(): void }[];

  readonly onDidChange = this.#changes.event;

  constructor(options: WindowPagesOptions) {
    this.options = options;
    const { finder } = options;
    const send = (news: PageNews): void => this.#changes.fire(news);
    this.#listening = [
      finder.onDidMark((folder) => send({ kind: "marked", folder })),
      onSettingChange(
        ["dashboard.smoothing", "dashboard.singleKeyShortcuts", "dashboard.liveRegion"],
        () => send({ kind: "settings", settings: this.#settings() }),
      ),
    ];
  }

  surroundings(): PageSurroundings {
    const { storageUri } = this.options;
    return {
      settings: this.#settings(),
      workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      cachePath: storageUri === undefined ? null : join(storageUri.fsPath, "runDigests.json"),
    };
  }

  keep(change: Partial<Kept>): void {
    const { workspaceState, onError } = this.options;
    keep(workspaceState, change).catch(onError);
  }

  dispose(): void {
    for (const each of this.#listening) each.dispose();
    this.#changes.dispose();
  }

  #settings(): PageSettings {
    return {
      smoothing: readSetting("dashboard.smoothing"),
      hasSingleKeys: readSetting("dashboard.singleKeyShortcuts"),
      hasLiveRegion: readSetting("dashboard.liveRegion"),
      ...readKept(this.options.workspaceState),
    };
  }
}

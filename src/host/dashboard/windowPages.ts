/** Shared by all pages of the window: runs and settings for their sessions, and the server connection. */

import { join } from "node:path";
import * as vscode from "vscode";
import {
  type Kept,
  keptSchema,
  type PageNews,
  type PageSettings,
  type PageSurroundings,
} from "../../api/pages.ts";
import type { RunFinder } from "../runs/runFinder.ts";
import type { RunList } from "../runs/runList.ts";
import type { Server } from "../server/server.ts";
import type { Memento } from "../vscode/memento.ts";
import { onSettingChange, readSetting } from "../vscode/settings.ts";

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

export type WindowPages = ReturnType<typeof createWindowPages>;

export function createWindowPages(options: WindowPagesOptions) {
  const { finder, workspaceState, storageUri, onError } = options;
  const changes = new vscode.EventEmitter<PageNews>();
  const settings = (): PageSettings => ({
    smoothing: readSetting("dashboard.smoothing"),
    hasSingleKeys: readSetting("dashboard.singleKeyShortcuts"),
    hasLiveRegion: readSetting("dashboard.liveRegion"),
    ...readKept(workspaceState),
  });
  const listening = vscode.Disposable.from(
    changes,
    finder.onDidMark((folder) => changes.fire({ kind: "marked", folder })),
    onSettingChange(
      ["dashboard.smoothing", "dashboard.singleKeyShortcuts", "dashboard.liveRegion"],
      () => changes.fire({ kind: "settings", settings: settings() }),
    ),
  );
  return {
    options,
    onDidChange: changes.event,
    surroundings: (): PageSurroundings => ({
      settings: settings(),
      workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      cachePath: storageUri === undefined ? null : join(storageUri.fsPath, "runDigests.json"),
    }),
    keep: (change: Partial<Kept>): void => void keep(workspaceState, change).catch(onError),
    dispose: (): void => void listening.dispose(),
  };
}

/** What the user has arranged in pages is stored with the workspace. */
const KEYS: Readonly<Record<keyof Kept, string>> = {
  pinnedMetrics: "dashboard.pinnedMetrics",
  hiddenCharts: "dashboard.hiddenCharts",
  savedFilters: "dashboard.savedFilters",
  isDemoCardClosed: "dashboard.isDemoCardClosed",
  layout: "runsTable.layout",
};
const NAMES = Object.keys(KEYS) as (keyof Kept)[]; // the type of the keys is that of the record

function readKept(workspaceState: Memento): Kept {
  return keptSchema.parse(
    Object.fromEntries(NAMES.map((name) => [name, workspaceState.get(KEYS[name])])),
  );
}

async function keep(workspaceState: Memento, change: Partial<Kept>): Promise<void> {
  for (const name of NAMES) {
    if (change[name] !== undefined) await workspaceState.update(KEYS[name], change[name]);
  }
}

/** Finds the workspace's configurations and their run folders, and detects new ones. */

import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { parseConfig } from "../../core/config/parse.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { isWithin } from "../../node/confinement.ts";
import { realFolder } from "../../node/realFolder.ts";
import { runFolder } from "../../node/runFolder.ts";
import { runParent } from "../../node/runPaths.ts";
import { soon } from "../../node/soon.ts";
import { configGlob, findConfigs } from "../config/configFiles.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { onSettingChange } from "../vscode/settings.ts";
import { readWorkspaceText } from "../vscode/workspaceText.ts";
import { isInWorkspace } from "./inWorkspace.ts";
import type { ReportedRuns } from "./runList.ts";

const SETTLE_MS = 300;

export class RunFinder implements vscode.Disposable {
  readonly #store: ReportedRuns;
  readonly #onError: (error: unknown) => void;
  readonly #fixed: vscode.Disposable;
  #watchers: vscode.Disposable = new vscode.Disposable(() => undefined);
  #watched = "";
  readonly #soon = soon(SETTLE_MS, () => void this.find().catch(this.#onError));
  #configs: readonly vscode.Uri[] = [];
  readonly #found = new Emitter<void>((error) => this.#onError(error));
  /** Fires after every search for configurations, including those triggered by a change. */
  readonly onDidFind = this.#found.event;
  readonly #marked = new Emitter<string>((error) => this.#onError(error));
  /** Fires with the folder of a run whose marks were changed by any window. */
  readonly onDidMark = this.#marked.event;

  constructor(options: {
    readonly store: ReportedRuns;
    readonly onError: (error: unknown) => void;
  }) {
    this.#store = options.store;
    this.#onError = options.onError;
    const again = this.#soon;
    this.#fixed = vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(again),
      onSettingChange(["config.files"], again),
      vscode.workspace.onDidGrantWorkspaceTrust(again),
    );
  }

  dispose(): void {
    this.#fixed.dispose();
    this.#watchers.dispose();
    this.#soon.dispose();
  }

  /** The workspace's configurations, as last found. */
  get configs(): readonly vscode.Uri[] {
    return this.#configs;
  }

  /** Searches everything again. */
  async find(): Promise<void> {
    this.#configs = await findConfigs();
    this.#found.fire();
    const parents = await this.#parents();
    this.#watch(parents);
    await this.#store.look(parents);
    await setContextKey("hasConfig", this.#configs.length > 0);
    await setContextKey("hasRuns", this.#store.runs.length > 0);
  }

  async #parents(): Promise<readonly string[]> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const usual = folders
      .filter(({ uri }) => uri.scheme === "file")
      .map(({ uri }) => join(uri.fsPath, ".tinker-rl", "runs"));
    const named: (string | null)[] = [];
    // Sequentially, so that other work can run in between.
    for (const config of this.#configs) named.push(await parentOf(config));
    const parents = [...new Set([...usual, ...named.filter((parent) => parent !== null)])];
    if (vscode.workspace.isTrusted) return parents;
    // A stranger's configuration must not make the editor watch the whole disk.
    const own = await Promise.all(parents.map(isReallyInWorkspace));
    return parents.filter((_, index) => own[index]);
  }

  #watch(parents: readonly string[]): void {
    const wanted = JSON.stringify([configGlob(), parents]);
    if (wanted === this.#watched) return;
    this.#watched = wanted;
    this.#watchers.dispose();
    this.#watchers = vscode.Disposable.from(
      watched(configGlob(), this.#soon),
      ...parents.map((parent) =>
        watched(new vscode.RelativePattern(vscode.Uri.file(parent), "*/run.json"), () => {
          this.#store.refresh().catch(this.#onError);
        }),
      ),
      ...parents.map((parent) =>
        watched(new vscode.RelativePattern(vscode.Uri.file(parent), "*/marks.jsonl"), (uri) =>
          this.#marked.fire(runFolder(dirname(uri.fsPath))),
        ),
      ),
    );
  }
}

/** True if a path is in one of the window's folders with links resolved; a path that does not exist is used as it is. */
export async function isReallyInWorkspace(path: string): Promise<boolean> {
  if (!isInWorkspace(path)) return false;
  const folders = vscode.workspace.workspaceFolders ?? [];
  const roots = await Promise.all(folders.map(({ uri }) => realFolder(uri.fsPath)));
  const real = await realFolder(path);
  return roots.some((root) => isWithin(real, root));
}

/** The run folder of a configuration; null if it is not on this computer's disk. */
async function parentOf(uri: vscode.Uri): Promise<string | null> {
  if (uri.scheme !== "file") return null;
  const text = (await readWorkspaceText(uri, MAX_BYTES.config)) ?? "";
  const result = parseConfig(text, { path: uri.path });
  const config = result.ok ? result.config : { log_path: null };
  return runParent(config, uri.fsPath);
}

function watched(
  pattern: vscode.GlobPattern,
  onChange: (uri: vscode.Uri) => void,
): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  watcher.onDidCreate(onChange);
  watcher.onDidDelete(onChange);
  watcher.onDidChange(onChange);
  return watcher;
}

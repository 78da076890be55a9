/** Finds the configurations of the workspace and the folders in which their runs lie, and notices new ones. */

import { join } from "node:path";
import * as vscode from "vscode";
import { parseConfig } from "../../core/config/parse.ts";
import { MAX_BYTES } from "../../core/runFolder/wholeFiles.ts";
import { runParent } from "../../node/runPaths.ts";
import { setContextKey } from "../vscode/contextKeys.ts";
import { Emitter } from "../vscode/emitter.ts";
import { onSettingChange, readSetting } from "../vscode/settings.ts";
import { readWorkspaceText } from "../vscode/workspaceText.ts";
import type { RunLabels } from "./runLabels.ts";
import type { RunStore } from "./runStore.ts";

const MAX_CONFIGS = 20;
/** Folders that hold other people's configurations. */
const EXCLUDED = "**/{node_modules,.git,.venv,venv,dist,out}/**";
const SETTLE_MS = 300;

export class RunFinder implements vscode.Disposable {
  readonly #store: RunStore;
  readonly #labels: RunLabels;
  readonly #onError: (error: unknown) => void;
  readonly #fixed: vscode.Disposable;
  #watchers: vscode.Disposable = new vscode.Disposable(() => undefined);
  #watched = "";
  #timer: NodeJS.Timeout | null = null;
  #configs: readonly vscode.Uri[] = [];
  readonly #found: Emitter<void>;

  constructor(options: {
    readonly store: RunStore;
    readonly labels: RunLabels;
    readonly onError: (error: unknown) => void;
  }) {
    this.#store = options.store;
    this.#labels = options.labels;
    this.#onError = options.onError;
    this.#found = new Emitter(options.onError);
    const again = (): void => this.#soon();
    this.#fixed = vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(again),
      onSettingChange(["config.files"], again),
    );
  }

  dispose(): void {
    this.#fixed.dispose();
    this.#watchers.dispose();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Configurations of the workspace as found last. */
  get configs(): readonly vscode.Uri[] {
    return this.#configs;
  }

  /** Called when configurations were looked for again, also because one has changed. */
  get onDidFind(): Emitter<void>["event"] {
    return this.#found.event;
  }

  /** Looks everywhere again. */
  async find(): Promise<void> {
    this.#configs = await findConfigs();
    this.#found.fire();
    const parents = await this.#parents();
    this.#watch(parents);
    await this.#store.look(parents, this.#labels.opened);
    await setContextKey("hasConfig", this.#configs.length > 0);
    await setContextKey("hasRuns", this.#store.runs.length > 0);
  }

  async #parents(): Promise<readonly string[]> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const usual = folders
      .filter(({ uri }) => uri.scheme === "file")
      .map(({ uri }) => join(uri.fsPath, ".tinker-rl", "runs"));
    const named: (string | null)[] = [];
    // One after the other, so that other work goes on between them.
    for (const config of this.#configs) named.push(await parentOf(config));
    return [...new Set([...usual, ...named.filter((parent) => parent !== null)])];
  }

  #watch(parents: readonly string[]): void {
    const wanted = JSON.stringify([patterns(), parents]);
    if (wanted === this.#watched) return;
    this.#watched = wanted;
    this.#watchers.dispose();
    this.#watchers = vscode.Disposable.from(
      ...patterns().map((pattern) => watched(`**/${pattern}`, () => this.#soon())),
      ...parents.map((parent) =>
        watched(new vscode.RelativePattern(vscode.Uri.file(parent), "*/run.json"), () => {
          this.#store.refresh().catch(this.#onError);
        }),
      ),
    );
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.find().catch(this.#onError);
    }, SETTLE_MS);
  }
}

/** At most twenty, in the order of their paths. */
async function findConfigs(): Promise<readonly vscode.Uri[]> {
  const glob = `**/{${patterns().join(",")}}`;
  const found = await vscode.workspace.findFiles(glob, EXCLUDED, MAX_CONFIGS);
  return found.toSorted((a, b) => a.path.localeCompare(b.path));
}

function patterns(): readonly string[] {
  return readSetting("config.files");
}

/** Where the runs of a configuration lie; null when it is not on this machine's disk. */
async function parentOf(uri: vscode.Uri): Promise<string | null> {
  if (uri.scheme !== "file") return null;
  const text = (await readWorkspaceText(uri, MAX_BYTES.config)) ?? "";
  const result = parseConfig(text, { path: uri.path });
  const config = result.ok ? result.config : { log_path: null };
  return runParent(config, uri.fsPath);
}

function watched(pattern: vscode.GlobPattern, onChange: () => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  watcher.onDidCreate(onChange);
  watcher.onDidDelete(onChange);
  watcher.onDidChange(onChange);
  return watcher;
}

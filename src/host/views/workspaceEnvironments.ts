/** Environments in the workspace's configurations, including unsaved changes. */

import { setImmediate as turn } from "node:timers/promises";
import * as vscode from "vscode";
import {
  type NamedEnvironment,
  namedEnvironments,
} from "../../core/config/editing/catalogue/namedEnvironments.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";
import { soon } from "../../node/soon.ts";
import { isConfigDocument } from "../config/configFiles.ts";
import { readWorkspaceText } from "../vscode/workspaceText.ts";

export interface WorkspaceEnvironment extends NamedEnvironment {
  /** Absolute path of the configuration that uses it. */
  readonly config: string;
}

export interface WorkspaceEnvironmentsOptions {
  /** The workspace's configurations, as last found. */
  readonly configs: () => readonly vscode.Uri[];
  /** Calls back when there may be others. */
  readonly onDidChangeConfigs: (listener: () => void) => Listening;
}

const SETTLE_MS = 500;

export class WorkspaceEnvironments implements vscode.Disposable {
  readonly #options: WorkspaceEnvironmentsOptions;
  readonly #changed = new Emitter<void>();
  readonly #listeners: vscode.Disposable;
  readonly #soon = soon(SETTLE_MS, () => void this.#look());
  #known = "";

  constructor(options: WorkspaceEnvironmentsOptions) {
    this.#options = options;
    this.#listeners = vscode.Disposable.from(
      vscode.Disposable.from(options.onDidChangeConfigs(this.#soon)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (isConfigDocument(document)) this.#soon();
      }),
    );
  }

  get onDidChange(): Emitter<void>["event"] {
    return this.#changed.event;
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#soon.dispose();
  }

  /** Sorted by name, without duplicates; the first configuration with a server for it wins. */
  readonly named = async (): Promise<readonly WorkspaceEnvironment[]> => {
    const found = new Map<string, WorkspaceEnvironment>();
    for (const config of this.#options.configs()) {
      const { text, path } = await textOf(config);
      for (const each of namedEnvironments(text, { path })) {
        if ((found.get(each.name)?.server ?? null) !== null) continue;
        found.set(each.name, { ...each, config: config.fsPath });
      }
      // Yield between texts, because twenty hostile ones in a row would block other work.
      await turn();
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  };

  async #look(): Promise<void> {
    const named = JSON.stringify(await this.named());
    if (named === this.#known) return;
    this.#known = named;
    this.#changed.fire();
  }
}

async function textOf(uri: vscode.Uri): Promise<{ readonly text: string; readonly path: string }> {
  const { path } = uri;
  const open = vscode.workspace.textDocuments.find(
    (document) => document.uri.toString() === uri.toString(),
  );
  if (open !== undefined) return { text: open.getText(), path };
  return { text: (await readWorkspaceText(uri, MAX_BYTES.config)) ?? "", path };
}

/** Run logs as read-only documents that grow while their runs continue. */

import * as vscode from "vscode";
import { RUN_REQUESTS } from "../../api/runs.ts";
import type { Listening } from "../../core/util/emitter.ts";
import type { FollowRun } from "../runs/followRun.ts";
import { ask } from "../server/ask.ts";
import type { Server } from "../server/server.ts";

export const RUN_LOG_SCHEME = "tinker-rl-log";

export interface RunLogDocumentsOptions {
  readonly follow: FollowRun;
  readonly server: Server;
}

/** The URI of a run's log; with the extension `.log`, the editor highlights times and levels. */
export function runLogUri(folder: string): vscode.Uri {
  const name = folder.replace(/^.*[/\\]/, "");
  return vscode.Uri.from({ scheme: RUN_LOG_SCHEME, path: `/${name}.log`, query: folder });
}

export class RunLogDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #options: RunLogDocumentsOptions;
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #open = new Map<string, Listening>();
  readonly #listening: Listening;

  readonly onDidChange = this.#changes.event;

  constructor(options: RunLogDocumentsOptions) {
    this.#options = options;
    this.#listening = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === RUN_LOG_SCHEME) this.#forget(uri.query);
    });
  }

  dispose(): void {
    this.#listening.dispose();
    for (const folder of [...this.#open.keys()]) this.#forget(folder);
    this.#changes.dispose();
  }

  provideTextDocumentContent({ query: folder }: vscode.Uri): Promise<string> {
    const { follow, server } = this.#options;
    if (!this.#open.has(folder)) {
      const following = follow(folder, ({ hasEvents }) => {
        if (hasEvents && this.#open.has(folder)) this.#changes.fire(runLogUri(folder));
      });
      this.#open.set(folder, following);
    }
    return ask<string>(server, RUN_REQUESTS.log, { folder });
  }

  #forget(folder: string): void {
    this.#open.get(folder)?.dispose();
    this.#open.delete(folder);
  }
}

/** The logs of runs as read-only documents of the editor that grow while their runs continue. */

import * as vscode from "vscode";
import { runLogText } from "../../server/dashboard/runLogText.ts";
import type { FollowedRun, RunFeeds } from "../../server/runs/runFeed.ts";
import type { RunStore } from "../../server/runs/runStore.ts";

export const RUN_LOG_SCHEME = "tinker-rl-log";

export interface RunLogDocumentsOptions {
  readonly feeds: RunFeeds;
  readonly store: Pick<RunStore, "get">;
}

/** The address of a run's log; the ending makes the editor color times and levels. */
export function runLogUri(folder: string): vscode.Uri {
  const name = folder.replace(/^.*[/\\]/, "");
  return vscode.Uri.from({ scheme: RUN_LOG_SCHEME, path: `/${name}.log`, query: folder });
}

export class RunLogDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #options: RunLogDocumentsOptions;
  readonly #changes = new vscode.EventEmitter<vscode.Uri>();
  readonly #open = new Map<string, FollowedRun>();
  readonly #closing: vscode.Disposable;

  readonly onDidChange = this.#changes.event;

  constructor(options: RunLogDocumentsOptions) {
    this.#options = options;
    this.#closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === RUN_LOG_SCHEME) this.#forget(uri.toString());
    });
  }

  dispose(): void {
    this.#closing.dispose();
    for (const key of [...this.#open.keys()]) this.#forget(key);
    this.#changes.dispose();
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { follower } = this.#follow(uri);
    if (follower.runFile === null) await follower.refresh();
    const folder = uri.query;
    const run = this.#options.store.get(folder);
    return runLogText(run?.name ?? folder, follower.events, { isLive: run?.isLive ?? false });
  }

  #follow(uri: vscode.Uri): FollowedRun {
    const key = uri.toString();
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const run = this.#options.feeds.follow(uri.query);
    run.onDidChange(({ replaced, events }) => {
      if (replaced || events.length > 0) this.#changes.fire(uri);
    });
    this.#open.set(key, run);
    return run;
  }

  #forget(key: string): void {
    this.#open.get(key)?.dispose();
    this.#open.delete(key);
  }
}

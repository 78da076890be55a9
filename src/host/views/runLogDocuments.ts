/** Run logs as read-only documents that grow while their runs continue. */

import * as vscode from "vscode";
import { RUN_REQUESTS } from "../../api/runs.ts";
import type { Listening } from "../../core/util/emitter.ts";
import { ask } from "../server/ask.ts";
import type { FollowRun } from "../server/keptRequest.ts";
import type { Server } from "../server/server.ts";

export const RUN_LOG_SCHEME = "tinker-rl-log";

/** The URI of a run's log; with the extension `.log`, the editor highlights times and levels. */
export function runLogUri(folder: string): vscode.Uri {
  const name = folder.replace(/^.*[/\\]/, "");
  return vscode.Uri.from({ scheme: RUN_LOG_SCHEME, path: `/${name}.log`, query: folder });
}

export function createRunLogDocuments(
  follow: FollowRun,
  server: Server,
): vscode.TextDocumentContentProvider & vscode.Disposable {
  const changes = new vscode.EventEmitter<vscode.Uri>();
  const open = new Map<string, Listening>();
  const forget = (folder: string): void => {
    open.get(folder)?.dispose();
    open.delete(folder);
  };
  const listening = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
    if (uri.scheme === RUN_LOG_SCHEME) forget(uri.query);
  });
  return {
    onDidChange: changes.event,
    provideTextDocumentContent: ({ query: folder }) => {
      if (!open.has(folder)) {
        const following = follow(folder, ({ hasEvents }) => {
          if (hasEvents && open.has(folder)) changes.fire(runLogUri(folder));
        });
        open.set(folder, following);
      }
      return ask<string>(server, RUN_REQUESTS.log, { folder });
    },
    dispose: () => {
      listening.dispose();
      for (const folder of [...open.keys()]) forget(folder);
      changes.dispose();
    },
  };
}

/** Tasks played by a person in editor tabs; the server runs them. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import {
  type OpenPlayRequest,
  PLAY_MOVE,
  PLAY_REQUESTS,
  type PlayMoveMessage,
  playPageMessageSchema,
} from "../../api/play.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { errorMessage } from "../../core/errors.ts";
import type { PlayReply } from "../../shared/play.ts";
import { createPanels } from "../dashboard/panels.ts";
import type { Keys } from "../keys/createKeys.ts";
import { askWithKeys, requestFor } from "../runs/createLaunchRequest.ts";
import type { OwnEnvironment } from "../runs/ownServers.ts";
import type { Server } from "../server/server.ts";

/** What to play. */
export interface PlaySubject {
  /** Absolute path of the configuration. */
  readonly config: string;
  readonly environment: string;
  readonly split: string;
  /** Index in the split, from 0. */
  readonly task: number;
}

export interface PlayPanelsOptions {
  readonly keys: Pick<Keys, "forLaunch" | "variables" | "recoverFromLaunchError">;
  readonly server: Server;
  readonly extensionUri: vscode.Uri;
  /** Overrides that make an environment use the server the window has started. */
  readonly overrides: (environment: OwnEnvironment) => readonly string[];
  /** Shows a stored play. */
  readonly open: (folder: string) => void;
}

export type PlayPanels = ReturnType<typeof playPanels>;

export function playPanels(options: PlayPanelsOptions) {
  const panels = createPanels("play", options.extensionUri, { retainContextWhenHidden: true });
  const open = (subject: PlaySubject): void => {
    const { environment, split, task } = subject;
    const title = vscode.l10n.t("Play: {0} {1} {2}", environment, split, task);
    panels.open(title, (panel) =>
      createPlay(options, subject, (reply) => void panel.webview.postMessage(reply)),
    );
  };
  return { open, dispose: panels.dispose };
}

/** A play with its page, which receives the latest state whenever it loads. */
function createPlay(
  { keys, server, overrides, open }: PlayPanelsOptions,
  { config, environment, split, task }: PlaySubject,
  post: (reply: PlayReply) => void,
) {
  let last: PlayReply | null = null;
  let current = "";
  let closing = new vscode.CancellationTokenSource();
  const show = (reply: PlayReply): void => {
    last = reply;
    post(reply);
  };
  const fail = (message: string): void =>
    show({ kind: "failed", error: { code: "not-begun", message } });
  const run = async (token: string, closed: vscode.CancellationToken): Promise<void> => {
    const plain = requestFor(config);
    const running = overrides({ name: environment, config });
    const request = { ...plain, overrides: [...plain.overrides, ...running] };
    const outcome = await askWithKeys<null>(keys, request, environment, async (launch) => {
      if (token !== current) return null;
      const wanted: OpenPlayRequest = { progressToken: token, launch, environment, split, task };
      return await server.request<RequestOutcome<null>, PlayReply>(PLAY_REQUESTS.open, wanted, {
        token: closed,
        onProgress: (reply) => {
          if (token === current) show(reply);
        },
      });
    });
    if (token !== current) return;
    if (outcome === null)
      fail(
        vscode.l10n.t(
          "The task did not start, because you dismissed or declined a prompt. Choose Begin again to be asked again.",
        ),
      );
    else if (!outcome.ok) show({ kind: "failed", error: outcome.error });
  };
  /** Ends the current play, and starts a new one. */
  const begin = (): void => {
    closing.cancel();
    closing = new vscode.CancellationTokenSource();
    const token = randomUUID();
    current = token;
    show({ kind: "part", what: vscode.l10n.t("starting the task") });
    run(token, closing.token).catch((error: unknown) => {
      if (token === current) fail(errorMessage(error));
    });
  };
  /** Unknown messages are dropped. */
  const receive = (value: unknown): void => {
    const message = playPageMessageSchema.safeParse(value).data;
    if (message?.kind === "ready" && last !== null) post(last);
    else if (message?.kind === "again") begin();
    else if (message?.kind === "read") {
      const folder = folderOf(last);
      if (folder !== null) open(folder);
    } else if (message?.kind === "move") {
      const move: PlayMoveMessage = { play: current, move: message.move };
      // If the server is gone, the play is already shown as ended.
      server.notify(PLAY_MOVE, move).catch(() => undefined);
    }
  };
  const dispose = (): void => {
    current = "";
    closing.cancel();
  };
  return { begin, receive, dispose };
}

/** Where the play is stored; null until then. */
function folderOf(reply: PlayReply | null): string | null {
  return reply?.kind === "view" ? (reply.view.end?.folder ?? null) : null;
}

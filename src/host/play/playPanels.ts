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
import type { PageMove, PlayReply } from "../../shared/play.ts";
import { fillPanel } from "../dashboard/fillPanel.ts";
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

const VIEW_TYPE = "tinkerRL.play";

export class PlayPanels implements vscode.Disposable {
  readonly #options: PlayPanelsOptions;
  readonly #panels = new Set<vscode.WebviewPanel>();

  constructor(options: PlayPanelsOptions) {
    this.#options = options;
  }

  open(subject: PlaySubject): void {
    const { environment, split, task } = subject;
    const panel = vscode.window.createWebviewPanel(
      VIEW_TYPE,
      vscode.l10n.t("Play: {0} {1} {2}", environment, split, task),
      vscode.ViewColumn.Active,
      { enableFindWidget: true, retainContextWhenHidden: true },
    );
    const play = new Play(this.#options, subject, (reply) => {
      void panel.webview.postMessage(reply);
    });
    panel.webview.onDidReceiveMessage((message: unknown) => play.receive(message));
    panel.onDidDispose(() => {
      this.#panels.delete(panel);
      play.dispose();
    });
    this.#panels.add(panel);
    fillPanel(panel, "play", this.#options.extensionUri);
    play.begin();
  }

  dispose(): void {
    for (const panel of this.#panels) panel.dispose();
  }
}

/** A play with its page, which receives the latest state whenever it loads. */
class Play {
  readonly #options: PlayPanelsOptions;
  readonly #subject: PlaySubject;
  readonly #post: (reply: PlayReply) => void;
  #last: PlayReply | null = null;
  #token = "";
  #closing = new vscode.CancellationTokenSource();

  constructor(options: PlayPanelsOptions, subject: PlaySubject, post: (reply: PlayReply) => void) {
    this.#options = options;
    this.#subject = subject;
    this.#post = post;
  }

  /** Ends the current play, and starts a new one. */
  begin(): void {
    this.#closing.cancel();
    this.#closing = new vscode.CancellationTokenSource();
    this.#token = randomUUID();
    const token = this.#token;
    this.#show({ kind: "part", what: vscode.l10n.t("starting the task") });
    this.#run(token, this.#closing.token).catch((error: unknown) => {
      if (token === this.#token) this.#fail(errorMessage(error));
    });
  }

  /** Call with every message from the page; unknown messages are dropped. */
  receive(value: unknown): void {
    const message = playPageMessageSchema.safeParse(value).data;
    if (message === undefined) return;
    if (message.kind === "ready") {
      if (this.#last !== null) this.#post(this.#last);
    } else if (message.kind === "again") this.begin();
    else if (message.kind === "read") {
      const folder = this.#last?.kind === "view" ? (this.#last.view.end?.folder ?? null) : null;
      if (folder !== null) this.#options.open(folder);
    } else this.#move(message.move);
  }

  dispose(): void {
    this.#token = "";
    this.#closing.cancel();
  }

  async #run(token: string, closing: vscode.CancellationToken): Promise<void> {
    const { keys, server, overrides } = this.#options;
    const { config, environment, split, task } = this.#subject;
    const plain = requestFor(config);
    const running = overrides({ name: environment, config });
    const request = { ...plain, overrides: [...plain.overrides, ...running] };
    const outcome = await askWithKeys<null>(keys, request, environment, async (launch) => {
      if (token !== this.#token) return null;
      const open: OpenPlayRequest = { progressToken: token, launch, environment, split, task };
      return await server.request<RequestOutcome<null>, PlayReply>(PLAY_REQUESTS.open, open, {
        token: closing,
        onProgress: (reply) => {
          if (token === this.#token) this.#show(reply);
        },
      });
    });
    if (token !== this.#token) return;
    if (outcome === null)
      this.#fail(
        vscode.l10n.t(
          "The task did not start, because you dismissed or declined a prompt. Choose Begin again to be asked again.",
        ),
      );
    else if (!outcome.ok) this.#show({ kind: "failed", error: outcome.error });
  }

  #move(move: PageMove): void {
    const message: PlayMoveMessage = { play: this.#token, move };
    // If the server is gone, the play is already shown as ended.
    this.#options.server.notify(PLAY_MOVE, message).catch(() => undefined);
  }

  #fail(message: string): void {
    this.#show({ kind: "failed", error: { code: "not-begun", message } });
  }

  #show(reply: PlayReply): void {
    this.#last = reply;
    this.#post(reply);
  }
}

/** Conversations with models in editor tabs; the server runs them. */

import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import * as vscode from "vscode";
import {
  CHAT_ACT,
  CHAT_REQUESTS,
  type ChatActMessage,
  type ChatStart,
  type OpenChatRequest,
} from "../../api/chat.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { errorMessage } from "../../core/errors.ts";
import type { ChatBeginning, ChatReply } from "../../shared/chat.ts";
import { fillPanel } from "../dashboard/fillPanel.ts";
import type { Keys } from "../keys/createKeys.ts";
import type { LaunchScope } from "../keys/launchKeys.ts";
import { createLaunchRequest, recover } from "../runs/createLaunchRequest.ts";
import type { Server } from "../server/server.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { ChatSession, type OpenConversation } from "./chatSession.ts";
import { chatTitle } from "./chatTitle.ts";

/** What a conversation is about. */
export interface ChatSubject {
  /** The run whose configuration and keys apply. */
  readonly run: { readonly folder: string; readonly name: string; readonly configPath: string };
  readonly start: Omit<ChatStart, "launch" | "settings">;
  /** The environment whose keys are needed; null = none. */
  readonly environment: string | null;
}

export interface ChatPanelsOptions {
  readonly keys: Pick<Keys, "forLaunch" | "variables" | "recoverFromLaunchError">;
  readonly server: Server;
  readonly extensionUri: vscode.Uri;
}

/** Undefined if the user dismissed a prompt. */
type Ask = (
  subject: ChatSubject,
  what: Exclude<ChatBeginning, "again">,
) => Promise<ChatSubject | undefined>;

const VIEW_TYPE = "tinkerRL.chat";

export class ChatPanels implements vscode.Disposable {
  readonly #options: ChatPanelsOptions;
  readonly #panels = new Set<vscode.WebviewPanel>();

  constructor(options: ChatPanelsOptions) {
    this.#options = options;
  }

  /** `ask` is called when the user wants to talk about something else. */
  open(first: ChatSubject, ask: Ask): void {
    const { extensionUri } = this.#options;
    let subject = first;
    const panel = vscode.window.createWebviewPanel(
      VIEW_TYPE,
      chatTitle(subject.run, subject.start),
      vscode.ViewColumn.Active,
      { enableFindWidget: true },
    );
    const { webview } = panel;
    const session = new ChatSession({
      open: (onReply, settings) => this.#open(subject, onReply, settings),
      recover: (error) => recover(this.#options.keys, error, requestOf(subject)),
      post: (reply) => void webview.postMessage(reply),
      ask: (what) => {
        const asking = ask(subject, what).then((chosen) => {
          if (chosen === undefined || !this.#panels.has(panel)) return;
          subject = chosen;
          panel.title = chatTitle(subject.run, subject.start);
          session.begin();
        });
        asking.catch((error: unknown) => plainWindow.showErrorMessage(errorMessage(error)));
      },
      shorten: (text) => withShortPaths(text, subject),
    });
    webview.onDidReceiveMessage((message: unknown) => session.receive(message));
    panel.onDidDispose(() => {
      this.#panels.delete(panel);
      session.dispose();
    });
    this.#panels.add(panel);
    fillPanel(panel, "chat", extensionUri);
    session.begin();
  }

  dispose(): void {
    for (const panel of this.#panels) panel.dispose();
  }

  /** Null if the user dismissed a prompt. */
  async #open(
    subject: ChatSubject,
    onReply: (reply: ChatReply) => void,
    settings: ChatStart["settings"],
  ): Promise<OpenConversation | null> {
    const { keys, server } = this.#options;
    const only: LaunchScope = { environment: subject.environment, isSampled: true };
    const launch = await createLaunchRequest(keys, requestOf(subject), { only });
    if (launch === null) return null;
    const conversation = randomUUID();
    const request: OpenChatRequest = {
      ...subject.start,
      progressToken: conversation,
      settings,
      launch,
    };
    const closing = new vscode.CancellationTokenSource();
    const options = { token: closing.token, onProgress: onReply };
    const over = server.request<RequestOutcome<null>, ChatReply>(
      CHAT_REQUESTS.open,
      request,
      options,
    );
    return {
      act: (action) => {
        const message: ChatActMessage = { conversation, action };
        // If the server is gone, the conversation is already shown as ended.
        server.notify(CHAT_ACT, message).catch(() => undefined);
      },
      close: () => closing.cancel(),
      over,
    };
  }
}

/** Like a request to resume the run, but without the editor's own overrides, because the chat format must be the run's. */
function requestOf({ run: { folder, configPath } }: ChatSubject) {
  const project = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(configPath));
  return {
    configPath,
    title: "",
    resume: folder,
    overrides: [],
    settingOverrides: [],
    project: project?.uri.fsPath ?? null,
  };
}

function withShortPaths(text: string, { run }: ChatSubject): string {
  const short = vscode.workspace.asRelativePath(run.folder, false);
  return text.replaceAll(run.folder, short).replaceAll(homedir(), "~");
}

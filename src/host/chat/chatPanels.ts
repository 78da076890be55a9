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
import { createPanels } from "../dashboard/panels.ts";
import type { Keys } from "../keys/createKeys.ts";
import type { LaunchScope } from "../keys/launchKeys.ts";
import { createLaunchRequest, recover, requestFor } from "../runs/createLaunchRequest.ts";
import type { TrainingRequest } from "../runs/trainings.ts";
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

export type ChatPanels = ReturnType<typeof chatPanels>;

export function chatPanels(options: ChatPanelsOptions) {
  const panels = createPanels("chat", options.extensionUri, { retainContextWhenHidden: false });
  /** `ask` is called when the user wants to talk about something else. */
  const open = (first: ChatSubject, ask: Ask): void => {
    let subject = first;
    panels.open(chatTitle(subject.run, subject.start), (panel) => {
      const session = new ChatSession({
        open: (onReply, settings) => openConversation(subject, { onReply, settings }, options),
        recover: (error) => recover(options.keys, error, requestOf(subject)),
        post: (reply) => void panel.webview.postMessage(reply),
        ask: (what) => {
          const asking = ask(subject, what).then((chosen) => {
            if (chosen === undefined || !panels.isOpen(panel)) return;
            subject = chosen;
            panel.title = chatTitle(subject.run, subject.start);
            session.begin();
          });
          asking.catch((error: unknown) => plainWindow.showErrorMessage(errorMessage(error)));
        },
        shorten: (text) => withShortPaths(text, subject),
      });
      return session;
    });
  };
  return { open, dispose: panels.dispose };
}

/** Null if the user dismissed a prompt. */
async function openConversation(
  subject: ChatSubject,
  {
    onReply,
    settings,
  }: {
    readonly onReply: (reply: ChatReply) => void;
    readonly settings: ChatStart["settings"];
  },
  { keys, server }: ChatPanelsOptions,
): Promise<OpenConversation | null> {
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
  return {
    act: (action) => {
      const message: ChatActMessage = { conversation, action };
      // If the server is gone, the conversation is already shown as ended.
      server.notify(CHAT_ACT, message).catch(() => undefined);
    },
    close: () => closing.cancel(),
    over: server.request<RequestOutcome<null>, ChatReply>(CHAT_REQUESTS.open, request, options),
  };
}

/** Like a request to resume the run, but without the editor's own overrides, because the chat format must be the run's. */
function requestOf({ run: { folder, configPath } }: ChatSubject): TrainingRequest {
  return { ...requestFor(configPath), resume: folder, settingOverrides: [] };
}

function withShortPaths(text: string, { run }: ChatSubject): string {
  const short = vscode.workspace.asRelativePath(run.folder, false);
  return text.replaceAll(run.folder, short).replaceAll(homedir(), "~");
}

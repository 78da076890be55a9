/** State and actions of the chat page. */

import { type Signal, signal } from "@preact/signals";
import type {
  ChatAction,
  ChatBeginning,
  ChatPageMessage,
  ChatReply,
  ChatView,
} from "../../src/shared/chat.ts";
import type { VsCodeApi } from "../model/shell.ts";

interface Failure {
  readonly message: string;
  readonly isOver: boolean;
}

export class ChatModel {
  readonly view: Signal<ChatView | null> = signal(null);
  /** The startup stage in progress; null = started or failed. */
  readonly part: Signal<string | null> = signal(null);
  readonly failure: Signal<Failure | null> = signal(null);
  readonly isRaw = signal(false);
  readonly isThinkingOpen = signal(true);
  /** The unsent message; survives while the page is hidden. */
  readonly draft: Signal<string>;
  readonly #host: VsCodeApi;

  constructor(host: VsCodeApi) {
    this.#host = host;
    this.draft = signal(draftIn(host.getState()));
  }

  /** Starts listening for replies. Call once. */
  listen(): void {
    window.addEventListener("message", ({ data }: MessageEvent<ChatReply>) => this.#take(data));
    this.#post({ kind: "ready" });
  }

  act(action: ChatAction): void {
    if (this.failure.value?.isOver === false) this.failure.value = null;
    this.#post({ kind: "act", action });
  }

  begin(what: ChatBeginning): void {
    this.#post({ kind: "begin", what });
  }

  write(draft: string): void {
    this.draft.value = draft;
    this.#host.setState({ draft });
  }

  #post(message: ChatPageMessage): void {
    this.#host.postMessage(message);
  }

  #take(reply: ChatReply): void {
    if (reply.kind === "part") {
      this.part.value = reply.what;
      // The previous conversation has ended, so nothing may be sent to it.
      this.view.value = null;
      this.failure.value = null;
      return;
    }
    this.part.value = null;
    if (reply.kind === "view") this.view.value = reply.view;
    else this.failure.value = { message: reply.error.message, isOver: reply.isOver };
  }
}

/** Props of every component of the page. */
export interface ChatProps {
  readonly chat: ChatModel;
}

function draftIn(state: unknown): string {
  if (typeof state !== "object" || state === null || !("draft" in state)) return "";
  return typeof state.draft === "string" ? state.draft : "";
}

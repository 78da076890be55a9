/** A conversation in the editor with its page, which receives the complete state whenever it loads. */

import * as l10n from "@vscode/l10n";
import { chatPageMessageSchema } from "../../api/chat.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { errorMessage, isAppError } from "../../core/errors.ts";
import type { ChatAction, ChatBeginning, ChatReply, ChatSettings } from "../../shared/chat.ts";
import type { LaunchError } from "../../shared/control.ts";

/** A conversation held by the server. */
export interface OpenConversation {
  act(action: ChatAction): void;
  /** Ends the conversation. */
  close(): void;
  /** Resolves when it is over; rejects if the server exits. */
  readonly over: Promise<RequestOutcome<null>>;
}

export interface ChatSessionOptions {
  /** Opens a conversation with the previous one's settings; null if the user dismissed a prompt. */
  readonly open: (
    onReply: (reply: ChatReply) => void,
    settings: ChatSettings | null,
  ) => Promise<OpenConversation | null>;
  /** Called if it could not start; true = retry, because the user fixed the cause. */
  readonly recover: (error: LaunchError) => Promise<boolean>;
  readonly post: (reply: ChatReply) => void;
  /** Asks what to start with instead; the answer calls {@link ChatSession.begin}. */
  readonly ask: (what: Exclude<ChatBeginning, "again">) => void;
  /** Shortens absolute paths in what the page shows. */
  readonly shorten: (text: string) => string;
}

type Reply<Kind extends ChatReply["kind"]> = Extract<ChatReply, { readonly kind: Kind }>;

/** The page is untrusted: unknown messages are dropped. */
export class ChatSession {
  readonly #options: ChatSessionOptions;
  #conversation: OpenConversation | null = null;
  /** Number of the current conversation; replies of earlier ones are dropped. */
  #beginning = 0;
  /** Settings that a new conversation takes over. */
  #settings: ChatSettings | null = null;
  /** Null = not starting. */
  #part: Reply<"part"> | null = null;
  #view: Reply<"view"> | null = null;
  /** The failure of the last request. */
  #failure: Reply<"failed"> | null = null;

  constructor(options: ChatSessionOptions) {
    this.#options = options;
  }

  /** Ends the current conversation, and starts a new one. */
  begin(): void {
    this.#end();
    const beginning = this.#beginning;
    if (this.#view !== null) {
      this.#settings = { ...this.#view.view.settings, answersBy: "environment" };
    }
    [this.#view, this.#failure] = [null, null];
    this.#show({ kind: "part", what: l10n.t("starting the conversation") });
    this.#run(beginning).catch((error: unknown) => {
      if (this.#beginning !== beginning) return;
      this.#conversation = null;
      this.#fail({ code: "not-begun", message: reasonOf(error) });
    });
  }

  /** Call with every message from the page. */
  receive(value: unknown): void {
    const message = chatPageMessageSchema.safeParse(value).data;
    if (message === undefined) return;
    if (message.kind === "ready") this.#showAll();
    else if (message.kind === "act") this.#act(message.action);
    else if (message.what === "again") this.begin();
    else this.#options.ask(message.what);
  }

  /** Safe to call repeatedly. */
  dispose(): void {
    this.#end();
  }

  async #run(beginning: number): Promise<void> {
    const { open, recover } = this.#options;
    const isOwn = (): boolean => this.#beginning === beginning;
    for (;;) {
      const conversation = await open((reply) => {
        if (isOwn()) this.#show(reply);
      }, this.#settings);
      // Also if the conversation is no longer wanted.
      conversation?.over.catch(() => undefined);
      if (!isOwn()) return conversation?.close();
      if (conversation === null)
        return this.#fail({
          code: "not-begun",
          message: l10n.t(
            "The conversation did not start, because you dismissed or declined a prompt. Choose Begin again to be asked again.",
          ),
        });
      this.#conversation = conversation;
      const outcome = await conversation.over;
      if (!isOwn() || outcome.ok) return;
      this.#conversation = null;
      this.#fail(outcome.error);
      if (this.#view !== null || !(await recover(outcome.error)) || !isOwn()) return;
      this.#failure = null;
    }
  }

  #act(action: ChatAction): void {
    // A new action clears the previous failure.
    if (this.#failure?.isOver === false) this.#failure = null;
    this.#conversation?.act(action);
  }

  #fail(error: LaunchError): void {
    this.#show({ kind: "failed", error, isOver: true });
  }

  #show(reply: ChatReply): void {
    const shown = withShortPaths(reply, this.#options.shorten);
    if (shown.kind === "part") this.#part = shown;
    else if (shown.kind === "view") [this.#view, this.#part] = [shown, null];
    else [this.#failure, this.#part] = [shown, null];
    this.#options.post(shown);
  }

  #showAll(): void {
    for (const reply of [this.#view, this.#part, this.#failure]) {
      if (reply !== null) this.#options.post(reply);
    }
  }

  #end(): void {
    this.#beginning += 1;
    this.#conversation?.close();
    this.#conversation = null;
  }
}

function reasonOf(error: unknown): string {
  return isAppError(error, "server-stopped")
    ? l10n.t("The Tinker RL server stopped unexpectedly. This conversation ended with it.")
    : errorMessage(error);
}

function withShortPaths(reply: ChatReply, shorten: (text: string) => string): ChatReply {
  switch (reply.kind) {
    case "part":
      return { ...reply, what: shorten(reply.what) };
    case "view":
      return { ...reply, view: { ...reply.view, notes: reply.view.notes.map(shorten) } };
    case "failed":
      return { ...reply, error: { ...reply.error, message: shorten(reply.error.message) } };
  }
}

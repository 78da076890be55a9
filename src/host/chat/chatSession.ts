/** One conversation in the editor, and its page, which gets all there is to show whenever it loads. */

import * as l10n from "@vscode/l10n";
import { chatPageMessageSchema } from "../../api/chat.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { errorMessage, isAppError } from "../../core/errors.ts";
import type { ChatAction, ChatBeginning, ChatReply, ChatSettings } from "../../shared/chat.ts";
import type { LaunchError } from "../../shared/control.ts";

/** As the server holds it. */
export interface OpenConversation {
  act(action: ChatAction): void;
  /** Ends it. */
  close(): void;
  /** Resolves once it is over, and rejects when the server has ended. */
  readonly over: Promise<RequestOutcome<null>>;
}

export interface ChatSessionOptions {
  /** Opens one with the settings of the conversation before; null when the user went away from a question. */
  readonly open: (
    onReply: (reply: ChatReply) => void,
    settings: ChatSettings | null,
  ) => Promise<OpenConversation | null>;
  /** Called when it could not begin; true = try once more, because the user has removed the cause. */
  readonly recover: (error: LaunchError) => Promise<boolean>;
  readonly post: (reply: ChatReply) => void;
  /** Asks what to begin with instead; the answer calls {@link ChatSession.begin}. */
  readonly ask: (what: Exclude<ChatBeginning, "again">) => void;
  /** Removes absolute paths from what the page shows. */
  readonly shorten: (text: string) => string;
}

type Reply<Kind extends ChatReply["kind"]> = Extract<ChatReply, { readonly kind: Kind }>;

/** The page is not trusted: what is not a known message is dropped. */
export class ChatSession {
  readonly #options: ChatSessionOptions;
  #conversation: OpenConversation | null = null;
  /** Of the conversation that is shown; what an earlier one still says is dropped. */
  #beginning = 0;
  /** What a new beginning takes over. */
  #settings: ChatSettings | null = null;
  /** Null = nothing is being begun any more. */
  #part: Reply<"part"> | null = null;
  #view: Reply<"view"> | null = null;
  /** The failure of the last request. */
  #failure: Reply<"failed"> | null = null;

  constructor(options: ChatSessionOptions) {
    this.#options = options;
  }

  /** Ends the conversation that there is, and begins one. */
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

  /** Call with everything the page posts. */
  receive(value: unknown): void {
    const message = chatPageMessageSchema.safeParse(value).data;
    if (message === undefined) return;
    if (message.kind === "ready") this.#showAll();
    else if (message.kind === "act") this.#act(message.action);
    else if (message.what === "again") this.begin();
    else this.#options.ask(message.what);
  }

  /** Harmless when repeated. */
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
      // Also of one that nobody waits for any more.
      conversation?.over.catch(() => undefined);
      if (!isOwn()) return conversation?.close();
      if (conversation === null)
        return this.#fail({
          code: "not-begun",
          message: l10n.t(
            "The conversation did not start, because you dismissed or declined a prompt. Choose Begin Again to be asked again.",
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
    // What failed before is over once something else is asked for.
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

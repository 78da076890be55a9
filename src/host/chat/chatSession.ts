/** One conversation in the editor: its program, and its page, which gets all there is to show whenever it loads. */

import * as l10n from "@vscode/l10n";
import { errorMessage } from "../../core/errors.ts";
import { chatPageMessageSchema } from "../../node/control/chatMessages.ts";
import type { ChatAction, ChatBeginning, ChatReply, ChatSettings } from "../../shared/chat.ts";
import type { LaunchError } from "../../shared/control.ts";
import type { StartedProgram } from "../runs/startProgram.ts";

export interface ChatSessionOptions {
  /** Starts the program with the settings of the conversation before; null when the user went away from a question. */
  readonly start: (
    onReply: (reply: ChatReply) => void,
    settings: ChatSettings | null,
  ) => Promise<StartedProgram | null>;
  /** Called when the program refused to begin; true = try once more, because the user has removed the cause. */
  readonly recover: (error: LaunchError) => Promise<boolean>;
  readonly post: (reply: ChatReply) => void;
  /** Asks what to begin with instead; the answer calls {@link ChatSession.begin}. */
  readonly ask: (what: Exclude<ChatBeginning, "again">) => void;
  /** Removes absolute paths from what the page shows. */
  readonly shorten: (text: string) => string;
}

type Reply<Kind extends ChatReply["kind"]> = Extract<ChatReply, { readonly kind: Kind }>;

/** A program that was asked to end and has not is killed. */
const ENDING_MS = 5_000;

/** The page is not trusted: what is not a known message is dropped. */
export class ChatSession {
  readonly #options: ChatSessionOptions;
  #program: StartedProgram | null = null;
  /** Of the program that runs now; what an earlier one still says is dropped. */
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
    this.#show({ kind: "part", what: l10n.t("starting the program") });
    this.#run(beginning).catch((error: unknown) => {
      if (this.#beginning === beginning) this.#fail("not-begun", errorMessage(error));
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
    const { start, recover } = this.#options;
    const isOwn = (): boolean => this.#beginning === beginning;
    for (;;) {
      const program = await start((reply) => {
        if (isOwn()) this.#show(reply);
      }, this.#settings);
      if (!isOwn()) {
        if (program !== null) endSoon(program);
        return;
      }
      if (program === null)
        return this.#fail("not-begun", l10n.t("The conversation was not begun."));
      this.#program = program;
      const { errors } = await program.ended;
      if (!isOwn()) return;
      this.#program = null;
      const failure: Reply<"failed"> | null = this.#failure;
      if (failure?.isOver !== true) return this.#fail("program-failed", endText(errors));
      if (this.#view !== null || !(await recover(failure.error)) || !isOwn()) return;
      this.#failure = null;
    }
  }

  #act(action: ChatAction): void {
    // What failed before is over once something else is asked for.
    if (this.#failure?.isOver === false) this.#failure = null;
    this.#program?.send(action);
  }

  #fail(code: string, message: string): void {
    this.#show({ kind: "failed", error: { code, message }, isOver: true });
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
    if (this.#program !== null) endSoon(this.#program);
    this.#program = null;
  }
}

function endSoon(program: StartedProgram): void {
  program.endInput();
  const timer = setTimeout(() => program.kill(), ENDING_MS);
  program.ended.then(
    () => clearTimeout(timer),
    () => clearTimeout(timer),
  );
}

function endText(errors: string): string {
  return errors.trim() || l10n.t("The program that talks to the model has ended.");
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

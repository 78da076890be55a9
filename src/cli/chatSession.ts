/** A person's side of conversations with one model, or with several beside each other: what a line does, and what is shown. */

import type { Conversation } from "../core/conversation/conversation.ts";
import type { ModelTurn, SamplingSettings } from "../core/conversation/modelTurn.ts";
import { AppError } from "../core/errors.ts";
import type { Clock, FileSystem } from "../core/ports.ts";
import { scoreRewards } from "../core/rollout/rewards.ts";
import type { ToolAnswer } from "../core/rollout/toolCalls.ts";
import { formatExact } from "../shared/format.ts";
import { l10n } from "../shared/l10n.ts";
import type { ChatPartner, OpenChat } from "../trainer/chat/openChat.ts";
import { asciiJson } from "./asciiJson.ts";
import { type ChatInput, chatHelp, readInput } from "./chatCommands.ts";
import { answersJson, conversationJson, turnJson } from "./chatJson.ts";
import { answerLines, type ShownOptions, turnLines, turnTokenLines } from "./chatLines.ts";
import { type Line, styled } from "./line.ts";
import type { Terminal } from "./terminal.ts";
import { UnderWay } from "./underWay.ts";

export interface ChatSessionOptions {
  readonly chat: OpenChat;
  readonly out: Terminal;
  /** Shows what is under way, and with JSON everything that is none. */
  readonly err: Terminal;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  /** Over those of the configuration. */
  readonly sampling: Partial<SamplingSettings> & Pick<SamplingSettings, "seed">;
  /** Turns that are sampled side by side. */
  readonly samples: number;
  readonly wantsJson: boolean;
}

export class ChatSession {
  readonly #options: ChatSessionOptions;
  #sampling: ChatSessionOptions["sampling"];
  #samples: number;
  #answersBy: "environment" | "person" = "environment";
  /** Of the person, to the first of the calls that wait for answers. */
  #given: readonly string[] = [];
  #working: AbortController | null = null;

  constructor(options: ChatSessionOptions) {
    this.#options = options;
    this.#sampling = options.sampling;
    this.#samples = options.samples;
  }

  /** What is waited for. */
  get promptText(): string {
    const call = this.#asked?.conversation.openCalls[this.#given.length];
    if (call !== undefined) return l10n.t("answer of {0}>", call.name);
    return this.#some("choice").length > 0 ? "/pick>" : l10n.t("you>");
  }

  /** Stops what is under way; false when nothing is. */
  stop(): boolean {
    if (this.#working === null || this.#working.signal.aborted) return false;
    this.#working.abort(new AppError("stopped", l10n.t("stopped")));
    return true;
  }

  /**
   * Does what a line says. False when the person leaves.
   * @throws AppError `bad-arguments`, `conversation-order`, `stopped`, `task-not-repeatable`, and as services do; the conversation stays usable
   */
  async handle(line: string): Promise<boolean> {
    const input = readInput(line);
    if (input.kind === "quit") return false;
    await this.#do(input);
    return true;
  }

  /** Lets the models go on until the person is waited for. @throws as {@link handle} */
  async goOn(): Promise<void> {
    let turnsLeft = Math.max(...this.#partners.map(({ settings }) => settings.maxTurns));
    for (;;) {
      const sampling = this.#some("turn");
      const calling = this.#some("answers").filter(({ conversation }) => this.#isRun(conversation));
      if (sampling.length > 0) {
        if (turnsLeft === 0) return;
        turnsLeft -= 1;
        await this.#sample(sampling);
      } else if (calling.length > 0) for (const partner of calling) await this.#runCalls(partner);
      else return;
    }
  }

  get #partners(): readonly ChatPartner[] {
    return this.#options.chat.partners;
  }

  #some(next: Conversation["next"]): readonly ChatPartner[] {
    return this.#partners.filter(({ conversation }) => conversation.next === next);
  }

  /** The one whose calls the person answers. */
  get #asked(): ChatPartner | undefined {
    return this.#partners.find(({ conversation }) => conversation.openCalls.length > 0);
  }

  /** True when nobody but the program answers: faulty calls are answered with their faults. */
  #isRun({ openCalls, hasEnvironment }: Conversation): boolean {
    return openCalls.length === 0 || (hasEnvironment && this.#answersBy === "environment");
  }

  async #do(input: Exclude<ChatInput, { readonly kind: "quit" }>): Promise<void> {
    switch (input.kind) {
      case "text":
        return this.#say(input.text);
      case "answer":
        return this.#answer(input.text);
      case "help":
        return this.#print(chatHelp());
      case "tokens":
        return this.#showTokens();
      case "save":
        return this.#save(input.path);
      case "pick":
        return this.#pick(input.number - 1);
      case "again":
        return this.#again();
      case "undo":
        return this.#undo();
      case "samples":
        this.#samples = input.value;
        return;
      case "tools":
        this.#answersBy = input.by;
        return this.goOn();
      case "seed":
      case "temperature":
        this.#sampling = { ...this.#sampling, [input.kind]: input.value };
    }
  }

  async #say(text: string): Promise<void> {
    for (const { conversation } of this.#some("choice")) conversation.choose(0);
    if (text !== "" && this.#asked !== undefined) return this.#answer(text);
    if (text !== "") {
      const [first] = this.#partners;
      const waiting = this.#some("message");
      // Without any that waits, the first says what is waited for instead.
      for (const { conversation } of waiting.length > 0 || !first ? waiting : [first]) {
        await conversation.say(text);
      }
    }
    await this.goOn();
  }

  async #answer(text: string): Promise<void> {
    const partner = this.#asked;
    if (partner === undefined) {
      throw new AppError("conversation-order", l10n.t("No call waits for an answer."));
    }
    const { conversation } = partner;
    const given = [...this.#given, text];
    const isLast = given.length >= conversation.openCalls.length;
    this.#given = isLast ? [] : given;
    if (!isLast) return;
    await conversation.answer(given);
    const last = conversation.events.at(-1);
    if (last?.kind === "answers") this.#showAnswers(partner, "person", last.answers);
    await this.goOn();
  }

  async #pick(index: number): Promise<void> {
    const [first] = this.#partners;
    const waiting = this.#some("choice");
    for (const { conversation } of waiting.length > 0 || !first ? waiting : [first]) {
      conversation.choose(index);
    }
    await this.goOn();
  }

  async #again(): Promise<void> {
    this.#given = [];
    const taken = await Promise.all(
      this.#partners.map(({ conversation }) => conversation.takeBackTurn()),
    );
    if (!taken.includes(true)) this.#note(l10n.t("There is no turn yet."));
    await this.goOn();
  }

  async #undo(): Promise<void> {
    this.#given = [];
    const taken = await Promise.all(this.#partners.map(({ conversation }) => conversation.undo()));
    const isTaken = taken.includes(true);
    this.#note(isTaken ? l10n.t("taken back") : l10n.t("There is nothing to take back."));
  }

  async #sample(partners: readonly ChatPartner[]): Promise<void> {
    const { err, clock } = this.#options;
    const working = new AbortController();
    const underWay = new UnderWay(err, clock, partners.length * this.#samples);
    this.#working = working;
    try {
      const drawn = await Promise.allSettled(
        partners.map(({ conversation, sampling }) =>
          conversation.sample(
            { ...sampling, ...this.#sampling },
            { count: this.#samples, signal: working.signal, onSampled: () => underWay.add() },
          ),
        ),
      );
      underWay.close();
      for (const [i, partner] of partners.entries()) {
        const turns = drawn[i];
        if (turns?.status === "fulfilled") this.#showTurns(partner, turns.value);
      }
      const failed = drawn.find((each) => each.status === "rejected");
      if (failed !== undefined)
        throw working.signal.aborted ? working.signal.reason : failed.reason;
    } finally {
      underWay.close();
      this.#working = null;
    }
  }

  async #runCalls(partner: ChatPartner): Promise<void> {
    const { conversation } = partner;
    if (!conversation.hasEnvironment) return conversation.answer([]);
    const working = new AbortController();
    this.#working = working;
    try {
      const answers = await conversation.runCalls(working.signal);
      this.#showAnswers(partner, "environment", answers);
    } catch (error) {
      // What the environment has run is not known after a stop; the person answers, or lets it begin again.
      this.#answersBy = "person";
      throw working.signal.aborted ? working.signal.reason : error;
    } finally {
      this.#working = null;
    }
  }

  #showTurns(partner: ChatPartner, turns: readonly ModelTurn[]): void {
    const { wantsJson } = this.#options;
    const isOpen = partner.conversation.next === "choice";
    const turn = turnsOf(partner.conversation) + (isOpen ? 1 : 0);
    for (const [i, each] of turns.entries()) {
      if (wantsJson) this.#printJson(turnJson(partner, each, { turn, sample: i + 1 }));
      else
        this.#print(
          turnLines(each, { ...this.#shown, title: this.#title(partner, i, turns.length) }),
        );
    }
  }

  #title({ label }: ChatPartner, index: number, count: number): string | null {
    const ofSeveral = count === 1 ? [] : [l10n.t("sample {0} of {1}", index + 1, count)];
    const parts = [...(this.#partners.length === 1 ? [] : [label]), ...ofSeveral];
    return parts.length === 0 ? null : parts.join(" · ");
  }

  #showAnswers(
    partner: ChatPartner,
    by: "environment" | "person",
    answers: readonly ToolAnswer[],
  ): void {
    const { conversation, settings } = partner;
    if (this.#options.wantsJson) {
      this.#printJson(answersJson(partner, by, answers, turnsOf(conversation)));
      return;
    }
    if (by === "environment") this.#print(answerLines(answers, this.#shown));
    if (conversation.next !== "nothing") return;
    const { clamped } = scoreRewards(conversation.rewards, true, settings.rewards);
    this.#print([
      [styled("good", l10n.t("The episode is over: reward {0}.", formatExact(clamped)))],
    ]);
  }

  #showTokens(): void {
    for (const partner of this.#partners) {
      const last = partner.conversation.events.findLast((event) => event.kind === "turn");
      if (last === undefined) this.#note(l10n.t("There is no turn yet."));
      else this.#print(turnTokenLines(last.turn, partner, this.#shown.width));
    }
  }

  async #save(path: string): Promise<void> {
    const { fileSystem, chat } = this.#options;
    if ((await fileSystem.size(path)) !== null) {
      throw new AppError("bad-arguments", l10n.t("{0} exists. Choose another name.", path));
    }
    const { task, partners } = chat;
    const conversations = partners.map((partner) => ({
      model: partner.label,
      events: conversationJson(partner),
    }));
    const record = chat.clean({ task, sampling: this.#sampling, conversations });
    await fileSystem.writeAtomic(path, `${JSON.stringify(record, null, 2)}\n`);
    this.#note(l10n.t("written to {0}", path));
  }

  get #shown(): ShownOptions {
    const { out, chat } = this.#options;
    return { width: out.columns, clean: (record) => chat.clean(record) };
  }

  #printJson(record: object): void {
    this.#options.out.print([[asciiJson(this.#options.chat.clean(record))]]);
  }

  #note(text: string): void {
    this.#print([[styled("quiet", text)]]);
  }

  #print(lines: readonly Line[]): void {
    const { out, err, wantsJson } = this.#options;
    (wantsJson ? err : out).print(lines);
  }
}

function turnsOf({ events }: Conversation): number {
  return events.filter(({ kind }) => kind === "turn").length;
}

/** The user's side of a conversation with one or several models: handles input lines, and shows the results. */

import { dirname } from "node:path";
import * as l10n from "@vscode/l10n";
import type { Conversation } from "../../core/conversation/conversation.ts";
import type { ModelTurn } from "../../core/conversation/modelTurn.ts";
import { Talk } from "../../core/conversation/talk.ts";
import { AppError } from "../../core/errors.ts";
import type { Clock, FileSystem } from "../../core/ports.ts";
import { scoreRewards } from "../../core/rollout/rewards.ts";
import type { ToolAnswer } from "../../core/rollout/runCalls.ts";
import type { ChatSettings } from "../../shared/chat.ts";
import { formatReward } from "../../shared/format.ts";
import type { ChatPartner, OpenChat } from "../../trainer/chat/openChat.ts";
import { asciiJson } from "../terminal/asciiJson.ts";
import { type Line, quietLine, styled } from "../terminal/line.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type ChatInput, chatHelp, readInput } from "./chatCommands.ts";
import { answersJson, conversationJson, turnJson } from "./chatJson.ts";
import { answerLines, type ShownOptions, turnLines, turnTokenLines } from "./chatLines.ts";
import { SamplingLine } from "./samplingLine.ts";

export interface TerminalChatOptions {
  readonly chat: OpenChat;
  readonly out: Terminal;
  /** Shows progress, and in JSON mode everything that is not JSON. */
  readonly err: Terminal;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly settings: ChatSettings;
  readonly wantsJson: boolean;
}

export class TerminalChat {
  readonly #options: TerminalChatOptions;
  readonly #talk: Talk<ChatPartner>;
  readonly #samplingLine: SamplingLine;

  constructor(options: TerminalChatOptions) {
    const { chat, settings, err, clock } = options;
    this.#options = options;
    this.#samplingLine = new SamplingLine(err, clock);
    this.#talk = new Talk(chat.partners, settings, {
      onSampling: (progress) => this.#samplingLine.show(progress),
      onTurns: (partner, turns) => this.#showTurns(partner, turns),
      onAnswers: (partner, by, answers) => this.#showAnswers(partner, by, answers),
    });
  }

  /** The prompt for the expected input. */
  get promptText(): string {
    const { askedCall, hasChoice } = this.#talk;
    if (askedCall !== null) return l10n.t("answer of {0}>", askedCall);
    return hasChoice ? "/pick>" : l10n.t("you>");
  }

  /** Stops what is in progress; false when nothing is. */
  stop(): boolean {
    return this.#talk.stop();
  }

  /** Lets the models start, if one of them can. @throws like {@link Talk} */
  begin(): Promise<void> {
    return this.#talk.goOn();
  }

  /** Handles one line; false if the user quits. @throws AppError `bad-arguments`, or like {@link Talk} */
  async handle(line: string): Promise<boolean> {
    const input = readInput(line);
    if (input.kind === "quit") return false;
    await this.#do(input);
    return true;
  }

  async #do(input: Exclude<ChatInput, { readonly kind: "quit" }>): Promise<void> {
    const talk = this.#talk;
    const { settings } = talk;
    switch (input.kind) {
      case "text":
        return input.text === "" ? talk.proceed() : talk.say(input.text);
      case "answer":
        return talk.answer(input.text);
      case "help":
        return this.#print(chatHelp());
      case "tokens":
        return this.#showTokens();
      case "save":
        return this.#save(input.path);
      case "pick":
        return talk.choose(input.number - 1);
      case "again":
        if (!(await talk.again())) this.#note(l10n.t("There is no turn yet."));
        return;
      case "undo": {
        const isTaken = await talk.undo();
        this.#note(isTaken ? l10n.t("undone") : l10n.t("There is nothing to undo."));
        return;
      }
      case "samples":
      case "seed":
      case "temperature":
        talk.settings = { ...settings, [input.kind]: input.value };
        this.#note(l10n.t("{0} {1} from the next turn on", input.kind, input.value));
        return;
      case "tools":
        talk.settings = { ...settings, answersBy: input.by };
        return talk.goOn();
    }
  }

  #showTurns(partner: ChatPartner, turns: readonly ModelTurn[]): void {
    const { wantsJson } = this.#options;
    const isOpen = partner.conversation.next === "choice";
    const turn = turnsOf(partner.conversation) + (isOpen ? 1 : 0);
    for (const [i, each] of turns.entries()) {
      const title = this.#title(partner, i, turns.length);
      if (wantsJson) this.#printJson(turnJson(partner, each, { turn, sample: i + 1 }));
      else this.#print(turnLines(each, { ...this.#shown, title }));
    }
  }

  #title({ label }: ChatPartner, index: number, count: number): string | null {
    const ofSeveral = count === 1 ? [] : [l10n.t("sample {0} of {1}", index + 1, count)];
    const isAlone = this.#talk.partners.length === 1;
    const parts = [...(isAlone ? [] : [label]), ...ofSeveral];
    return parts.length === 0 ? null : parts.join(" · ");
  }

  #showAnswers(
    partner: ChatPartner,
    by: ChatSettings["answersBy"],
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
    const end = l10n.t("The episode is over: reward {0}.", formatReward(clamped));
    this.#print([[styled("good", end)]]);
  }

  #showTokens(): void {
    for (const partner of this.#talk.partners) {
      const last = partner.conversation.events.findLast((event) => event.kind === "turn");
      if (last === undefined) this.#note(l10n.t("There is no turn yet."));
      else this.#print(turnTokenLines(last.turn, partner, this.#shown.width));
    }
  }

  async #save(path: string): Promise<void> {
    const { fileSystem, chat } = this.#options;
    if ((await fileSystem.size(path)) !== null) {
      throw new AppError("bad-arguments", l10n.t("{0} already exists. Choose another name.", path));
    }
    const { task, partners } = chat;
    const conversations = partners.map((partner) => ({
      model: partner.label,
      events: conversationJson(partner),
    }));
    const { settings } = this.#talk;
    const record = chat.clean({ task, settings, conversations });
    await fileSystem.makeDirectory(dirname(path));
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
    this.#print([quietLine(text)]);
  }

  #print(lines: readonly Line[]): void {
    const { out, err, wantsJson } = this.#options;
    (wantsJson ? err : out).print(lines);
  }
}

function turnsOf({ events }: Conversation): number {
  return events.filter(({ kind }) => kind === "turn").length;
}

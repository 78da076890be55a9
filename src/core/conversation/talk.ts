/** A user talks with one model, or with several models that receive the same messages. Applies each action to their conversations. */

import type { ChatSettings } from "../../shared/chat.ts";
import { AppError } from "../errors.ts";
import type { ToolAnswer } from "../rollout/runCalls.ts";
import type { Conversation } from "./conversation.ts";
import type { Next } from "./events.ts";
import type { ModelTurn, SamplingSettings } from "./modelTurn.ts";

/** Upper bound for random seeds. */
export const SEEDS = 2 ** 31;

export interface TalkPartner {
  readonly conversation: Conversation;
  /** Sampling settings of its run. The seed is the same for all partners. */
  readonly sampling: Omit<SamplingSettings, "seed">;
  /** Maximum number of turns before the user is asked again. */
  readonly maxTurns: number;
}

/** Called as things happen. */
export interface TalkListener<Partner> {
  /** `done` of `total` samples are complete; null = sampling has ended. */
  onSampling(progress: { readonly done: number; readonly total: number } | null): void;
  onTurns(partner: Partner, turns: readonly ModelTurn[]): void;
  onAnswers(partner: Partner, by: ChatSettings["answersBy"], answers: readonly ToolAnswer[]): void;
}

/**
 * Every action lets the models continue until the user must act. All throw AppError `conversation-order`, `stopped`,
 * `task-not-repeatable` and errors of services. The conversations stay usable.
 */
export class Talk<Partner extends TalkPartner> {
  readonly partners: readonly Partner[];
  settings: ChatSettings;
  readonly #listener: TalkListener<Partner>;
  /** Conversations whose last sample failed or was stopped. */
  readonly #unsampled = new Set<Conversation>();
  /** The user's answers to the first open calls. */
  #given: readonly string[] = [];
  #working: AbortController | null = null;

  constructor(
    partners: readonly Partner[],
    settings: ChatSettings,
    listener: TalkListener<Partner>,
  ) {
    this.partners = partners;
    this.settings = settings;
    this.#listener = listener;
  }

  /** Name of the tool whose answer the user is asked for; null = none. */
  get askedCall(): string | null {
    return this.#asked?.conversation.openCalls[this.#given.length]?.name ?? null;
  }

  /** True if one of several turns sampled in parallel must be chosen. */
  get hasChoice(): boolean {
    return this.#some("choice").length > 0;
  }

  /** Stops work in progress. False if there is none. */
  stop(): boolean {
    if (this.#working === null || this.#working.signal.aborted) return false;
    this.#working.abort(new AppError("stopped", "Stopped."));
    return true;
  }

  /** Lets the models continue. If a choice is open, takes the first turn. */
  async proceed(): Promise<void> {
    this.#takeFirst();
    await this.goOn();
  }

  /** Lets the models continue, but not past a choice. */
  async goOn(): Promise<void> {
    const working = new AbortController();
    this.#working = working;
    try {
      await this.#turns(working.signal);
    } catch (error) {
      throw working.signal.aborted ? working.signal.reason : error;
    } finally {
      this.#working = null;
    }
  }

  async #turns(signal: AbortSignal): Promise<void> {
    let turns = 0;
    for (;;) {
      signal.throwIfAborted();
      const sampling = this.#some("turn").filter(({ maxTurns }) => turns < maxTurns);
      const calling = this.#some("answers").filter(({ conversation }) => this.#isRun(conversation));
      if (sampling.length > 0) {
        turns += 1;
        await this.#sample(sampling, signal);
      } else if (calling.length > 0) {
        for (const partner of calling) await this.#runCalls(partner, signal);
      } else return;
    }
  }

  /** Sends the text to all conversations that wait for a message. If a call waits for the user, the text is its answer. */
  async say(text: string): Promise<void> {
    this.#takeFirst();
    if (this.#asked !== undefined) return this.answer(text);
    for (const { conversation } of this.#waitingFor("message")) await conversation.say(text);
    await this.goOn();
  }

  /** Answers the first open call instead of the tool. The conversation continues when all calls are answered. */
  async answer(text: string): Promise<void> {
    const partner = this.#asked;
    if (partner === undefined) {
      throw new AppError("conversation-order", "No call waits for an answer.");
    }
    const { conversation } = partner;
    const given = [...this.#given, text];
    const isLast = given.length >= conversation.openCalls.length;
    this.#given = isLast ? [] : given;
    if (!isLast) return;
    await conversation.answer(given);
    const last = conversation.events.at(-1);
    if (last?.kind === "answers") this.#listener.onAnswers(partner, "person", last.answers);
    await this.goOn();
  }

  /** Continues with one of the turns sampled in parallel, from 0. */
  async choose(index: number): Promise<void> {
    for (const { conversation } of this.#waitingFor("choice")) conversation.choose(index);
    await this.goOn();
  }

  /** Samples the last turn again. If it failed or was stopped, nothing is taken back. False if there is no turn. */
  async again(): Promise<boolean> {
    const isThere = await this.#takeBack(
      async (conversation) =>
        this.#unsampled.has(conversation) || (await conversation.takeBackTurn()),
    );
    await this.goOn();
    return isThere;
  }

  /** Takes back the last turn and the user message before it. False if there is nothing to take back. */
  undo(): Promise<boolean> {
    this.#unsampled.clear();
    return this.#takeBack((conversation) => conversation.undo());
  }

  async #takeBack(take: (conversation: Conversation) => Promise<boolean>): Promise<boolean> {
    this.#given = [];
    const taken = await Promise.all(this.partners.map(({ conversation }) => take(conversation)));
    return taken.includes(true);
  }

  #takeFirst(): void {
    for (const { conversation } of this.#some("choice")) conversation.choose(0);
  }

  #some(next: Next): readonly Partner[] {
    return this.partners.filter(({ conversation }) => conversation.next === next);
  }

  /** Partners that wait for it. If there is none, the first partner, whose error then says what it waits for. */
  #waitingFor(next: Next): readonly Partner[] {
    const waiting = this.#some(next);
    return waiting.length > 0 ? waiting : this.partners.slice(0, 1);
  }

  /** The partner whose calls the user answers. */
  get #asked(): Partner | undefined {
    return this.partners.find(({ conversation }) => conversation.openCalls.length > 0);
  }

  /** True if the program answers the calls. Invalid calls are answered with their errors. */
  #isRun({ openCalls, hasEnvironment }: Conversation): boolean {
    return openCalls.length === 0 || (hasEnvironment && this.settings.answersBy === "environment");
  }

  async #sample(partners: readonly Partner[], signal: AbortSignal): Promise<void> {
    const { samples: count, temperature, maxTokens, seed } = this.settings;
    const total = partners.length * count;
    let done = 0;
    this.#listener.onSampling({ done, total });
    const onSampled = (): void => {
      done += 1;
      this.#listener.onSampling({ done, total });
    };
    const drawn = await Promise.allSettled(
      partners.map(({ conversation, sampling: own }) => {
        const chosen = {
          temperature: temperature ?? own.temperature,
          maxTokens: maxTokens ?? own.maxTokens,
        };
        return conversation.sample({ ...own, ...chosen, seed }, { count, signal, onSampled });
      }),
    );
    this.#listener.onSampling(null);
    for (const [i, partner] of partners.entries()) {
      const turns = drawn[i];
      if (turns?.status !== "fulfilled") this.#unsampled.add(partner.conversation);
      else {
        this.#unsampled.delete(partner.conversation);
        this.#listener.onTurns(partner, turns.value);
      }
    }
    const failed = drawn.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #runCalls(partner: Partner, signal: AbortSignal): Promise<void> {
    const { conversation } = partner;
    if (!conversation.hasEnvironment) return conversation.answer([]);
    const isAsked = partner === this.#asked;
    try {
      const answers = await conversation.runCalls(signal);
      if (isAsked) this.#given = [];
      this.#listener.onAnswers(partner, "environment", answers);
    } catch (error) {
      // An automatic retry would fail again.
      this.settings = { ...this.settings, answersBy: "person" };
      throw error;
    }
  }
}

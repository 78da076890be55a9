/** A destination for messages: which it receives, and how often. Sends one message at a time. */

import { errorMessage } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { Notice, NoticeMessage, NotifyEvent } from "./notice.ts";
import { NoticeRate, type SentNotice } from "./sentLog.ts";

export interface OutletOptions {
  readonly on: readonly NotifyEvent[];
  readonly clock: Clock;
  /** Notices of earlier attempts that may have been sent to it. */
  readonly past: readonly SentNotice[];
  /** Sends one message. Rejects on failure or if `signal` aborts. */
  readonly send: (message: NoticeMessage, signal: AbortSignal) => Promise<void>;
  /** Called with the reason when the first message fails. */
  readonly onFailure: (reason: string) => void;
}

const TOO_SLOW = new Error("it did not answer in time");
/** Maximum number of waiting messages for a slow destination. Further ones are only counted. */
const MAX_WAITING = 10;

export class Outlet {
  readonly #options: OutletOptions;
  readonly #rate: NoticeRate;
  readonly #closing = new AbortController();
  #waiting: Notice[] = [];
  /** Notices not sent since the last message, by topic. */
  #heldBack = new Map<string, number>();
  #sending: Promise<void> | null = null;
  #hasFailed = false;

  constructor(options: OutletOptions) {
    this.#options = options;
    this.#rate = new NoticeRate(options.past);
  }

  /** True if the notice is wanted and may be sent. It then counts toward the rate. Other wanted notices are counted in the next message. */
  admit(notice: Notice, sent: SentNotice): boolean {
    if (!notice.events.some((event) => this.#options.on.includes(event))) return false;
    const isAdmitted = this.#rate.admit(sent);
    if (!isAdmitted) this.#holdBack(notice.topic);
    return isAdmitted;
  }

  /** Adds the notice to the queue. */
  send(notice: Notice): void {
    if (this.#waiting.length >= MAX_WAITING) this.#holdBackAll(this.#waiting.splice(0, 1));
    this.#waiting.push(notice);
    this.#sending ??= this.#sendWaiting();
  }

  /**
   * Sends `last`, if any, in parallel with the message in progress, and nothing more. Waiting notices are only counted in it.
   * Resolves when both have arrived, or after `limitMs`, when unfinished messages are canceled.
   */
  async close(last: Notice | null, limitMs: number): Promise<void> {
    this.#holdBackAll(this.#waiting.splice(0));
    const sending = Promise.all([this.#sending, last === null ? null : this.#deliver(last)]);
    const stopTimer = this.#options.clock.after(limitMs, () => this.#closing.abort(TOO_SLOW));
    await sending;
    stopTimer();
  }

  async #sendWaiting(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#deliver(next);
    }
    this.#sending = null;
  }

  async #deliver(notice: Notice): Promise<void> {
    const heldBack = this.#heldBack;
    this.#heldBack = new Map();
    try {
      await this.#options.send({ notice, heldBack }, this.#closing.signal);
    } catch (error) {
      for (const [topic, count] of heldBack) this.#holdBack(topic, count);
      this.#holdBack(notice.topic);
      if (!this.#hasFailed) this.#options.onFailure(errorMessage(error));
      this.#hasFailed = true;
    }
  }

  #holdBackAll(notices: readonly Notice[]): void {
    for (const { topic } of notices) this.#holdBack(topic);
  }

  #holdBack(topic: string, count = 1): void {
    this.#heldBack.set(topic, (this.#heldBack.get(topic) ?? 0) + count);
  }
}

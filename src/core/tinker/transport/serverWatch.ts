/** What the answers to requests show of a server: whether it answers at all, and whether it does what it is asked. */

import { errorMessage, isAppError } from "../../errors.ts";
import type { Clock, HttpResponse } from "../../ports.ts";
import { OutageNotice } from "../../util/outageNotice.ts";
import { BILLING_STEP } from "./errors.ts";
import type { OnServerMessage } from "./serverMessage.ts";

/** Servers answer heartbeats and polls while they accept no work. */
export type RequestKind = "heartbeat" | "poll" | "work";

export interface ServerWatchOptions {
  readonly clock: Clock;
  readonly onMessage?: OnServerMessage | undefined;
}

const CARRIES_OUT = "It carries out requests again.";

/** A notice in messages about the server. It is over when all that has failed, each by its name, has recovered. */
export class ServerNotice {
  readonly #notice: OutageNotice;
  readonly #failing = new Set<string>();

  constructor(
    { clock, onMessage }: ServerWatchOptions,
    { begin, end }: { readonly begin: (reason: string) => string; readonly end: string },
  ) {
    this.#notice = new OutageNotice({
      clock,
      onOutage: (reason) => onMessage?.({ level: "warn", text: begin(reason) }),
      onRecovered: () => onMessage?.({ level: "info", text: end }),
    });
  }

  isFailing(name: string): boolean {
    return this.#failing.has(name);
  }

  failed(reason: string, name = ""): void {
    this.#failing.add(name);
    this.#notice.failed(reason);
  }

  /** Reports at once what will last. */
  failedForLong(reason: string, name = ""): void {
    this.#failing.add(name);
    this.#notice.failedForLong(reason);
  }

  recovered(name = ""): void {
    this.#failing.delete(name);
    if (this.#failing.size === 0) this.#notice.recovered();
  }

  /** What was reported is not over, for nothing has succeeded. */
  givenUp(name: string): void {
    this.#failing.delete(name);
    if (this.#failing.size === 0) this.#notice.answered();
  }
}

/** Reports once when a server keeps silent or refuses requests for half a minute, or wants to be paid, and once when that is over. */
export class ServerWatch {
  readonly #clock: Clock;
  readonly #silence: ServerNotice;
  readonly #refusal: ServerNotice;
  /** Requests that wait for an unpaid bill, by their path; polls, by the id of their request. */
  readonly bill: ServerNotice;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ServerWatchOptions & { readonly billingPauseMs: () => number }) {
    this.#clock = options.clock;
    this.#silence = new ServerNotice(options, {
      begin: (reason) => `It does not answer (${reason}). Requests are repeated.`,
      end: "It answers again.",
    });
    this.#refusal = new ServerNotice(options, {
      begin: (reason) => `It does not carry out requests (${reason}). They are repeated.`,
      end: CARRIES_OUT,
    });
    const { billingPauseMs } = options;
    this.bill = new ServerNotice(options, {
      begin: (reason) =>
        `It does not carry out requests (${reason}). ${BILLING_STEP} The requests are repeated for up to ${Math.round(billingPauseMs() / 60_000)} min.`,
      end: CARRIES_OUT,
    });
  }

  /** Something waits for an unpaid bill, with its name in {@link bill}; `detail` is what the server said, "" = nothing. */
  blocked(detail: string, name: string): void {
    this.bill.failedForLong(`status 402: ${detail || "the account's billing is blocked"}`, name);
  }

  async answer(
    sending: Promise<HttpResponse>,
    { kind = "work", path }: { readonly kind?: RequestKind; readonly path: string },
  ): Promise<HttpResponse> {
    const startedAtMs = this.#clock.monotonic();
    try {
      const response = await sending;
      this.#answered(response.status, kind);
      // Servers do other things for an account whose work they refuse.
      if (response.status < 300 && this.bill.isFailing(path)) this.bill.recovered(path);
      return response;
    } catch (error) {
      // A server may hold one request for longer than the client waits, and answer others meanwhile.
      if (isAppError(error, "transport") && !this.hasAnsweredSince(startedAtMs)) {
        this.#silence.failed(errorMessage(error.cause ?? error));
      }
      throw error;
    }
  }

  /** By {@link Clock.monotonic}; errors of the server are no answers. */
  hasAnsweredSince(ms: number): boolean {
    return this.#answeredAtMs > ms;
  }

  #answered(status: number, kind: RequestKind): void {
    if (status < 500) {
      this.#answeredAtMs = this.#clock.monotonic();
      this.#silence.recovered();
    }
    if (kind === "heartbeat" || status === 402) return;
    const reason = refusalReason(status);
    if (reason === null) this.#refusal.recovered(kind);
    else this.#refusal.failed(reason, kind);
  }
}

function refusalReason(status: number): string | null {
  if (status === 429) return "status 429, it limits requests";
  return status >= 500 ? `status ${status}` : null;
}

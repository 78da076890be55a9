/** Tracks from its answers whether a server responds at all, and whether it accepts requests. */

import { errorMessage, isAppError } from "../../errors.ts";
import type { Clock, HttpResponse } from "../../ports.ts";
import { OutageNotice } from "../../util/outageNotice.ts";
import { BILLING_STEP } from "./errors.ts";
import type { OnServerMessage } from "./serverMessage.ts";

/** Servers keep answering heartbeats and polls while they accept no work. */
export type RequestKind = "heartbeat" | "poll" | "work";

export interface ServerWatchOptions {
  readonly clock: Clock;
  readonly onMessage?: OnServerMessage | undefined;
}

const ACCEPTS_AGAIN = "It accepts requests again.";

/** A notice in messages about the server. It ends when everything that failed, identified by name, has recovered. */
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

  /** Reports at once, for failures that are known to last. */
  failedForLong(reason: string, name = ""): void {
    this.#failing.add(name);
    this.#notice.failedForLong(reason);
  }

  recovered(name = ""): void {
    this.#failing.delete(name);
    if (this.#failing.size === 0) this.#notice.recovered();
  }

  /** Drops a failure without reporting a recovery, because nothing succeeded. */
  givenUp(name: string): void {
    this.#failing.delete(name);
    if (this.#failing.size === 0) this.#notice.answered();
  }
}

/** Reports once when a server is silent or rejects requests for half a minute, or demands payment, and once when that is over. */
export class ServerWatch {
  readonly #clock: Clock;
  readonly #silence: ServerNotice;
  readonly #refusal: ServerNotice;
  /** Requests waiting for an unpaid bill: by path, or for polls by the id of their request. */
  readonly bill: ServerNotice;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ServerWatchOptions & { readonly billingPauseMs: () => number }) {
    this.#clock = options.clock;
    this.#silence = new ServerNotice(options, {
      begin: (reason) => `It is not answering (${reason}). Requests are being retried.`,
      end: "It answers again.",
    });
    this.#refusal = new ServerNotice(options, {
      begin: (reason) => `It is refusing requests (${reason}). They are being retried.`,
      end: ACCEPTS_AGAIN,
    });
    const { billingPauseMs } = options;
    this.bill = new ServerNotice(options, {
      begin: (reason) =>
        `It is refusing requests (${reason}). ${BILLING_STEP} Requests are retried for up to ${Math.round(billingPauseMs() / 60_000)} min.`,
      end: ACCEPTS_AGAIN,
    });
  }

  /** Records that something waits for an unpaid bill, by its name in {@link bill}; `detail` is the server's text, possibly empty. */
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
      // Only the same path counts, because a server answers other requests even for an account whose work it rejects.
      if (response.status < 300 && this.bill.isFailing(path)) this.bill.recovered(path);
      return response;
    } catch (error) {
      // A server may hold one request for longer than the client waits while it answers others.
      if (isAppError(error, "transport") && !this.hasAnsweredSince(startedAtMs)) {
        this.#silence.failed(errorMessage(error.cause ?? error));
      }
      throw error;
    }
  }

  /** Times are from {@link Clock.monotonic}; 5xx answers do not count. */
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

/** What the answers to requests show of a server: whether it answers at all, and whether it does what it is asked. */

import { errorMessage, isAppError } from "../../errors.ts";
import type { Clock, HttpResponse } from "../../ports.ts";
import { OutageNotice } from "../../util/outageNotice.ts";
import type { OnServerMessage } from "./serverMessage.ts";

export interface ServerWatchOptions {
  readonly clock: Clock;
  readonly onMessage?: OnServerMessage | undefined;
}

/** A notice in messages about the server. */
export function serverNotice(
  { clock, onMessage }: ServerWatchOptions,
  { begin, end }: { readonly begin: (reason: string) => string; readonly end: string },
): OutageNotice {
  return new OutageNotice({
    clock,
    onOutage: (reason) => onMessage?.({ level: "warn", text: begin(reason) }),
    onRecovered: () => onMessage?.({ level: "info", text: end }),
  });
}

/** Reports once when a server keeps silent or refuses requests for half a minute, and once when that is over. */
export class ServerWatch {
  readonly #clock: Clock;
  readonly #silence: OutageNotice;
  readonly #refusal: OutageNotice;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ServerWatchOptions) {
    this.#clock = options.clock;
    this.#silence = serverNotice(options, {
      begin: (reason) => `It does not answer (${reason}). Requests are repeated.`,
      end: "It answers again.",
    });
    this.#refusal = serverNotice(options, {
      begin: (reason) => `It does not carry out requests (${reason}). They are repeated.`,
      end: "It carries out requests again.",
    });
  }

  /** The server gives a heartbeat its answer while it refuses everything else. */
  async heartbeat(sending: Promise<HttpResponse>): Promise<HttpResponse> {
    const startedAtMs = this.#clock.monotonic();
    try {
      const response = await sending;
      if (response.status < 500) this.#answered();
      return response;
    } catch (error) {
      // A server may hold one request for longer than the client waits, and answer others meanwhile.
      if (isAppError(error, "transport") && !this.hasAnsweredSince(startedAtMs)) {
        this.#silence.failed(errorMessage(error.cause ?? error));
      }
      throw error;
    }
  }

  async request(sending: Promise<HttpResponse>): Promise<HttpResponse> {
    const response = await this.heartbeat(sending);
    const reason = refusalReason(response.status);
    if (reason === null) this.#refusal.recovered();
    else this.#refusal.failed(reason);
    return response;
  }

  /** By {@link Clock.monotonic}; errors of the server are no answers. */
  hasAnsweredSince(ms: number): boolean {
    return this.#answeredAtMs > ms;
  }

  #answered(): void {
    this.#answeredAtMs = this.#clock.monotonic();
    this.#silence.recovered();
  }
}

function refusalReason(status: number): string | null {
  if (status === 402) return "status 402, the account's billing is blocked";
  if (status === 429) return "status 429, it limits requests";
  return status >= 500 ? `status ${status}` : null;
}

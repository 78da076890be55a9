/** Relays messages between a page and its session in the server; reopens the session if the server restarts. */

import {
  type OpenPageRequest,
  PAGE_NEWS,
  PAGE_REQUESTS,
  type PageNews,
  type PageReport,
  type PageSent,
} from "../../api/pages.ts";
import { KeptRequest } from "../server/keptRequest.ts";
import type { Server } from "../server/server.ts";

export interface PageRelayOptions {
  readonly server: Pick<Server, "request" | "notify">;
  /** Parameters for opening the session, also after a restart. */
  readonly start: () => Omit<OpenPageRequest, "progressToken">;
  /** Posts a message from the session to the page, as JSON. */
  readonly post: (json: string) => void;
  /** Reloads the page, because a new session has no state for it. */
  readonly reload: () => void;
  readonly onReport: (report: Extract<PageReport, { readonly kind: "shown" | "keep" }>) => void;
  readonly onError: (error: unknown) => void;
}

export class PageRelay {
  readonly #options: PageRelayOptions;
  readonly #request: KeptRequest<PageReport>;
  /** Messages to send once the server has opened the session; null = already open. */
  #early: PageNews[] | null = [];

  constructor(options: PageRelayOptions) {
    this.#options = options;
    const { server, start, post, reload, onReport, onError } = options;
    this.#request = new KeptRequest({
      server,
      method: PAGE_REQUESTS.open,
      start,
      onReport: (report) => {
        if (report.kind === "post") post(report.json);
        else if (report.kind === "opened") this.#opened();
        else onReport(report);
      },
      onLost: () => {
        this.#early ??= [];
      },
      onAgain: reload,
      onError,
    });
  }

  send(what: PageNews): void {
    if (this.#early !== null) {
      this.#early.push(what);
      return;
    }
    const sent: PageSent = { page: this.#request.token, what };
    // If the server is gone, so is the session; it will be reopened.
    this.#options.server.notify(PAGE_NEWS, sent).catch(() => undefined);
  }

  /** Safe to call repeatedly. */
  dispose(): void {
    this.#request.dispose();
  }

  #opened(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const what of early) this.send(what);
  }
}

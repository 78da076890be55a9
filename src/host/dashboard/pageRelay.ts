/** Passes on what a page and its session in the server say to each other; a session that ended with its server is opened again. */

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
  /** What a session begins with, and begins with again. */
  readonly start: () => Omit<OpenPageRequest, "progressToken">;
  /** Hands the page a message of the session, which is JSON. */
  readonly post: (json: string) => void;
  /** Loads the page anew: a new session knows nothing of it. */
  readonly reload: () => void;
  readonly onReport: (report: Extract<PageReport, { readonly kind: "shown" | "keep" }>) => void;
  readonly onError: (error: unknown) => void;
}

export class PageRelay {
  readonly #options: PageRelayOptions;
  readonly #request: KeptRequest<PageReport>;
  /** What is to be sent once the server has opened the session; null = it has. */
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
    // A server that is gone has ended the session, which is opened again.
    this.#options.server.notify(PAGE_NEWS, sent).catch(() => undefined);
  }

  /** Harmless when repeated. */
  dispose(): void {
    this.#request.dispose();
  }

  #opened(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const what of early) this.send(what);
  }
}

/** Passes on what a page and its session in the server say to each other; a session that ended with its server is opened again. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import {
  type OpenPageRequest,
  PAGE_NEWS,
  PAGE_REQUESTS,
  type PageNews,
  type PageReport,
  type PageSent,
} from "../../api/pages.ts";
import type { RequestOutcome } from "../../api/requests.ts";
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

/** Before a session is opened again; twice as long each time that none opens. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

export class PageRelay {
  readonly #options: PageRelayOptions;
  /** Names the page to the server. */
  #token = randomUUID();
  #closing = new vscode.CancellationTokenSource();
  #isDisposed = false;
  /** What is to be sent once the server has opened the session; null = it has. */
  #early: PageNews[] | null = [];
  /** Sessions since the last one that opened. */
  #failures = 0;

  constructor(options: PageRelayOptions) {
    this.#options = options;
    void this.#keepOpen();
  }

  send(what: PageNews): void {
    if (this.#early !== null) {
      this.#early.push(what);
      return;
    }
    const sent: PageSent = { page: this.#token, what };
    // A server that is gone has ended the session, which is opened again.
    this.#options.server.notify(PAGE_NEWS, sent).catch(() => undefined);
  }

  /** Harmless when repeated. */
  dispose(): void {
    this.#isDisposed = true;
    this.#closing.cancel();
  }

  async #keepOpen(): Promise<void> {
    while (!this.#isDisposed) {
      try {
        await this.#open();
      } catch (error) {
        this.#options.onError(error);
      }
      if (this.#isDisposed) return;
      this.#token = randomUUID();
      this.#early ??= [];
      const pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** this.#failures);
      this.#failures += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      this.#options.reload();
    }
  }

  /** Until it is over. */
  async #open(): Promise<void> {
    const { server, start, post, onReport } = this.#options;
    const request: OpenPageRequest = { ...start(), progressToken: this.#token };
    const onProgress = (report: PageReport): void => {
      if (report.kind === "post") post(report.json);
      else if (report.kind === "opened") this.#opened();
      else onReport(report);
    };
    const options = { token: this.#closing.token, onProgress };
    await server.request<RequestOutcome<null>, PageReport>(PAGE_REQUESTS.open, request, options);
  }

  #opened(): void {
    this.#failures = 0;
    const early = this.#early ?? [];
    this.#early = null;
    for (const what of early) this.send(what);
  }
}

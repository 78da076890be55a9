/** A long-lived request: if its server ends, it is sent again to the next one. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { RequestOutcome } from "../../api/requests.ts";
import { type FollowRunRequest, RUN_REQUESTS, type RunReport } from "../../api/runs.ts";
import type { Listening } from "../../core/util/emitter.ts";
import type { Server } from "./server.ts";

export interface KeptRequestOptions<Report> {
  readonly server: Pick<Server, "request">;
  readonly method: string;
  /** Request parameters except the token, for the first and later sends. */
  readonly start: () => object;
  readonly onReport: (report: Report) => void;
  /** Called when it has ended, before the pause. */
  readonly onLost?: (() => void) | undefined;
  /** Called when it is sent again. */
  readonly onAgain?: (() => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** Pause before sending again; doubled each time nothing was reported. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

export class KeptRequest<Report> {
  readonly #options: KeptRequestOptions<Report>;
  readonly #closing = new vscode.CancellationTokenSource();
  #isDisposed = false;
  /** Number of requests since the last one with a report. */
  #failures = 0;
  #token = randomUUID();

  constructor(options: KeptRequestOptions<Report>) {
    this.#options = options;
    void this.#keepOpen();
  }

  /** The `progressToken` of the current request, which identifies it to the server. */
  get token(): string {
    return this.#token;
  }

  /** Cancels the request; late reports are still delivered. Safe to call repeatedly. */
  dispose(): void {
    this.#isDisposed = true;
    this.#closing.cancel();
  }

  async #keepOpen(): Promise<void> {
    const { onLost, onAgain, onError } = this.#options;
    for (let isAgain = false; !this.#isDisposed; isAgain = true) {
      try {
        const sent = this.#send();
        if (isAgain) onAgain?.();
        await sent;
      } catch (error) {
        if (!this.#isDisposed) onError(error);
      }
      if (this.#isDisposed) return;
      this.#token = randomUUID();
      onLost?.();
      const pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** this.#failures);
      this.#failures += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** Resolves when the request is over. */
  async #send(): Promise<void> {
    const { server, method, start, onReport } = this.#options;
    const request = { ...start(), progressToken: this.#token };
    const onProgress = (report: Report): void => {
      this.#failures = 0;
      onReport(report);
    };
    const options = { token: this.#closing.token, onProgress, isKept: true };
    const outcome = await server.request<RequestOutcome<null>, Report>(method, request, options);
    if (!outcome.ok) throw new Error(outcome.error.message);
  }
}

/** Calls `onReport` after each read of the run in `folder`, and once more when following ends. */
export type FollowRun = (folder: string, onReport: (report: RunReport) => void) => Listening;

/** In the server, all followers of the same run share its reads. */
export function followRunsOf(
  server: Pick<Server, "request">,
  onError: (error: unknown) => void,
): FollowRun {
  return (folder, onReport) => {
    const start = (): Omit<FollowRunRequest, "progressToken"> => ({ folder });
    return new KeptRequest({ server, method: RUN_REQUESTS.follow, start, onReport, onError });
  };
}

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

export interface KeptRequest extends Listening {
  /** The `progressToken` of the current request, which identifies it to the server. */
  readonly token: () => string;
}

/** `dispose` cancels the request; late reports are still delivered. Safe to call repeatedly. */
export function keepRequest<Report>(options: KeptRequestOptions<Report>): KeptRequest {
  const { server, method, start, onReport, onLost, onAgain, onError } = options;
  const closing = new vscode.CancellationTokenSource();
  let isDisposed = false;
  /** Number of requests since the last one with a report. */
  let failures = 0;
  let token: string = randomUUID();
  /** Resolves when the request is over. */
  const send = async (): Promise<void> => {
    const request = { ...start(), progressToken: token };
    const onProgress = (report: Report): void => {
      failures = 0;
      onReport(report);
    };
    const how = { token: closing.token, onProgress, isKept: true };
    const outcome = await server.request<RequestOutcome<null>, Report>(method, request, how);
    if (!outcome.ok) throw new Error(outcome.error.message);
  };
  const keepOpen = async (): Promise<void> => {
    for (let isAgain = false; !isDisposed; isAgain = true) {
      try {
        const sent = send();
        if (isAgain) onAgain?.();
        await sent;
      } catch (error) {
        if (!isDisposed) onError(error);
      }
      if (isDisposed) return;
      token = randomUUID();
      onLost?.();
      const pauseMs = Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** failures);
      failures += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  void keepOpen();
  return {
    token: () => token,
    dispose: () => {
      isDisposed = true;
      closing.cancel();
    },
  };
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
    return keepRequest({ server, method: RUN_REQUESTS.follow, start, onReport, onError });
  };
}

/** Editor requests that the trainer code is working on. */

import { type CancellationToken, type Connection, ProgressType } from "vscode-languageserver";
import type * as z from "zod";
import type { RequestOutcome } from "../api/requests.ts";
import { AppError } from "../core/errors.ts";
import type { Clock, FileSystem } from "../core/ports.ts";
import { Redactor } from "../core/secrets/redaction/redactor.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import type { openChat } from "../trainer/chat/openChat.ts";
import type { changeCheckpoints } from "../trainer/checkpoints/changeCheckpoints.ts";
import type { downloadCheckpoint } from "../trainer/checkpoints/downloadCheckpoint.ts";
import { launchError } from "../trainer/control/launchError.ts";
import type { openOwnServer } from "../trainer/environments/ownServer.ts";
import type { previewPrompt } from "../trainer/environments/previewPrompt.ts";
import type { estimateBasis } from "../trainer/estimate/estimateBasis.ts";
import type { playTask } from "../trainer/play/playTask.ts";
import type { testKey } from "../trainer/services/testKey.ts";
import type {
  lookUpDeploymentLog,
  lookUpDifficulty,
  lookUpEnvironment,
  lookUpList,
} from "./catalogue/lookUps.ts";

export interface ServerOptions {
  readonly connection: Connection;
  readonly trainer: TrainerFunctions;
  readonly requests: OpenRequests;
  readonly clock: Clock;
  /** Contains the embedded model and the worker scripts. */
  readonly programFolder: string;
  /** Call after releasing something large. */
  readonly collectNext: () => void;
}

/** The code behind requests; replaceable in tests. */
export interface TrainerFunctions {
  readonly previewPrompt: typeof previewPrompt;
  readonly downloadCheckpoint: typeof downloadCheckpoint;
  readonly changeCheckpoints: typeof changeCheckpoints;
  readonly openChat: typeof openChat;
  readonly playTask: typeof playTask;
  readonly openOwnServer: typeof openOwnServer;
  readonly testKey: typeof testKey;
  readonly estimateBasis: typeof estimateBasis;
  readonly lookUpList: typeof lookUpList;
  readonly lookUpEnvironment: typeof lookUpEnvironment;
  readonly lookUpDifficulty: typeof lookUpDifficulty;
  readonly lookUpDeploymentLog: typeof lookUpDeploymentLog;
}

/** Resources of a single request. */
export interface RequestScope {
  /** Aborted when the editor cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** Learns the request's secrets, and is discarded with the request. */
  readonly redactor: Redactor;
  readonly fileSystem: FileSystem;
}

interface OpenRequest {
  readonly cancel: () => void;
  readonly redactor: Redactor;
  readonly answered: Promise<unknown>;
}

export class OpenRequests {
  readonly #open = new Set<OpenRequest>();

  /** Never rejects: errors thrown by `work` become the answer, with secrets redacted. */
  async run<Value>(
    token: CancellationToken,
    work: (scope: RequestScope) => Promise<Value>,
  ): Promise<RequestOutcome<Value>> {
    const canceling = new AbortController();
    const cancel = (): void => canceling.abort(new AppError("stopped", "This was canceled."));
    const listening = token.onCancellationRequested(cancel);
    if (token.isCancellationRequested) cancel();
    const redactor = new Redactor();
    const { signal } = canceling;
    const answered = Promise.resolve().then(() => answer(work, { signal, redactor }));
    const request = { cancel, redactor, answered };
    this.#open.add(request);
    try {
      return await answered;
    } finally {
      this.#open.delete(request);
      listening.dispose();
    }
  }

  /** Cancels all open requests, and resolves once they have cleaned up. */
  async close(): Promise<void> {
    const open = [...this.#open];
    for (const { cancel } of open) cancel();
    await Promise.all(open.map(({ answered }) => answered));
  }

  /** Removes the secrets of all open requests. */
  redactError(error: unknown): unknown {
    return [...this.#open].reduce((cleaned, { redactor }) => redactor.redactError(cleaned), error);
  }
}

/** Answers requests named `name` with the result of `work`. */
export function answerRequests<Schema extends z.ZodType, Value>(
  { connection, requests }: Pick<ServerOptions, "connection" | "requests">,
  name: string,
  schema: Schema,
  work: (request: z.output<Schema>, scope: RequestScope) => Promise<Value>,
): void {
  connection.onRequest<RequestOutcome<Value>, void>(
    name,
    (request: unknown, token: CancellationToken) => {
      const wanted = schema.parse(request);
      return requests.run(token, (scope) => work(wanted, scope));
    },
  );
}

/** Returns a function that sends progress reports for `progressToken`. */
export function reporterTo<Report extends object>(
  connection: Connection,
  progressToken: string,
): (what: Report) => void {
  const type = new ProgressType<object>();
  return (what) => {
    // Rejects when the editor has disconnected, which also ends the request.
    connection.sendProgress(type, progressToken, what).catch(() => undefined);
  };
}

async function answer<Value>(
  work: (scope: RequestScope) => Promise<Value>,
  scope: Omit<RequestScope, "fileSystem">,
): Promise<RequestOutcome<Value>> {
  const fileSystem = createFileSystem();
  try {
    return { ok: true, value: await work({ ...scope, fileSystem }) };
  } catch (error) {
    return { ok: false, error: launchError(scope.redactor.redactError(error)) };
  } finally {
    await fileSystem.close();
  }
}

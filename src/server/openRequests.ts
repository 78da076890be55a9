/** Requests that the trainer's code is working on for an editor. */

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
import type { estimateBasis } from "../trainer/estimate/estimate.ts";
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
  /** Holds the embedded model and the threads of the program. */
  readonly programFolder: string;
  /** Called when something large was let go. */
  readonly collectNext: () => void;
}

/** The code behind requests, which tests replace. */
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

/** What a request has for itself, and what goes with it. */
export interface RequestScope {
  /** Aborted when the editor cancels the request, and when it leaves. */
  readonly signal: AbortSignal;
  /** Learns the secrets of the request, which are forgotten with it. */
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

  /** Never rejects: what `work` throws is the answer, cleaned of secrets. */
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

  /** Cancels all of them, and resolves once they have tidied up. */
  async close(): Promise<void> {
    const open = [...this.#open];
    for (const { cancel } of open) cancel();
    await Promise.all(open.map(({ answered }) => answered));
  }

  /** Without the secrets of any of them. */
  redactError(error: unknown): unknown {
    return [...this.#open].reduce((cleaned, { redactor }) => redactor.redactError(cleaned), error);
  }
}

/** Answers each request of this name with what `work` makes of it. */
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

/** Reports on the way of the request with this `progressToken`. */
export function reporterTo<Report extends object>(
  connection: Connection,
  progressToken: string,
): (what: Report) => void {
  const type = new ProgressType<object>();
  return (what) => {
    // Rejects when the editor has left, which ends the request.
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

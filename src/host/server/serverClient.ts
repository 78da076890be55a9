/** The window's client for its server: starts the process, restarts it when it ends, and transmits requests. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import * as vscode from "vscode";
import {
  CloseAction,
  ConnectionError,
  ErrorAction,
  ErrorCodes,
  LanguageClient,
  type LanguageClientOptions,
  ProgressType,
  ResponseError,
  RevealOutputChannelOn,
  type StreamInfo,
} from "vscode-languageclient/node";
import type { EditorHandshake } from "../../api/config.ts";
import type { ReportsProgress } from "../../api/requests.ts";
import { AppError, errorMessage } from "../../core/errors.ts";
import { programEnvironment } from "../../node/launch/programEnvironment.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { proxyVariables } from "../vscode/proxyVariables.ts";

export interface ServerClientOptions {
  readonly log: vscode.LogOutputChannel;
  /** Contains the trainer's program, which is also the server. */
  readonly programFolder: string;
  /** Version of the extension. */
  readonly version: string;
  /** For data that the server keeps between sessions; it does not need to exist. */
  readonly storageFolder: string;
  /** Loads the window's additions to its language client. */
  readonly loadFeatures: () => Promise<LanguageFeatures>;
}

export interface LanguageFeatures {
  readonly options: Pick<
    LanguageClientOptions,
    "documentSelector" | "diagnosticCollectionName" | "middleware"
  >;
  /** Called before the server starts. The returned function is called once the server runs. */
  readonly connect: (client: LanguageClient) => () => void;
}

export interface ServerRequestOptions<Report> {
  /** Cancels the request; the server decides how to answer it. */
  readonly token?: vscode.CancellationToken | undefined;
  /** Called for each progress report of a request with a `progressToken`. */
  readonly onProgress?: ((report: Report) => void) | undefined;
  /** True for a request that is repeated if its server ends, so that it does not delay a restart. */
  readonly isKept?: boolean | undefined;
}

/** Pause before restarting a server that ended soon after its start. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** A server that ran at least this long is restarted without a pause. */
const SOUND_MS = 60_000;
/** Limits the freed memory that Linux retains per thread: mallopt(3). */
const GIVE_BACK = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };
/** The server runs the garbage collector when idle; V8 keeps a smaller young generation. */
const HEAP = ["--expose-gc", "--max-semi-space-size=4"];
/** Error codes of requests whose server has ended. */
const LOST: ReadonlySet<number> = new Set([
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
  ErrorCodes.MessageWriteError,
]);

export class ServerClient {
  readonly #client: LanguageClient;
  readonly #restarts: Restarts;
  readonly #listening: vscode.Disposable;
  #underWay = 0;
  /** True once the window's network settings differ from the server's. */
  #isOutdated = false;
  #restarting: Promise<void> | null = null;

  /** Starts the server. It ends with the window, and is restarted if it ends on its own. */
  static async start(options: ServerClientOptions): Promise<ServerClient> {
    const { log, programFolder, version, storageFolder } = options;
    const features = await options.loadFeatures();
    const handshake: EditorHandshake = { tinkerRlVersion: version, storageFolder };
    const start = () => startProcess(programFolder, log);
    const restarts = new Restarts(log);
    const client = new QuietClient("tinkerRL", "Tinker RL", start, {
      ...features.options,
      outputChannel: log,
      traceOutputChannel: withoutTraces(log),
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: handshake,
      initializationFailedHandler: (error: unknown) => {
        if (isLost(error)) return false;
        log.error(errorMessage(error));
        void plainWindow.showErrorMessage(errorMessage(error));
        return false;
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => restarts.closed(),
      },
    });
    const onStarted = features.connect(client);
    await client.start().catch((error: unknown) => {
      // It ended before answering; the client restarts it.
      if (!isLost(error)) throw error;
    });
    onStarted();
    return new ServerClient(client, restarts);
  }

  private constructor(client: LanguageClient, restarts: Restarts) {
    this.#client = client;
    this.#restarts = restarts;
    this.#listening = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("http.proxy")) this.#isOutdated = true;
    });
  }

  /** @throws AppError `server-stopped` if the server ends before it answers, otherwise the error it answers with */
  async request<Answer, Report>(
    method: string,
    parameters: object & Partial<ReportsProgress>,
    { token, onProgress, isKept = false }: ServerRequestOptions<Report>,
  ): Promise<Answer> {
    // New settings require a new process, but requests in progress must finish first.
    if (this.#isOutdated && this.#underWay === 0) {
      this.#isOutdated = false;
      this.#restarting = this.#client.restart().finally(() => {
        this.#restarting = null;
      });
    }
    await this.#restarting;
    const { progressToken } = parameters;
    const reports =
      progressToken === undefined || onProgress === undefined
        ? null
        : this.#client.onProgress(new ProgressType<Report>(), progressToken, onProgress);
    if (!isKept) this.#underWay += 1;
    try {
      await this.#restarts.pause;
      return await (token === undefined
        ? this.#client.sendRequest<Answer>(method, parameters)
        : this.#client.sendRequest<Answer>(method, parameters, token));
    } catch (error) {
      throw isLost(error) ? stopped() : error;
    } finally {
      if (!isKept) this.#underWay -= 1;
      reports?.dispose();
    }
  }

  handle(method: string, handler: (parameters: unknown) => Promise<unknown>): void {
    this.#client.onRequest(method, handler);
  }

  async notify(method: string, parameters: object): Promise<void> {
    await this.#client.sendNotification(method, parameters);
  }

  async stop(): Promise<void> {
    this.#listening.dispose();
    await this.#client.dispose();
  }
}

/** Suppresses notifications about a server that ended, because the restart shows its own. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown, isShown?: boolean | "force"): void {
    super.error(message, data, isLost(data) ? false : isShown);
  }
}

/** Starts the process without the keys in the window's environment, which the client itself would pass on. */
async function startProcess(
  programFolder: string,
  log: vscode.LogOutputChannel,
): Promise<StreamInfo> {
  const args = [...HEAP, join(programFolder, "tinker-rl.js"), "lsp"];
  const child = spawn(process.execPath, args, {
    cwd: programFolder,
    windowsHide: true,
    env: { ...programEnvironment(proxyVariables()), ...GIVE_BACK },
  });
  // If the process exits immediately, its output closes before the client listens; the pass-through stream buffers it.
  const reader = child.stdout.pipe(new PassThrough());
  child.stderr.setEncoding("utf8").on("data", (text: string) => log.append(text));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  // Ignore writes to an exiting process.
  child.stdin.on("error", () => undefined);
  return { reader, writer: child.stdin };
}

/** Without traces, because the client would write everything it sends, including keys, to the trace channel. */
function withoutTraces(log: vscode.LogOutputChannel): vscode.LogOutputChannel {
  const never = () => new vscode.Disposable(() => undefined);
  return {
    ...log,
    logLevel: vscode.LogLevel.Info,
    onDidChangeLogLevel: never,
    trace: () => undefined,
  };
}

/** Decides what to do when the server has ended: notifies the user once, and logs it each time. */
class Restarts {
  readonly #log: vscode.LogOutputChannel;
  #startedAt = performance.now();
  #pauseMs = 0;
  #isFirst = true;
  /** Resolves once the server has been restarted. */
  pause: Promise<void> = Promise.resolve();

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  async closed() {
    const isSound = performance.now() - this.#startedAt > SOUND_MS;
    this.#pauseMs = isSound
      ? 0
      : Math.min(Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs), MAX_PAUSE_MS);
    this.#log.warn("The Tinker RL server stopped unexpectedly. Restarting it.");
    if (this.#isFirst) {
      const text = vscode.l10n.t("The Tinker RL server stopped unexpectedly. Restarting it.");
      const show = () => this.#log.show();
      void plainWindow.offer("Warning", text, [[vscode.l10n.t("Show Log"), show]]);
    }
    this.#isFirst = false;
    const paused = new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    // The client starts the server after this function returns.
    this.pause = paused.then(() => new Promise((resolve) => setImmediate(resolve)));
    await paused;
    this.#startedAt = performance.now();
    return { action: CloseAction.Restart, handled: true };
  }
}

function isLost(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ResponseError && LOST.has(error.code);
}

function stopped(): AppError {
  const text = vscode.l10n.t("The Tinker RL server stopped unexpectedly. Try again.");
  return new AppError("server-stopped", text);
}

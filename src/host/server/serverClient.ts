/** The window's end of its server: starts the process, starts it again when it has ended, and carries requests. */

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
  /** Holds the trainer's program, which is the server too. */
  readonly programFolder: string;
  /** Of the extension. */
  readonly version: string;
  /** For what the server keeps between sessions; it need not exist. */
  readonly storageFolder: string;
  /** Loads what the window adds to the Language Server Protocol. */
  readonly loadFeatures: () => Promise<LanguageFeatures>;
}

export interface LanguageFeatures {
  readonly options: Pick<
    LanguageClientOptions,
    "documentSelector" | "diagnosticCollectionName" | "middleware"
  >;
  /** Called before the server starts. What it returns is called once the server runs. */
  readonly connect: (client: LanguageClient) => () => void;
}

export interface ServerRequestOptions<Report> {
  /** Cancels the request; what it is then answered with is for the server to say. */
  readonly token?: vscode.CancellationToken | undefined;
  /** Called with each report of a request that has a `progressToken`. */
  readonly onProgress?: ((report: Report) => void) | undefined;
  /** True for one that is sent again when its server has ended: it keeps no server from being started anew. */
  readonly isKept?: boolean | undefined;
}

/** Before another start of a server that does not live. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;
/** A server that has lived so long starts again without a pause. */
const SOUND_MS = 60_000;
/** Linux keeps much of what each thread has freed; with these bounds it keeps less: mallopt(3). */
const GIVE_BACK = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };
/** The server collects its garbage when it is idle, and V8 keeps less of it for what lives short. */
const HEAP = ["--expose-gc", "--max-semi-space-size=4"];
/** What requests fail with when the server has ended. */
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
  /** True once the window reaches the network in another way than the server. */
  #isOutdated = false;
  #restarting: Promise<void> | null = null;

  /** Starts the server. It ends with the window, and is started again when it ends by itself. */
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
      // It ended before it could answer: the client starts it again by itself.
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

  /** @throws AppError `server-stopped` when the server ends before it has answered, else what it answers with */
  async request<Answer, Report>(
    method: string,
    parameters: object & Partial<ReportsProgress>,
    { token, onProgress, isKept = false }: ServerRequestOptions<Report>,
  ): Promise<Answer> {
    // Another process has another environment; a request that is under way keeps its own.
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

/** Does not notify of a server that ended: its restart does. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown, isShown?: boolean | "force"): void {
    super.error(message, data, isLost(data) ? false : isShown);
  }
}

/** Without the keys of the window's environment, which the client's own start would pass on. */
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
  // The output of a process that ends at once is closed before the client listens; this end waits until it is read.
  const reader = child.stdout.pipe(new PassThrough());
  child.stderr.setEncoding("utf8").on("data", (text: string) => log.append(text));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  // What is written while it ends goes nowhere.
  child.stdin.on("error", () => undefined);
  return { reader, writer: child.stdin };
}

/** The client writes what it sends, keys included, to a channel that shows traces. */
function withoutTraces(log: vscode.LogOutputChannel): vscode.LogOutputChannel {
  const never = () => new vscode.Disposable(() => undefined);
  return {
    ...log,
    logLevel: vscode.LogLevel.Info,
    onDidChangeLogLevel: never,
    trace: () => undefined,
  };
}

/** What to do when the server has ended: the user hears of it once, the log each time. */
class Restarts {
  readonly #log: vscode.LogOutputChannel;
  #startedAt = performance.now();
  #pauseMs = 0;
  #isFirst = true;
  /** Resolves once a server that has ended is started again. */
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
      const show = vscode.l10n.t("Show Log");
      void plainWindow.showWarningMessage(text, show).then((chosen) => {
        if (chosen === show) this.#log.show();
      });
    }
    this.#isFirst = false;
    const paused = new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    // The client starts the server when this has returned.
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

/** Servers of local environments that this window keeps running; each is a request to the window's server and ends with it. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import {
  ENVIRONMENT_REQUESTS,
  type OwnServerReport,
  type OwnTasksRequest,
  type ServeEnvironmentRequest,
} from "../../api/environments.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { errorMessage } from "../../core/errors.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { isWithin } from "../../node/confinement.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import type { Server } from "../server/server.ts";

/** An environment, and the configuration that says how to start its server. */
export interface OwnEnvironment {
  readonly name: string;
  /** Absolute path of the configuration. */
  readonly config: string;
}

export type OwnServerState =
  | { readonly kind: "stopped" | "starting" | "stopping" }
  | { readonly kind: "failed"; readonly message: string }
  | Extract<OwnServerReport, { kind: "ready" }>;

export interface OwnServersOptions {
  readonly server: Pick<Server, "request">;
  /** Collects keys and permissions; null if the user dismissed a prompt. */
  readonly createLaunchRequest: (environment: OwnEnvironment) => Promise<LaunchRequest | null>;
  readonly onError: (error: unknown) => void;
}

interface Running {
  readonly environment: OwnEnvironment;
  readonly id: string;
  readonly closing: vscode.CancellationTokenSource;
  /** Resolves once the server has stopped; never rejects. */
  over: Promise<void>;
}

const STOPPED: OwnServerState = { kind: "stopped" };

export class OwnServers implements vscode.Disposable {
  readonly #options: OwnServersOptions;
  readonly #running = new Map<string, Running>();
  readonly #states = new Map<string, OwnServerState>();
  /** Code folder of each started server; kept after a failed start. */
  readonly #code = new Map<
    string,
    { readonly folder: string; readonly environment: OwnEnvironment }
  >();
  readonly #channels = new Map<string, vscode.OutputChannel>();
  readonly #changed = new Emitter<void>((error) => this.#options.onError(error));
  /** Fires when a server's state has changed. */
  readonly onDidChange = this.#changed.event;
  readonly #saving: vscode.Disposable;

  constructor(options: OwnServersOptions) {
    this.#options = options;
    this.#saving = vscode.workspace.onDidSaveTextDocument(({ uri, languageId }) => {
      if (languageId === "python") this.#saved(uri.fsPath).catch(options.onError);
    });
  }

  state(name: string): OwnServerState {
    return this.#states.get(name) ?? STOPPED;
  }

  /** The address of an environment's server; null unless one started from this configuration is ready. */
  addressOf({ name, config }: OwnEnvironment): string | null {
    const state = this.state(name);
    const isOwn = this.#running.get(name)?.environment.config === config;
    return isOwn && state.kind === "ready" ? state.address : null;
  }

  dispose(): void {
    this.#saving.dispose();
    for (const { closing } of this.#running.values()) closing.cancel();
    for (const channel of this.#channels.values()) channel.dispose();
  }

  /** Resolves once it is ready or was stopped; does nothing if it is already running. @throws Error with the reason it did not start */
  async start(environment: OwnEnvironment): Promise<void> {
    const { name } = environment;
    if (!vscode.workspace.isTrusted || this.#running.has(name)) return;
    const launch = await this.#options.createLaunchRequest(environment);
    if (launch === null || this.#running.has(name)) return;
    const closing = new vscode.CancellationTokenSource();
    const running: Running = { environment, id: randomUUID(), closing, over: Promise.resolve() };
    this.#running.set(name, running);
    this.#log(name, vscode.l10n.t("Starting the server of {0}", name));
    this.#set(name, { kind: "starting" });
    await new Promise<void>((resolve, reject) => {
      running.over = this.#follow(running, launch, resolve).then(resolve, reject);
      // Errors after the start are shown in the log and the row.
      running.over = running.over.catch(() => undefined);
    });
    const after = this.state(name);
    if (after.kind === "failed") throw new Error(after.message);
  }

  /** Resolves once it has stopped. `why` is written to its log. */
  async stop(name: string, why: string = vscode.l10n.t("Stopping the server")): Promise<void> {
    const running = this.#running.get(name);
    if (running === undefined) return;
    this.#log(name, why);
    this.#set(name, { kind: "stopping" });
    running.closing.cancel();
    await running.over;
  }

  /** A training starts its own servers, which need the same ports. */
  async stopForTraining(config: string): Promise<void> {
    const why = vscode.l10n.t("Stopping the server: a run starts its own");
    const of = [...this.#running.values()].filter(
      ({ environment }) => environment.config === config,
    );
    await Promise.all(of.map(({ environment }) => this.stop(environment.name, why)));
  }

  /** The beginnings of task prompts from a running server; null for unknown ones. */
  async prompts(
    name: string,
    split: string,
    start: number,
    stop: number,
  ): Promise<readonly (string | null)[]> {
    const running = this.#running.get(name);
    if (running === undefined) return [];
    const request: OwnTasksRequest = { server: running.id, split, start, stop };
    const outcome = await this.#options.server.request<RequestOutcome<readonly (string | null)[]>>(
      ENVIRONMENT_REQUESTS.tasks,
      request,
    );
    return outcome.ok ? outcome.value : [];
  }

  showLog(name: string): void {
    this.#channel(name).show(true);
  }

  async #follow(
    { environment: { name, config }, id, closing }: Running,
    launch: LaunchRequest,
    onReady: () => void,
  ): Promise<void> {
    const request: ServeEnvironmentRequest = { progressToken: id, launch, environment: name };
    const onProgress = (report: OwnServerReport): void => {
      if (report.kind === "log") this.#channel(name).append(report.text);
      else if (report.kind === "code")
        this.#code.set(name, { folder: report.folder, environment: { name, config } });
      else {
        this.#log(name, vscode.l10n.t("The server of {0} answers at {1}", name, report.address));
        this.#set(name, report);
        onReady();
      }
    };
    const { serve } = ENVIRONMENT_REQUESTS;
    let end = STOPPED;
    try {
      const outcome = await this.#options.server.request<RequestOutcome<null>, OwnServerReport>(
        serve,
        request,
        { token: closing.token, onProgress },
      );
      if (!outcome.ok && !closing.token.isCancellationRequested)
        end = { kind: "failed", message: outcome.error.message };
    } catch (error) {
      if (!closing.token.isCancellationRequested)
        end = { kind: "failed", message: errorMessage(error) };
    }
    this.#running.delete(name);
    this.#log(name, end.kind === "failed" ? end.message : vscode.l10n.t("The server has ended"));
    this.#set(name, end);
  }

  /** Restarts servers that are running or failed to start, so that they use the saved code. */
  async #saved(path: string): Promise<void> {
    const servers = [...this.#code.values()].filter(({ folder, environment }) => {
      const kind = this.state(environment.name).kind;
      return (
        isWithin(path, folder) && (kind === "ready" || kind === "starting" || kind === "failed")
      );
    });
    for (const { environment } of servers) {
      const why = vscode.l10n.t("Starting the server again: {0} was saved", path);
      await this.stop(environment.name, why);
      // A failure is shown in the row and the log; code is often invalid while it is being written.
      await this.start(environment).catch(() => undefined);
    }
  }

  #set(name: string, state: OwnServerState): void {
    this.#states.set(name, state);
    this.#changed.fire();
  }

  #log(name: string, text: string): void {
    const time = new Date().toLocaleTimeString();
    this.#channel(name).appendLine(`[${time}] ${text}`);
  }

  #channel(name: string): vscode.OutputChannel {
    const known = this.#channels.get(name);
    if (known !== undefined) return known;
    const channel = vscode.window.createOutputChannel(vscode.l10n.t("Tinker RL: {0}", name));
    this.#channels.set(name, channel);
    return channel;
  }
}

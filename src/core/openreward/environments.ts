/** The connection to an ORS server: its environments by name and their startup queries. */

import type * as z from "zod";
import { isAppError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { ping } from "./keepAlive.ts";
import { namesReply, numTasksReply, splitsReply, taskRangeReply, toolsReply } from "./replies.ts";
import { openSession, whileOpening } from "./session.ts";
import { releaseSession, reserveSession } from "./sessionSteps.ts";
import { type NameSearch, suggestNames, withSuggestions } from "./suggestNames.ts";
import { resolveTarget } from "./target.ts";
import type {
  CallOptions,
  EnvironmentConnection,
  EnvironmentSession,
  OpenOptions,
  RemoteEnvironment,
  Split,
  TaskChoice,
  ToolList,
} from "./types.ts";
import { type EnvironmentDependencies, EnvironmentWire, type WireRequest } from "./wire.ts";

/** A session without `/create` cannot be pinged, and hosted sessions end after 120 s without a ping. */
const QUERY_SESSION_LIFE_MS = 60_000;
/** The server may have to read a large dataset first. */
const QUERY_TIMEOUT_MS = 5 * 60_000;

const WITHOUT_TASKS = [
  "environment-not-found",
  "environment-protocol",
  "environment-tool-crashed",
  "environment-reply-too-long",
] as const;

/** Creates a connection; nothing is sent until an environment is queried. */
export function connectEnvironments(dependencies: EnvironmentDependencies): EnvironmentConnection {
  return {
    environment(name, { onServer = null, toolsetName = null, sessionEnv } = {}) {
      const target = resolveTarget(name, dependencies.baseUrl, onServer);
      const session = { toolsetName, env: sessionEnv ?? {} };
      return new ConnectedEnvironment(new EnvironmentWire(dependencies, target, session));
    },
    names({ signal } = {}) {
      const { baseUrl } = dependencies;
      // Errors name the server, because no environment is asked for.
      const target = { ...resolveTarget("local/any", baseUrl), name: new URL(baseUrl).origin };
      const wire = new EnvironmentWire(dependencies, target);
      const path = "/list_environments";
      const request = { method: "GET", path, sid: null, isInSession: false } as const;
      return wire.fetchJson(request, { repeat: "always", signal, schema: namesReply });
    },
  };
}

class ConnectedEnvironment implements RemoteEnvironment {
  readonly name: string;
  readonly address: string;
  readonly #wire: EnvironmentWire;
  readonly #warnings = new Set<string>();
  #search: Promise<NameSearch> | null = null;
  #querySession: { readonly sid: Promise<string>; readonly openedMs: number } | null = null;

  constructor(wire: EnvironmentWire) {
    this.name = wire.target.name;
    this.address = new URL(wire.dependencies.baseUrl).origin;
    this.#wire = wire;
  }

  splits(options: CallOptions = {}): Promise<readonly Split[]> {
    return this.#query({ method: "GET", path: this.#wire.path("splits") }, splitsReply, options);
  }

  async numTasks(split: string, options: CallOptions = {}): Promise<number> {
    const request = {
      method: "POST",
      path: this.#wire.path("num_tasks"),
      body: { split },
    } as const;
    const { num_tasks } = await this.#query(request, numTasksReply, options);
    return num_tasks;
  }

  tools(options: CallOptions = {}): Promise<ToolList> {
    return this.#query({ method: "GET", path: this.#wire.path("tools") }, toolsReply, options);
  }

  async tasks(
    split: string,
    start: number,
    stop: number,
    options: CallOptions = {},
  ): Promise<readonly JsonObject[] | null> {
    const path = this.#wire.path("task_range");
    const request = { method: "POST", path, body: { split, start, stop } } as const;
    try {
      return (await this.#query(request, taskRangeReply, options)).tasks;
    } catch (error) {
      // Not every server has this route, and not every environment can list its tasks.
      if (isAppError(error, ...WITHOUT_TASKS)) return null;
      throw error;
    }
  }

  async holdsSession(id: string, { signal }: CallOptions = {}): Promise<boolean> {
    return (await ping(this.#wire, id, signal)) === "alive";
  }

  async release(): Promise<void> {
    const session = this.#querySession;
    this.#querySession = null;
    const sid = await session?.sid.catch(() => null);
    if (sid != null) await releaseSession(this.#wire, sid, { isCreated: false });
  }

  openSession(task: TaskChoice, options: OpenOptions = {}): Promise<EnvironmentSession> {
    const onUnknownBlock = (type: string): void =>
      this.#warnOnce("environment sent a block of an unknown type; it is skipped", type);
    return this.#suggestingNames(openSession(this.#wire, task, { ...options, onUnknownBlock }));
  }

  #query<T>(
    request: Pick<WireRequest, "method" | "path" | "body">,
    schema: z.ZodType<T>,
    { signal }: CallOptions,
  ): Promise<T> {
    const ask = async (): Promise<T> => {
      const sid = await this.#querySessionId(signal);
      const addressed = { ...request, sid, isInSession: false, timeoutMs: QUERY_TIMEOUT_MS };
      return this.#wire.fetchJson(addressed, { repeat: "always", signal, schema });
    };
    return this.#suggestingNames(ask());
  }

  /** Adds similar names to a "not found" error; they are looked up once for all callers. */
  async #suggestingNames<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!isAppError(error, "environment-not-found")) throw error;
      this.#search ??= suggestNames(this.#wire);
      throw withSuggestions(this.#wire, error, await this.#search);
    }
  }

  /** Hosted gateways route queries about an environment by session id; all queries share one session. */
  async #querySessionId(signal: AbortSignal | undefined): Promise<string> {
    const nowMs = this.#wire.dependencies.clock.monotonic();
    if (this.#querySession && nowMs - this.#querySession.openedMs >= QUERY_SESSION_LIFE_MS) {
      await this.release();
    }
    this.#querySession ??= {
      sid: whileOpening(
        this.#wire,
        { signal, answerLimitMs: QUERY_TIMEOUT_MS, step: "Check the environment's logs." },
        (waits) => reserveSession(this.#wire, {}, waits),
      ),
      openedMs: nowMs,
    };
    const session = this.#querySession;
    try {
      return await session.sid;
    } catch (error) {
      if (this.#querySession === session) this.#querySession = null;
      throw error;
    }
  }

  #warnOnce(message: string, what: string): void {
    const key = `${message}: ${what}`;
    if (this.#warnings.has(key)) return;
    this.#warnings.add(key);
    this.#wire.dependencies.log.warn(message, { environment: this.name, what });
  }
}

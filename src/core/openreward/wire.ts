/** Sends single ORS requests for one environment: headers, redirects, retries of simple requests, validated replies. */

import type * as z from "zod";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { type AppError, isAppError } from "../errors.ts";
import type { Clock, HttpClient, HttpResponse, Log, Random } from "../ports.ts";
import { REPLY_LIMITS } from "../replyLimits.ts";
import type { KeySource } from "../secrets/keySource.ts";
import { type ExactJsonObject, writeExactJson } from "../util/exactJson.ts";
import { retry, type TryOutcome } from "../util/retry.ts";
import { retryAfterMs } from "../util/retryAfter.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { type WithTimerPaused, withoutTimer } from "../util/withTimerPaused.ts";
import {
  type FaultLocation,
  httpFault,
  protocolFault,
  replyTooLong,
  unavailable,
} from "./faults.ts";
import {
  BACKOFF,
  createStartingWait,
  isStarting,
  MAX_RETRY_AFTER_MS,
  waitAsked,
} from "./retryPolicy.ts";
import type { Target } from "./target.ts";

/** Maximum attempts of a simple request. */
const PLAIN_ATTEMPTS = 4;
const MAX_REDIRECTS = 3;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([307, 308]);
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const PATHS_WITHOUT_DEPLOYMENT: ReadonlySet<string> = new Set(["/delete", "/delete_session"]);

export interface EnvironmentDependencies {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** URL of OpenReward's sessions or of an ORS server. */
  readonly baseUrl: string;
  /** Sent as `X-API-Key` to `baseUrl` only; null for no such header. */
  readonly apiKey: string | null;
  /** For messages about the key. */
  readonly keySource?: KeySource;
  readonly userAgent: string;
  /** URL of the catalogue of hosted environments; by default the `api.` counterpart of a `sessions.` host. */
  readonly apiUrl?: string | undefined;
  /** Log of a server that the program started, relative to the run folder; null while there is none. */
  readonly logOf?: () => string | null;
}

/** Settings of each session of an environment: `docs/protocols/openreward.md#sessions`. */
export interface SessionSettings {
  readonly toolsetName: string | null;
  /** Null means the secret of the same name. */
  readonly env: Readonly<Record<string, string | null>>;
}

export interface WireRequest {
  readonly method: "GET" | "POST";
  /** From the root, such as `/create`; {@link EnvironmentWire.path} builds those of an environment. */
  readonly path: string;
  readonly sid: string | null;
  readonly isInSession: boolean;
  readonly body?: ExactJsonObject;
  readonly secrets?: string | null;
  readonly acceptsEvents?: boolean;
  readonly timeoutMs?: number;
}

export interface RepeatRule {
  /** `"if-unsent"` only repeats what cannot have run: requests that were never sent, 429, and "starting" replies. */
  readonly repeat: "always" | "if-unsent";
  readonly signal?: AbortSignal | undefined;
  /** Wraps waits for an environment that is still starting, including the requests that check whether it still is. */
  readonly withTimerPaused?: WithTimerPaused | undefined;
}

/** A complete reply to a simple request. */
export interface PlainReply {
  readonly status: number;
  readonly text: string;
  readonly header: HttpResponse["header"];
  /** True when an earlier attempt may have reached the server. */
  readonly isRepeat: boolean;
}

type Attempt =
  | { readonly kind: "final" | "failed" | "starting"; readonly reply: Omit<PlainReply, "isRepeat"> }
  | { readonly kind: "lost"; readonly error: Error; readonly mayHaveRun: boolean };

export class EnvironmentWire {
  readonly target: Target;
  readonly dependencies: EnvironmentDependencies;
  readonly session: SessionSettings;
  readonly #base: URL;
  /** The base URL without trailing slashes. */
  readonly #root: string;

  constructor(
    dependencies: EnvironmentDependencies,
    target: Target,
    session: SessionSettings = { toolsetName: null, env: {} },
  ) {
    this.dependencies = dependencies;
    this.target = target;
    this.session = session;
    this.#base = new URL(dependencies.baseUrl);
    this.#root = withoutEnd(this.#base.href, /\//);
  }

  /** Path of an endpoint of this environment. */
  path(endpoint: string): string {
    const { envName } = this.target;
    return envName === null ? `/${endpoint}` : `/${encodeURIComponent(envName)}/${endpoint}`;
  }

  locationOf(request: WireRequest): FaultLocation {
    const { method, path, sid, isInSession } = request;
    const { name: environment, isOpenReward } = this.target;
    const log = this.dependencies.logOf?.();
    return { environment, sid, action: `${method} ${path}`, isInSession, isOpenReward, log };
  }

  /**
   * Sends once, following 307 and 308 redirects within the origin with the same method, body and headers.
   * @throws AppError `transport`; reading an overlong reply throws `environment-reply-too-long`
   */
  async send(request: WireRequest, signal: AbortSignal | undefined): Promise<HttpResponse> {
    let url = this.#root + request.path;
    for (let hops = 0; ; hops++) {
      const response = await this.dependencies.http.send({
        method: request.method,
        url,
        headers: this.#headers(request),
        body: request.body === undefined ? undefined : writeExactJson(request.body),
        replyLimit: {
          bytes: REPLY_LIMITS.environment,
          fault: (limit) => replyTooLong(this.locationOf(request), limit),
        },
        timeoutMs: request.timeoutMs,
        signal,
      });
      if (!REDIRECT_STATUSES.has(response.status)) return response;
      await response.bytes();
      url = this.#redirectTarget(request, url, response.header("location"), hops);
    }
  }

  /** Sends with retries where allowed and returns the first final reply. @throws AppError `environment-unavailable` */
  async sendWithRetries(request: WireRequest, rule: RepeatRule): Promise<PlainReply> {
    const { clock, random } = this.dependencies;
    const { signal, withTimerPaused = withoutTimer } = rule;
    const startingWait = createStartingWait(clock);
    let isRepeat = false;
    let run = withoutTimer;

    const attempt = async (): Promise<TryOutcome<PlainReply>> => {
      const attempt = await run(() => this.#attempt(request, rule));
      run = attempt.kind === "starting" ? withTimerPaused : withoutTimer;
      if (attempt.kind === "lost") {
        const { error, mayHaveRun } = attempt;
        if (mayHaveRun && rule.repeat === "if-unsent") throw error;
        isRepeat ||= mayHaveRun;
        return { kind: "failed", error };
      }
      const result: PlainReply = { ...attempt.reply, isRepeat };
      if (attempt.kind === "final") return { kind: "done", result };
      const retryAfterMs = this.retryAfterMs(result);
      if (attempt.kind === "starting") {
        const ms = startingWait(retryAfterMs);
        return ms === null ? { kind: "done", result } : { kind: "pause", ms };
      }
      isRepeat ||= result.status !== 429;
      const reason = `status ${result.status}`;
      return { kind: "unfinished", result, reason, afterMs: waitAsked(retryAfterMs) };
    };

    return await retry(attempt, {
      clock,
      random,
      signal,
      backoff: BACKOFF,
      maxTries: PLAIN_ATTEMPTS,
      withTimerPaused,
    });
  }

  /** The wait that the server asks for, at most five minutes. */
  retryAfterMs(reply: Pick<HttpResponse, "header">): number | null {
    const nowMs = this.dependencies.clock.now();
    return retryAfterMs(reply, { nowMs, maxMs: MAX_RETRY_AFTER_MS });
  }

  async #attempt(request: WireRequest, rule: RepeatRule): Promise<Attempt> {
    const location = this.locationOf(request);
    try {
      const response = await this.send(request, rule.signal);
      const { status } = response;
      const header = (name: string): string | null => response.header(name);
      const reply = { status, header, text: await readWhole(response) };
      if (isStarting(response)) {
        const { environment, sid } = location;
        this.dependencies.log.debug("environment is starting", { environment, sid });
        return { kind: "starting", reply };
      }
      return { kind: isRepeatable(request, status, rule) ? "failed" : "final", reply };
    } catch (error) {
      if (!isAppError(error, "transport")) throw error;
      const mayHaveRun = error.data["sent"] !== false;
      return { kind: "lost", error: unavailable(location, error), mayHaveRun };
    }
  }

  /** Sends a simple request and parses its 200 reply. @throws AppError as {@link httpFault}, or `environment-protocol` */
  async fetchJson<T>(
    request: WireRequest,
    rule: RepeatRule & {
      readonly schema: z.ZodType<T>;
      readonly parseJson?: (text: string) => unknown;
    },
  ): Promise<T> {
    const reply = await this.sendWithRetries(request, rule);
    if (reply.status !== 200) throw this.fault(request, reply, reply.text);
    return this.parse(request, reply.text, rule.schema, rule.parseJson);
  }

  /** @throws AppError `environment-protocol` when the text is not JSON that matches the schema */
  parse<T>(
    request: WireRequest,
    text: string,
    schema: z.ZodType<T>,
    parseJson: (text: string) => unknown = JSON.parse,
  ): T {
    try {
      return schema.parse(parseJson(text));
    } catch (error) {
      throw protocolFault(this.locationOf(request), "the reply does not follow ORS", error);
    }
  }

  /** The error for a status other than 200. */
  fault(
    request: WireRequest,
    response: Pick<HttpResponse, "status" | "header">,
    body: string,
  ): AppError {
    const { status } = response;
    return httpFault(this.locationOf(request), {
      status,
      body,
      retryAfterMs: this.retryAfterMs(response),
      key: this.dependencies.keySource,
    });
  }

  #headers(request: WireRequest): Readonly<Record<string, string>> {
    const { apiKey, userAgent } = this.dependencies;
    const { deployment } = this.target;
    const isDelete = PATHS_WITHOUT_DEPLOYMENT.has(request.path);
    return withoutUndefined({
      "user-agent": userAgent,
      "x-api-key": apiKey ?? undefined,
      "x-deployment": deployment === null || isDelete ? undefined : deployment,
      "x-session-id": request.sid ?? undefined,
      "x-secrets": request.secrets ?? undefined,
      accept: request.acceptsEvents ? "text/event-stream" : undefined,
      "content-type": request.body === undefined ? undefined : "application/json",
    });
  }

  /** Keys and secrets are sent along with a redirect, so it must stay within the origin and below the base path. */
  #redirectTarget(
    request: WireRequest,
    url: string,
    location: string | null,
    hops: number,
  ): string {
    const at = this.locationOf(request);
    if (location === null || hops >= MAX_REDIRECTS || !URL.canParse(location, url)) {
      throw protocolFault(at, "the server redirects in a loop, or to no address");
    }
    const next = new URL(location, url);
    if (next.origin !== new URL(url).origin) {
      throw protocolFault(at, `the server redirects to another origin (${next.origin})`);
    }
    // A server behind a gateway does not know the path prefix under which it is served.
    const root = withoutEnd(this.#base.pathname, /\//);
    if (!next.pathname.startsWith(`${root}/`)) next.pathname = root + next.pathname;
    return next.href;
  }
}

/** Only the body of a 200 matters: a refusal counts even if its text is cut off. */
export async function readWhole(response: HttpResponse): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (response.status === 200 || !isAppError(error, "transport")) throw error;
    return "";
  }
}

function isRepeatable(request: WireRequest, status: number, rule: RepeatRule): boolean {
  if (status === 429) return true;
  if (rule.repeat === "if-unsent") return false;
  // A 500 inside a session is a failure of the environment itself and would occur again.
  const isPassing500 = status === 500 && request.method === "GET" && !request.isInSession;
  return isPassing500 || TRANSIENT_STATUSES.has(status);
}

/** Owns single ORS requests of one environment: headers, redirects, repeats of plain requests, checked replies. */

import type { z } from "zod";
import { isAppError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { Clock, HttpClient, HttpResponse, Log, Random } from "../ports.ts";
import { httpFault, type Place, protocolFault, unavailable } from "./faults.ts";
import { createPatience, isStarting, retryAfterMs } from "./patience.ts";
import type { Target } from "./target.ts";

/** Attempts of a plain request (ORS, section 10.5). */
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
  /** Where OpenReward's environments or an ORS server are. */
  readonly baseUrl: string;
  /** Sent as `X-API-Key` to `baseUrl` only; null = no such header. */
  readonly apiKey: string | null;
  readonly userAgent: string;
}

export interface WireRequest {
  readonly method: "GET" | "POST";
  /** From the root, for example `/create`; {@link EnvironmentWire.path} makes those of an environment. */
  readonly path: string;
  readonly sid: string | null;
  readonly isInSession: boolean;
  readonly body?: JsonObject;
  readonly secrets?: string | null;
  readonly acceptsEvents?: boolean;
  readonly timeoutMs?: number;
}

export interface RepeatRule {
  /** `"if-unsent"` repeats only what cannot have run: requests that never left, 429, and "starting" answers. */
  readonly repeat: "always" | "if-unsent";
  readonly signal?: AbortSignal | undefined;
}

export interface PatientResponse {
  readonly response: HttpResponse;
  /** True when an earlier attempt may have reached the server. */
  readonly isRepeat: boolean;
}

interface Attempt {
  readonly kind: "final" | "failed" | "starting";
  /** Null when no answer came: `error` says why. */
  readonly response: HttpResponse | null;
  readonly error: Error | null;
  readonly waitMs: number | null;
  readonly mayHaveRun: boolean;
}

export class EnvironmentWire {
  readonly target: Target;
  readonly dependencies: EnvironmentDependencies;

  constructor(dependencies: EnvironmentDependencies, target: Target) {
    this.dependencies = dependencies;
    this.target = target;
  }

  /** Path of an endpoint of the environment. */
  path(endpoint: string): string {
    const { envName } = this.target;
    return envName === null ? `/${endpoint}` : `/${encodeURIComponent(envName)}/${endpoint}`;
  }

  placeOf(request: WireRequest): Place {
    const { method, path, sid, isInSession } = request;
    return { environment: this.target.name, sid, action: `${method} ${path}`, isInSession };
  }

  /** Sends once, following 307 and 308 within the origin with method, body and headers. @throws AppError `transport` */
  async send(request: WireRequest, signal: AbortSignal | undefined): Promise<HttpResponse> {
    const base = new URL(this.dependencies.baseUrl);
    let url = base.href.replace(/\/+$/, "") + request.path;
    for (let hops = 0; ; hops++) {
      const response = await this.dependencies.http.send({
        method: request.method,
        url,
        headers: this.#headers(request),
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
        ...(signal === undefined ? {} : { signal }),
      });
      if (!REDIRECT_STATUSES.has(response.status)) return response;
      await response.bytes();
      url = this.#redirectTarget(request, url, response.header("location"), hops);
    }
  }

  /** Sends, repeats what may be repeated, and returns the first answer that decides. @throws AppError `environment-unavailable` */
  async sendPatiently(request: WireRequest, rule: RepeatRule): Promise<PatientResponse> {
    const { clock, random } = this.dependencies;
    const patience = createPatience({ clock, random, maxAttempts: PLAIN_ATTEMPTS });
    let isRepeat = false;
    for (;;) {
      const attempt = await this.#attempt(request, rule);
      const { response, error, waitMs } = attempt;
      const mayRepeat =
        (attempt.kind === "failed" && (await patience.afterFailure(waitMs, rule.signal))) ||
        (attempt.kind === "starting" && (await patience.whileStarting(waitMs, rule.signal)));
      if (!mayRepeat) {
        if (response === null) throw error;
        return { response, isRepeat };
      }
      isRepeat ||= attempt.mayHaveRun;
      // Read to the end so that its connection can serve again; what it says no longer matters.
      await response?.bytes().catch(() => undefined);
    }
  }

  async #attempt(request: WireRequest, rule: RepeatRule): Promise<Attempt> {
    const place = this.placeOf(request);
    try {
      const response = await this.send(request, rule.signal);
      const { status } = response;
      const common = {
        response,
        error: null,
        waitMs: retryAfterMs(response, this.dependencies.clock.now()),
      };
      if (isStarting(response)) {
        const { environment, sid } = place;
        this.dependencies.log.debug("environment is starting", { environment, sid });
        return { ...common, kind: "starting", mayHaveRun: false };
      }
      const kind = isRepeatable(request, status, rule) ? "failed" : "final";
      return { ...common, kind, mayHaveRun: status !== 429 };
    } catch (error) {
      if (!isAppError(error, "transport")) throw error;
      const mayHaveRun = error.data["sent"] !== false;
      const kind = mayHaveRun && rule.repeat === "if-unsent" ? "final" : "failed";
      return { kind, response: null, error: unavailable(place, error), waitMs: null, mayHaveRun };
    }
  }

  /** A plain request whose 200 reply has the given shape. @throws AppError as {@link httpFault} says, or `environment-protocol` */
  async fetchJson<T>(
    request: WireRequest,
    rule: RepeatRule & { readonly schema: z.ZodType<T> },
  ): Promise<T> {
    const { response } = await this.sendPatiently(request, rule);
    const text = await this.readText(request, response);
    if (response.status !== 200) throw this.fault(request, response, text);
    return this.parse(request, text, rule.schema);
  }

  /** @throws AppError `environment-unavailable` when the body breaks off */
  async readText(request: WireRequest, response: HttpResponse): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      throw isAppError(error, "transport") ? unavailable(this.placeOf(request), error) : error;
    }
  }

  /** @throws AppError `environment-protocol` when the text is not JSON of that shape */
  parse<T>(request: WireRequest, text: string, schema: z.ZodType<T>): T {
    try {
      return schema.parse(JSON.parse(text));
    } catch (error) {
      throw protocolFault(this.placeOf(request), "the reply is not what ORS says", error);
    }
  }

  fault(request: WireRequest, response: HttpResponse, body: string): Error {
    return httpFault(this.placeOf(request), {
      status: response.status,
      body,
      retryAfterMs: retryAfterMs(response, this.dependencies.clock.now()),
    });
  }

  #headers(request: WireRequest): Readonly<Record<string, string>> {
    const { apiKey, userAgent } = this.dependencies;
    const { deployment } = this.target;
    const isDelete = PATHS_WITHOUT_DEPLOYMENT.has(request.path);
    return {
      "user-agent": userAgent,
      ...(apiKey === null ? {} : { "x-api-key": apiKey }),
      ...(deployment === null || isDelete ? {} : { "x-deployment": deployment }),
      ...(request.sid === null ? {} : { "x-session-id": request.sid }),
      ...(request.secrets == null ? {} : { "x-secrets": request.secrets }),
      ...(request.acceptsEvents ? { accept: "text/event-stream" } : {}),
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
    };
  }

  /** Keys and secrets travel with a redirect, so it must stay within the origin. */
  #redirectTarget(
    request: WireRequest,
    url: string,
    location: string | null,
    hops: number,
  ): string {
    const place = this.placeOf(request);
    if (location === null || hops >= MAX_REDIRECTS || !URL.canParse(location, url)) {
      throw protocolFault(place, "the server redirects in circles or nowhere");
    }
    const next = new URL(location, url);
    if (next.origin !== new URL(url).origin) {
      throw protocolFault(place, `the server redirects to another origin (${next.origin})`);
    }
    return next.href;
  }
}

function isRepeatable(request: WireRequest, status: number, rule: RepeatRule): boolean {
  if (status === 429) return true;
  if (rule.repeat === "if-unsent") return false;
  // A 500 inside a session is the environment's own failure and would come again.
  const isPassing500 = status === 500 && request.method === "GET" && !request.isInSession;
  return isPassing500 || TRANSIENT_STATUSES.has(status);
}

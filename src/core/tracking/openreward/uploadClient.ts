/** Sends single requests of OpenReward's rollout upload and interprets the answers: `docs/protocols/openreward.md#uploads`. */

import * as z from "zod";
import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import { isAppError } from "../../errors.ts";
import { readDetail } from "../../openreward/faults.ts";
import { MAX_RETRY_AFTER_MS } from "../../openreward/retryPolicy.ts";
import type { Clock, HttpClient, HttpRequest, HttpResponse } from "../../ports.ts";
import { faultReason } from "../../util/faultReason.ts";
import { parseJson } from "../../util/jsonl.ts";
import { retryAfterMs } from "../../util/retryAfter.ts";
import { withoutEnd } from "../../util/textEdges.ts";
import type { CatalogueIds, UploadEvent } from "./uploadEvents.ts";

export interface UploadClientOptions {
  readonly http: HttpClient;
  readonly clock: Pick<Clock, "now">;
  /** Base URL of the platform API; a path prefix is preserved. */
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly userAgent: string;
}

/** No decisive answer: try again later. */
export interface Unavailable {
  readonly kind: "unavailable";
  /** For display. */
  readonly reason: string;
  readonly retryAfterMs: number | null;
  /** False if the service certainly did not process the request. */
  readonly mayHaveArrived: boolean;
}

/** The service rejects this client: the key or the address is wrong. */
export interface Denial {
  readonly kind: "denied";
  readonly reason: string;
}

/** `refused` = the service will never accept these events. */
export type PostOutcome =
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly reason: string }
  | Denial
  | Unavailable;

/** The messages of a rollout that the service has. */
export type Arrival =
  | { readonly kind: "found"; readonly indices: ReadonlySet<number> }
  /** The service does not know the rollout, or does not say. */
  | { readonly kind: "unknown" }
  | Unavailable;

const REQUEST_TIMEOUT_MS = 60_000;
/** After this many failed lookups, a rollout is sent without the ids. */
const LOOK_UP_ATTEMPTS = 3;
const MAX_REASON_CHARS = 200;
const DENIALS: ReadonlySet<number> = new Set([401, 403, 404, 405]);
/** Statuses that the service or a proxy may send temporarily, for example a redirect to a login page. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([302, 303, 307, 408, 425, 429]);

const rolloutReply = z.object({ messages: z.array(z.object({ index: z.int() })) });
const environmentReply = z.object({ id: z.string().min(1) });
const variantsReply = z.array(z.object({ id: z.string().min(1), name: z.string() }));

export class UploadClient {
  readonly #options: UploadClientOptions;
  /** One lookup per environment and variant. */
  readonly #ids = new Map<string, Promise<CatalogueIds | Unavailable>>();
  readonly #failures = new Map<string, number>();

  constructor(options: UploadClientOptions) {
    this.#options = options;
  }

  async post(events: readonly UploadEvent[], signal: AbortSignal): Promise<PostOutcome> {
    const body = `{"events":[${events.map(({ json }) => json).join(",")}]}`;
    const answer = await this.#send({ method: "POST", path: "/v1/rollouts", body }, signal);
    if ("kind" in answer) return answer;
    const { status, text } = answer;
    if (status >= 200 && status < 300) return { kind: "taken" };
    const kind = DENIALS.has(status) || status < 400 ? "denied" : "refused";
    return { kind, reason: reasonOf(status, text) };
  }

  /** Asks which messages of a rollout have arrived, so that nothing is sent twice after a lost answer. */
  async arrived(id: string, signal: AbortSignal): Promise<Arrival> {
    const path = `/v1/rollouts/${encodeURIComponent(id)}`;
    const answer = await this.#send({ method: "GET", path }, signal);
    if ("kind" in answer) return answer;
    const reply = rolloutReply.safeParse(parseJson(answer.text)?.value);
    if (answer.status !== 200 || !reply.success) return { kind: "unknown" };
    return { kind: "found", indices: new Set(reply.data.messages.map(({ index }) => index)) };
  }

  /** Ids of `Owner/Name` and its variant, looked up once; empty if the catalogue does not know them. */
  catalogueIds(
    environment: string,
    variant: string | undefined,
    signal: AbortSignal,
  ): Promise<CatalogueIds | Unavailable> {
    const key = `${environment}:${variant ?? ""}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const asking = this.#lookUp(environment, variant, signal).then((ids) => {
      if (!("kind" in ids)) return ids;
      this.#ids.delete(key);
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      return failures < LOOK_UP_ATTEMPTS ? ids : {};
    });
    asking.catch(() => this.#ids.delete(key));
    this.#ids.set(key, asking);
    return asking;
  }

  async #lookUp(
    environment: string,
    variant: string | undefined,
    signal: AbortSignal,
  ): Promise<CatalogueIds | Unavailable> {
    const [owner = "", name] = environment.split("/").map(encodeURIComponent);
    // Names on a private server are not in the catalogue.
    if (name === undefined || owner === "local") return {};
    const path = `/v1/environments/${owner}/${name}`;
    const found = await this.#read(path, environmentReply, signal);
    if (found === null) return {};
    if ("kind" in found) return found;
    const environment_id = found.value.id;
    if (variant === undefined) return { environment_id };
    const variants = await this.#read(`${path}/variants`, variantsReply, signal);
    if (variants !== null && "kind" in variants) return variants;
    const variant_id = variants?.value.find((each) => each.name === variant)?.id;
    return { environment_id, variant_id };
  }

  async #read<T>(
    path: string,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<{ readonly value: T } | null | Unavailable> {
    const answer = await this.#send({ method: "GET", path }, signal);
    if ("kind" in answer) return answer;
    const reply = schema.safeParse(parseJson(answer.text)?.value);
    return answer.status === 200 && reply.success ? { value: reply.data } : null;
  }

  async #send(
    request: Pick<HttpRequest, "method"> & { readonly path: string; readonly body?: string },
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string } | Unavailable> {
    const { http, apiUrl, apiKey, userAgent, clock } = this.#options;
    const { method, path, body } = request;
    try {
      const response = await http.send({
        method,
        url: withoutEnd(apiUrl, /\//) + path,
        headers: withoutUndefined({
          "x-api-key": apiKey,
          "user-agent": userAgent,
          accept: "application/json",
          "content-type": body === undefined ? undefined : "application/json",
        }),
        body,
        timeoutMs: REQUEST_TIMEOUT_MS,
        signal,
      });
      const text = await response.text();
      const { status } = response;
      const isForeign = isPage(response, text);
      if (!isTransient(response) && !isForeign) return { status, text };
      return {
        kind: "unavailable",
        reason: isForeign ? "something other than OpenReward answered" : reasonOf(status, text),
        retryAfterMs: retryAfterMs(response, { nowMs: clock.now(), maxMs: MAX_RETRY_AFTER_MS }),
        mayHaveArrived: status !== 429,
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!isAppError(error, "transport")) throw error;
      const reason = faultReason(error);
      const mayHaveArrived = error.data["sent"] !== false;
      return { kind: "unavailable", reason, retryAfterMs: null, mayHaveArrived };
    }
  }
}

function isTransient({ status }: HttpResponse): boolean {
  return TRANSIENT_STATUSES.has(status) || status >= 500;
}

/** A 2xx answer that is a web page comes from an intermediary, such as a network's login page: nothing was accepted. */
function isPage({ status }: HttpResponse, text: string): boolean {
  return status >= 200 && status < 300 && text.trimStart().startsWith("<");
}

function reasonOf(status: number, text: string): string {
  const message = z.object({ message: z.string() }).safeParse(parseJson(text)?.value);
  const detail = (message.data?.message ?? readDetail(text)).replace(/\s+/g, " ").trim();
  // No trailing period: the text goes into a sentence.
  const shown = withoutEnd(detail.slice(0, MAX_REASON_CHARS), /[.\s]/);
  return shown === "" ? `status ${status}` : `status ${status}: ${shown}`;
}

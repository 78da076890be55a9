/** The HttpClient port on undici: keep-alive, sockets and proxies; no redirects, no retries, no time limits of its own. */

import { Agent, type Dispatcher, EnvHttpProxyAgent, request as sendRequest } from "undici";
import { AppError, errorMessage } from "../core/errors.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../core/ports.ts";

export interface HttpClientOptions {
  /** Unix socket or named pipe that every request goes to, whatever host its URL names; no proxy is used then. */
  readonly socketPath?: string;
  /** Proxy URL in place of the ones in the environment (HTTPS_PROXY, HTTP_PROXY). */
  readonly proxy?: string;
  /** Most connections to one origin; absent = as many as there are requests under way. */
  readonly maxConnections?: number;
}

export interface ClosableHttpClient extends HttpClient {
  /** Ends all connections; requests under way fail with `transport`. */
  close(): Promise<void>;
}

/** This machine is never reached through a proxy. */
const LOOPBACK_HOSTS = "localhost,127.0.0.1,[::1]";

/** Failures of these kinds come before any byte of the request is written. */
const UNSENT_SYSCALLS: ReadonlySet<string> = new Set(["connect", "getaddrinfo"]);
const UNSENT_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_INVALID_ARG",
  "ERR_INVALID_URL",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Builds the program's HTTP client; proxies follow HTTPS_PROXY, HTTP_PROXY and NO_PROXY unless given. */
export function createHttpClient(options: HttpClientOptions = {}): ClosableHttpClient {
  const dispatcher = createDispatcher(options);
  return {
    send: (request) => send(dispatcher, request),
    close: () => dispatcher.destroy(),
  };
}

function createDispatcher(options: HttpClientOptions): Dispatcher {
  const { socketPath, proxy, maxConnections } = options;
  const common = { headersTimeout: 0, bodyTimeout: 0, connections: maxConnections ?? null };
  if (socketPath !== undefined) return new Agent({ ...common, connect: { socketPath } });
  const noProxy = process.env["no_proxy"] ?? process.env["NO_PROXY"];
  return new EnvHttpProxyAgent({
    ...common,
    noProxy: noProxy === undefined || noProxy === "" ? LOOPBACK_HOSTS : mergeNoProxy(noProxy),
    ...(proxy === undefined ? {} : { httpProxy: proxy, httpsProxy: proxy }),
  });
}

function mergeNoProxy(noProxy: string): string {
  return noProxy.trim() === "*" ? "*" : `${noProxy},${LOOPBACK_HOSTS}`;
}

async function send(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpResponse> {
  const limit = limitRequest(request);
  try {
    const { statusCode, headers, body } = await sendRequest(request.url, {
      dispatcher,
      method: request.method,
      headers: request.headers ?? {},
      body: request.body ?? null,
      signal: limit.signal,
    });
    body.once("close", limit.release);
    // A fault before the caller reads the body must wait for that read instead of ending the process.
    body.on("error", limit.release);
    const guarded = async <T>(read: () => Promise<T>): Promise<T> => {
      try {
        return await read();
      } catch (error) {
        throw limit.explain(error);
      }
    };
    return {
      status: statusCode,
      header: (name) => headerValue(headers[name.toLowerCase()]),
      bytes: () => guarded(async () => new Uint8Array(await body.arrayBuffer())),
      text: () => guarded(() => body.text()),
      stream: () => streamBody(body, limit.explain),
    };
  } catch (error) {
    limit.release();
    throw limit.explain(error);
  }
}

async function* streamBody(
  body: AsyncIterable<Uint8Array>,
  explain: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw explain(error);
  }
}

interface RequestLimit {
  /** Aborts at the caller's abort or at the time limit. */
  readonly signal: AbortSignal;
  readonly release: () => void;
  /** What to throw for a fault: the caller's abort reason, or an AppError `transport`. */
  readonly explain: (error: unknown) => unknown;
}

function limitRequest(request: HttpRequest): RequestLimit {
  const { signal, timeoutMs } = request;
  const controller = new AbortController();
  let isTimedOut = false;
  const onAbort = (): void => controller.abort(signal?.reason);
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          isTimedOut = true;
          controller.abort();
        }, timeoutMs);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
    explain: (error) => {
      if (isTimedOut) return transportError(request, `no complete answer in ${timeoutMs} ms`, true);
      if (signal?.aborted) return signal.reason;
      return transportError(request, errorMessage(error), wasPossiblySent(error), error);
    },
  };
}

function transportError(
  request: HttpRequest,
  reason: string,
  sent: boolean,
  cause?: unknown,
): AppError {
  const place = describeUrl(request.url);
  return new AppError(
    "transport",
    `${request.method} ${place} failed: ${reason || "the connection broke"}. Check the network, the proxy settings and the address.`,
    { data: { sent, url: place, code: errorField(cause, "code") ?? null }, cause },
  );
}

/** The address without user info and query, which may hold keys. */
function describeUrl(url: string): string {
  if (!URL.canParse(url)) return "an invalid URL";
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function wasPossiblySent(error: unknown): boolean {
  // With several addresses to try, the one error lists a failed connection to each.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const syscall = errorField(first, "syscall");
  const code = errorField(first, "code");
  return !(UNSENT_SYSCALLS.has(syscall ?? "") || UNSENT_CODES.has(code ?? ""));
}

function errorField(error: unknown, name: "code" | "syscall"): string | undefined {
  const value: unknown =
    error instanceof Error ? Object.getOwnPropertyDescriptor(error, name)?.value : undefined;
  return typeof value === "string" ? value : undefined;
}

function headerValue(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : value.join(", ");
}

/** The HttpClient port, based on undici: keep-alive, sockets and proxies, but no redirects, retries or timeouts of its own. */

import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import type { HttpClient, HttpRequest } from "../core/ports.ts";
import { isLoopbackHost } from "../core/util/loopback.ts";
import { withoutUndefined } from "../shared/withoutUndefined.ts";
import { EventLoopThrottle } from "./eventLoopThrottle.ts";
import { connectionsTo } from "./httpConnections.ts";
import { HttpExchange } from "./httpExchange.ts";
import { proxyAuthorization, proxySettings } from "./proxy.ts";

export interface HttpClientOptions {
  /** Unix socket or named pipe for all requests, regardless of the URL's host; bypasses proxies. */
  readonly socketPath?: string;
}

export interface ClosableHttpClient extends HttpClient {
  /** Closes all connections; requests in progress fail with `transport`. */
  close(): Promise<void>;
}

/** Per event loop turn, because thousands of rollouts may send at once. */
const REQUESTS_PER_TURN = 8;
const ANSWERS_PER_TURN = 16;
/** Timeouts are up to the caller. */
const CONNECTION_OPTIONS = { headersTimeout: 0, bodyTimeout: 0, factory: connectionsTo };

/** Creates the program's HTTP client; proxies follow HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
export function createHttpClient(options: HttpClientOptions = {}): ClosableHttpClient {
  const dispatchers = new Dispatchers(options);
  const requests = new EventLoopThrottle(REQUESTS_PER_TURN);
  const answers = new EventLoopThrottle(ANSWERS_PER_TURN);
  return {
    send: (request) => {
      // The exchange lives until the answer is read, so do not let it retain the body.
      const { body: _, ...awaited } = request;
      const exchange = new HttpExchange(awaited, answers);
      if (!exchange.isOver) requests.run(() => begin(dispatchers, request, exchange));
      return exchange.response;
    },
    close: () => dispatchers.close(),
  };
}

/** The direct agent, and proxy agents created on first use, so that an invalid proxy affects nothing else. */
class Dispatchers {
  readonly #direct: Agent;
  readonly #options: HttpClientOptions;
  /** By URL protocol. */
  readonly #proxied = new Map<string, EnvHttpProxyAgent>();

  constructor(options: HttpClientOptions) {
    const { socketPath } = options;
    this.#options = options;
    this.#direct = new Agent({
      ...CONNECTION_OPTIONS,
      ...withoutUndefined({ connect: socketPath === undefined ? undefined : { socketPath } }),
    });
  }

  /** @throws AppError `config-address-invalid` if the proxy's address is invalid */
  for({ hostname, protocol }: URL): Dispatcher {
    if (this.#options.socketPath !== undefined || isLoopbackHost(hostname)) return this.#direct;
    const noProxy = process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "";
    if (noProxy.trim() === "*") return this.#direct;
    const agent = this.#proxied.get(protocol) ?? proxyAgent(noProxy, protocol);
    this.#proxied.set(protocol, agent);
    return agent;
  }

  async close(): Promise<void> {
    await Promise.all([this.#direct, ...this.#proxied.values()].map((each) => each.destroy()));
  }
}

function proxyAgent(noProxy: string, protocol: string): EnvHttpProxyAgent {
  const { httpProxy, httpsProxy } = proxySettings(process.env);
  const proxy = protocol === "https:" ? httpsProxy : httpProxy;
  return new EnvHttpProxyAgent({
    ...CONNECTION_OPTIONS,
    noProxy,
    // An empty address means no proxy; if omitted, undici would read the variables itself.
    httpProxy: proxy ?? "",
    httpsProxy: "",
    ...withoutUndefined({ token: proxy === null ? undefined : proxyAuthorization(proxy) }),
  });
}

function begin(dispatchers: Dispatchers, request: HttpRequest, exchange: HttpExchange): void {
  if (exchange.isOver) return;
  try {
    const url = new URL(request.url);
    dispatchers.for(url).dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        headers: request.headers ?? {},
        body: request.body ?? null,
      },
      exchange,
    );
  } catch (error) {
    exchange.fail(error);
  }
}

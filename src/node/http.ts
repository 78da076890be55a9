/** The HttpClient port on undici: keep-alive, sockets and proxies; no redirects, no retries, no time limits of its own. */

import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import type { HttpClient, HttpRequest } from "../core/ports.ts";
import { EventLoopThrottle } from "./eventLoopThrottle.ts";
import { connectionsTo } from "./httpConnections.ts";
import { HttpExchange } from "./httpExchange.ts";

export interface HttpClientOptions {
  /** Unix socket or named pipe that every request goes to, whatever host its URL names; no proxy is used then. */
  readonly socketPath?: string;
  /** Proxy URL instead of the ones in the environment (HTTPS_PROXY, HTTP_PROXY). */
  readonly proxy?: string;
}

export interface ClosableHttpClient extends HttpClient {
  /** Ends all connections; requests under way fail with `transport`. */
  close(): Promise<void>;
}

/** This machine is never reached through a proxy. */
const LOOPBACK_HOSTS = "localhost,127.0.0.1,[::1]";
/** In one turn of the event loop: thousands of rollouts may send at once. */
const REQUESTS_PER_TURN = 8;
const ANSWERS_PER_TURN = 16;

/** Builds the program's HTTP client; proxies follow HTTPS_PROXY, HTTP_PROXY and NO_PROXY unless given. */
export function createHttpClient(options: HttpClientOptions = {}): ClosableHttpClient {
  const dispatcher = createDispatcher(options);
  const requests = new EventLoopThrottle(REQUESTS_PER_TURN);
  const answers = new EventLoopThrottle(ANSWERS_PER_TURN);
  return {
    send: (request) => {
      // The body is the connection's: an exchange lasts until the answer is read.
      const { body: _, ...awaited } = request;
      const exchange = new HttpExchange(awaited, answers);
      if (!exchange.isOver) requests.run(() => begin(dispatcher, request, exchange));
      return exchange.response;
    },
    close: () => dispatcher.destroy(),
  };
}

function createDispatcher(options: HttpClientOptions): Dispatcher {
  const { socketPath, proxy } = options;
  const common = { headersTimeout: 0, bodyTimeout: 0, factory: connectionsTo };
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

function begin(dispatcher: Dispatcher, request: HttpRequest, exchange: HttpExchange): void {
  if (exchange.isOver) return;
  try {
    const { origin, pathname, search } = new URL(request.url);
    dispatcher.dispatch(
      {
        origin,
        path: pathname + search,
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

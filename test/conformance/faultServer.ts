/** A Tinker server on a port that answers every call of a session, and injects faults on the wire instead of answers. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { HttpClient, HttpRequest, HttpResponse } from "../../src/core/ports.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { settle } from "../fakes/fakeClock.ts";
import { bytesOf, type FakeAnswer } from "../fakes/fakeHttp.ts";
import { fakeTinker } from "../fakes/fakeTinker.ts";
import { serveHere } from "../fakes/serveHere.ts";
import type { Arrival, OpenTransport } from "./faultTransport.ts";

const ROOT = "/prefix/api/v1/";
const FAKE_ROOT = "http://tinker.test/prefix/api/v1/";

/** Our own HTTP client, connected to such a server. */
export const overConnections: OpenTransport = async (faultFor, haste) => {
  const arrivals: Arrival[] = [];
  const fake = fakeTinker();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrival = await arrivalOf(request);
    arrivals.push(arrival);
    const fault = faultFor(arrival);
    if (fault === "hang") return;
    if (fault === "reset") request.socket.resetAndDestroy();
    else if (fault !== undefined && fault !== "truncate") sendFault(response, fault);
    else {
      const answer = await fake.http.send(asked(request, arrival));
      await sendAnswer(response, answer, fault === "truncate");
    }
  };
  const served = await serveHere((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const client = createHttpClient();
  const http = new WatchedHttp(client, haste);
  return {
    http,
    baseUrl: `${served.url}/prefix`,
    arrivals,
    rest: () => http.rest(),
    close: () => {
      served.close();
      return client.close();
    },
  };
};

async function arrivalOf(request: IncomingMessage): Promise<Arrival> {
  const body = await buffer(request);
  const isJson = request.headers["content-type"] === "application/json";
  return {
    path: (request.url ?? "").slice(ROOT.length),
    headers: request.headers,
    json: isJson ? JSON.parse(body.toString("utf8")) : null,
    body,
  };
}

function asked(request: IncomingMessage, { path, body }: Arrival): HttpRequest {
  const type = request.headers["content-type"];
  return {
    method: methodOf(request),
    url: FAKE_ROOT + path,
    headers: type === undefined ? {} : { "content-type": type },
    body,
  };
}

function methodOf({ method }: IncomingMessage): HttpRequest["method"] {
  return method === "GET" || method === "PUT" || method === "DELETE" ? method : "POST";
}

async function sendAnswer(
  response: ServerResponse,
  answer: HttpResponse,
  isCut: boolean,
): Promise<void> {
  const bytes = await answer.bytes();
  response.writeHead(answer.status, {
    "content-type": answer.header("content-type") ?? "application/json",
    "content-length": bytes.byteLength,
  });
  if (isCut) response.write(bytes.subarray(0, bytes.byteLength / 2), () => response.destroy());
  else response.end(bytes);
}

function sendFault(response: ServerResponse, fault: FakeAnswer): void {
  const bytes = bytesOf(fault);
  const length = fault.hasLength === false ? {} : { "content-length": bytes.byteLength };
  const headers = { "content-type": "application/json", ...fault.headers, ...length };
  response.writeHead(fault.status ?? 200, headers);
  // Node sends a content length for an answer that is ended with all of its content.
  response.write(bytes);
  response.end();
}

/** Knows whether requests are in progress, including their bodies. */
class WatchedHttp implements HttpClient {
  readonly #http: HttpClient;
  readonly #haste: number;
  #underWay = 0;

  constructor(http: HttpClient, haste: number) {
    this.#http = http;
    this.#haste = haste;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { timeoutMs } = request;
    const limit = timeoutMs === undefined ? {} : { timeoutMs: timeoutMs / this.#haste };
    const response = await this.#watch(() => this.#http.send({ ...request, ...limit }));
    return {
      status: response.status,
      header: (name) => response.header(name),
      bytes: () => this.#watch(() => response.bytes()),
      text: () => this.#watch(() => response.text()),
      stream: () => response.stream(),
    };
  }

  async rest(): Promise<void> {
    await settle();
    while (this.#underWay > 0) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await settle();
    }
  }

  async #watch<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }
}

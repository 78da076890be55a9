/** A Tinker server on a port that answers every call of a session, and plays faults on the wire instead of answers. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { HttpRequest, HttpResponse } from "../../src/core/ports.ts";
import { fakeTinker } from "../fakes/fakeTinker.ts";
import { listenAnywhere } from "../integration/tinkerServersStub.ts";

/** `truncate` = the true answer, cut in its middle; `hang` = none. */
export type Fault =
  | {
      /** 200 unless given. */
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly text?: string;
      /** False = sent in chunks, without a length. */
      readonly hasLength?: false;
    }
  | "reset"
  | "truncate"
  | "hang";

/** A request as it came in. */
export interface Arrival {
  /** Below the API's root. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** JSON, or null. */
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly body: Buffer;
}

export interface FaultServer {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  close(): void;
}

const ROOT = "/prefix/api/v1/";
const FAKE_ROOT = "http://tinker.test/prefix/api/v1/";

/** `faultFor` is asked at every request; undefined = the true answer. */
export async function startFaultServer(
  faultFor: (arrival: Arrival) => Fault | undefined,
): Promise<FaultServer> {
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
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const url = `${await listenAnywhere(server)}/prefix`;
  return {
    url,
    arrivals,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

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

function asked(request: IncomingMessage, { path, headers, body }: Arrival): HttpRequest {
  const type = headers["content-type"];
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

function sendFault(response: ServerResponse, fault: Exclude<Fault, string>): void {
  const text = fault.text ?? (fault.json === undefined ? "" : JSON.stringify(fault.json));
  const headers = { "content-type": "application/json", ...fault.headers };
  if (fault.hasLength === false) {
    response.writeHead(fault.status ?? 200, headers);
    response.write(text);
    response.end();
  } else {
    const length = Buffer.byteLength(text);
    response.writeHead(fault.status ?? 200, { ...headers, "content-length": length });
    response.end(text);
  }
}

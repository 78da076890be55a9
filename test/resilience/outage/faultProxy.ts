/** A proxy before a service: forwards requests, injects faults into some, and can be unreachable as a whole. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { sendOn } from "../../fakes/serveHere.ts";
import type { FaultKind, FaultPlan } from "./faultPlan.ts";

/** A request as received, and its outcome. */
export interface Passage {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  readonly fault: FaultKind | null;
  /** Null if it was not forwarded. */
  readonly answer: { readonly status: number; readonly body: Buffer } | null;
}

export interface FaultProxyOptions {
  readonly upstream: string;
  /** Null = everything passes. */
  readonly plan: FaultPlan | null;
  /** Called for every request once the service has answered, or will not. */
  readonly onPassage?: (passage: Passage) => void;
  /** Texts of equal length that are replaced on the service's side. */
  readonly rename?: { readonly client: string; readonly service: string };
}

interface Incoming {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

const HANG_MS = 2_000;
/** Below the ephemeral ports of clients, and apart from other tests: no one takes it while the service is down. */
const FIRST_PORT = 20_000 + (process.pid % 1_000) * 8;
const REFUSED_SHARE = 1 / 3;
const STATUS = /^(\d{3})/;

export class FaultProxy {
  readonly #options: FaultProxyOptions;
  readonly #server = createServer((incoming, outgoing) => {
    this.#serve(incoming, outgoing).catch(() => reset(outgoing));
  });
  #port = FIRST_PORT;
  #isDown = false;
  #refusals = 0;

  private constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#server.keepAliveTimeout = 60_000;
    this.#server.on("connection", (socket: Socket) => {
      if (!this.#isDown) return;
      this.#refusals += 1;
      socket.resetAndDestroy();
    });
  }

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    for (proxy.#port = FIRST_PORT; !(await proxy.#listen()); proxy.#port += 1);
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Connections that broke while it was down. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Unreachable for this long: first new connections are refused, then they break; open ones break immediately. */
  async down(ms: number): Promise<void> {
    this.#isDown = true;
    this.#server.close();
    this.#server.closeAllConnections();
    await sleep(ms * REFUSED_SHARE);
    if (!(await this.#listen())) throw new Error(`Port ${this.#port} was taken meanwhile.`);
    await sleep(ms * (1 - REFUSED_SHARE));
    this.#isDown = false;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** False if the port is taken. */
  #listen(): Promise<boolean> {
    return new Promise((resolve) => {
      const server = this.#server;
      const fail = (): void => resolve(false);
      server.once("error", fail).listen(this.#port, "127.0.0.1", () => {
        server.off("error", fail);
        resolve(true);
      });
    });
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = incoming;
    const sent: Incoming = { method, path, headers, body: await buffer(incoming) };
    const fault = this.#options.plan?.draw(`${method} ${path}`) ?? null;
    if (fault !== null && isBefore(fault)) {
      this.#options.plan?.fired(fault);
      this.#options.onPassage?.({ ...sent, fault, answer: null });
      return failBefore(fault, outgoing);
    }
    const renamed = { body: this.#renamed(sent.body, "client", "service") };
    const answer = await sendOn(this.#options.upstream, incoming, outgoing, renamed);
    const isStream = answer.headers["content-type"]?.includes("event-stream") ?? false;
    if (isStream && fault === null) {
      this.#options.onPassage?.({ ...sent, fault, answer: null });
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.once("error", () => reset(outgoing));
      return;
    }
    const body = this.#renamed(await buffer(answer), "service", "client");
    const status = answer.statusCode ?? 502;
    const fired = fault !== null && isPossible(fault, isStream, body) ? fault : null;
    if (fired !== null) this.#options.plan?.fired(fired);
    this.#options.onPassage?.({ ...sent, fault: fired, answer: { status, body } });
    const whole = { status, headers: answer.headers, body };
    if (fired === null) send(outgoing, whole);
    else failAfter(fired, outgoing, whole);
  }

  #renamed(body: Buffer, from: "client" | "service", to: "client" | "service"): Buffer {
    const { rename } = this.#options;
    if (rename === undefined || !body.includes(rename[from])) return body;
    return Buffer.from(body.toString("latin1").replaceAll(rename[from], rename[to]), "latin1");
  }
}

interface Whole {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

function isBefore(fault: FaultKind): boolean {
  return STATUS.test(fault) || fault === "reset before the request" || fault.startsWith("hang");
}

/** A response without a body cannot be truncated. */
function isPossible(fault: FaultKind, isStream: boolean, body: Buffer): boolean {
  if (fault === "body cut off") return !isStream && body.length > 1;
  return !fault.startsWith("stream") || isStream;
}

async function failBefore(fault: FaultKind, outgoing: ServerResponse): Promise<void> {
  const status = Number(STATUS.exec(fault)?.[1] ?? 0);
  if (fault === "hang until the client ends it") await once(outgoing, "close");
  if (fault === "hang") await sleep(HANG_MS);
  if (status === 0) return reset(outgoing);
  const isTimed = fault === "429 with Retry-After";
  const text = JSON.stringify({ detail: `a ${status} of the test` });
  outgoing.writeHead(status, {
    "content-type": "application/json",
    "content-length": text.length,
    ...(isTimed && { "retry-after": "1" }),
  });
  outgoing.end(text);
}

function failAfter(fault: FaultKind, outgoing: ServerResponse, whole: Whole): void {
  const { status, headers, body } = whole;
  const half = body.subarray(0, Math.floor(body.length / 2));
  if (fault !== "reset after the request") outgoing.writeHead(status, headers);
  if (fault === "reset after the request") reset(outgoing);
  else if (fault === "stream ended early") outgoing.end(half);
  else outgoing.write(half, () => reset(outgoing));
}

function send(outgoing: ServerResponse, { status, headers, body }: Whole): void {
  const { "transfer-encoding": _, ...rest } = headers;
  outgoing.writeHead(status, { ...rest, "content-length": body.length });
  outgoing.end(body);
}

function reset(outgoing: ServerResponse): void {
  outgoing.socket?.resetAndDestroy();
}

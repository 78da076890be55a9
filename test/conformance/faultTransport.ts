/** How a fault session reaches a Tinker server that injects faults: over connections, or, as here, within the process. */

import type { HttpClient } from "../../src/core/ports.ts";
import { settle } from "../fakes/fakeClock.ts";
import { type FakeAnswer, isJson, jsonBody } from "../fakes/fakeHttp.ts";
import { fakeTinker } from "../fakes/fakeTinker.ts";

/** `truncate` = the true answer, truncated in the middle; `hang` = none. */
export type Fault = FakeAnswer | "reset" | "truncate" | "hang";

/** A request as received. */
export interface Arrival {
  /** Below the API's root. */
  readonly path: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** JSON, or null. */
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly body: Buffer;
}

/** Called for every request; undefined = the true answer. */
export type FaultFor = (arrival: Arrival) => Fault | undefined;

export interface FaultTransport {
  readonly http: HttpClient;
  readonly baseUrl: string;
  readonly arrivals: readonly Arrival[];
  /** Resolves when no request is in progress. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** Real-time request timeouts are `haste` times shorter. */
export type OpenTransport = (faultFor: FaultFor, haste: number) => Promise<FaultTransport>;

/** A broken connection is an answer that never arrives completely, and takes no time. */
export const withinProcess: OpenTransport = async (faultFor) => {
  const arrivals: Arrival[] = [];
  const { http, baseUrl } = fakeTinker((path, request) => {
    const { headers = {}, body = "" } = request;
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const json = isJson(request) ? jsonBody(request) : null;
    const arrival = { path, headers: Object.fromEntries(named), json, body: Buffer.from(body) };
    arrivals.push(arrival);
    const fault = faultFor(arrival);
    return typeof fault === "string" ? "lost" : fault;
  });
  return { http, baseUrl, arrivals, rest: settle, close: async () => undefined };
};

/** Our client with a server that injects faults, and a clock that only moves while no request is in progress. */

import type { SampleRequest, SamplingClient } from "../../../../src/core/tinker/samplingClient.ts";
import { connectTinker, type ServiceClient } from "../../../../src/core/tinker/serviceClient.ts";
import type { TrainingClient } from "../../../../src/core/tinker/trainingClient.ts";
import { FakeClock, settle } from "../../../fakes/fakeClock.ts";
import { type FakeAnswer, isJson, jsonBody } from "../../../fakes/fakeHttp.ts";
import { fakeTinker } from "../../../fakes/fakeTinker.ts";
import { silentLog } from "../../../fakes/silentLog.ts";

/** `lost` = the answer never arrives completely. */
export type Fault = FakeAnswer | "lost";

/** A request as received. */
export interface Arrival {
  /** Below the API's root. */
  readonly path: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** JSON, or null. */
  readonly json: Readonly<Record<string, unknown>> | null;
  readonly body: Buffer;
  /** On the session's clock. */
  readonly atMs: number;
}

/** Called for every request; undefined = the true answer. */
type FaultFor = (arrival: Arrival) => Fault | undefined;

export interface FaultSession {
  readonly clock: FakeClock;
  readonly service: ServiceClient;
  readonly model: TrainingClient;
  readonly sampler: SamplingClient;
  /** The client's warnings about the server. */
  readonly messages: readonly string[];
  /** Starts injecting faults; until then the server answers normally. */
  inject(faultFor: FaultFor): void;
  /** Requests since the last `inject`. */
  arrivals(): readonly Arrival[];
  /** Advances time until the promise is settled. */
  run<Result>(promise: Promise<Result>): Promise<Result>;
  /** Resolves when no request is in progress, without moving the clock. */
  rest(): Promise<void>;
}

export const SAMPLE: SampleRequest = {
  prompt: [1],
  maxTokens: 2,
  temperature: 1,
  topK: -1,
  topP: 1,
};

/** Runs some work in a session with one model and one sampler; `config` has the flags of the server. */
export async function withFaultSession<Result>(
  config: object,
  work: (session: FaultSession) => Promise<Result>,
): Promise<Result> {
  const clock = new FakeClock();
  const messages: string[] = [];
  const arrivals: Arrival[] = [];
  let faultFor: FaultFor = () => undefined;
  let from = 0;
  let tokens = 0;
  const { http, baseUrl } = fakeTinker((path, request) => {
    const { headers = {}, body = "" } = request;
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const arrival = {
      path,
      headers: Object.fromEntries(named),
      json: isJson(request) ? jsonBody(request) : null,
      body: Buffer.from(body),
      atMs: clock.monotonic(),
    };
    arrivals.push(arrival);
    if (path === "client/config") return { json: config };
    if (path === "auth/token") return { json: { jwt: tokenNumber(++tokens) } };
    return faultFor(arrival);
  });
  const service = await connectTinker({
    // As in a run that has trained: its model is awaited, too.
    waitsForBills: "all",
    http,
    clock,
    log: silentLog,
    baseUrl,
    apiKey: "tml-secret",
    random: { uuid: () => crypto.randomUUID(), uniform: () => 0 },
    onMessage: ({ text }) => void messages.push(text),
  });
  const model = await clock.run(service.createTrainingClient({ baseModel: "org/model", rank: 8 }));
  const sampler = await clock.run(model.ephemeralSampler());
  const session: FaultSession = {
    clock,
    service,
    model,
    sampler,
    messages,
    rest: settle,
    inject: (next) => {
      faultFor = next;
      from = arrivals.length;
    },
    arrivals: () => arrivals.slice(from),
    run: (promise) => clock.run(promise),
  };
  try {
    return await work(session);
  } finally {
    service.close();
  }
}

/** A token that outlives every test. */
function tokenNumber(number: number): string {
  return `eyJ.${btoa(JSON.stringify({ exp: Number.MAX_SAFE_INTEGER, number }))}.x`;
}

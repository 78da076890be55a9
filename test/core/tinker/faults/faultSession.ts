/** Our client with a server that injects faults, and a clock that only moves while no request is in progress. */

import type { SampleRequest, SamplingClient } from "../../src/core/tinker/samplingClient.ts";
import { connectTinker, type ServiceClient } from "../../src/core/tinker/serviceClient.ts";
import type { TrainingClient } from "../../src/core/tinker/trainingClient.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { silentLog } from "../fakes/silentLog.ts";
import type { Arrival, FaultFor, OpenTransport } from "./faultTransport.ts";

export interface FaultSession {
  readonly clock: FakeClock;
  readonly service: ServiceClient;
  readonly model: TrainingClient;
  readonly sampler: SamplingClient;
  /** The client's warnings about the server. */
  readonly messages: readonly string[];
  /** Starts injecting faults; until then the server answers normally. */
  inject(faultFor: FaultFor): void;
  /** Requests since the last `inject`, with their arrival times on the clock. */
  arrivals(): readonly (Arrival & { readonly atMs: number })[];
  /** Advances time until the promise is settled. */
  run<Result>(promise: Promise<Result>): Promise<Result>;
  /** Resolves when no request is in progress, without moving the clock. */
  rest(): Promise<void>;
}

interface OpenSession extends FaultSession {
  close(): Promise<void>;
}

export interface FaultSessionOptions {
  readonly open: OpenTransport;
  /** Flags of the server. */
  readonly config?: object;
  /** Request timeouts are real time; they are shortened by this factor. */
  readonly haste?: number;
}

export const SAMPLE: SampleRequest = {
  prompt: [1],
  maxTokens: 2,
  temperature: 1,
  topK: -1,
  topP: 1,
};

/** Runs some work in a session with one model and one sampler. */
export async function withFaultSession<Result>(
  options: FaultSessionOptions,
  work: (session: FaultSession) => Promise<Result>,
): Promise<Result> {
  const session = await openFaultSession(options);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

async function openFaultSession(options: FaultSessionOptions): Promise<OpenSession> {
  const { open, config = {}, haste = 1 } = options;
  const clock = new FakeClock();
  const messages: string[] = [];
  const times: number[] = [];
  let faultFor: FaultFor = () => undefined;
  let from = 0;
  let tokens = 0;
  const { http, baseUrl, arrivals, rest, close } = await open((arrival) => {
    times.push(clock.monotonic());
    if (arrival.path === "client/config") return { json: config };
    if (arrival.path === "auth/token") return { json: { jwt: tokenNumber(++tokens) } };
    return faultFor(arrival);
  }, haste);
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
  const model = await clock.run(
    service.createTrainingClient({ baseModel: "org/model", rank: 8 }),
    rest,
  );
  const sampler = await clock.run(model.ephemeralSampler(), rest);
  return {
    clock,
    service,
    model,
    sampler,
    messages,
    rest,
    inject: (next) => {
      faultFor = next;
      from = arrivals.length;
    },
    arrivals: () =>
      arrivals
        .map((arrival, index) => ({ ...arrival, atMs: times[index] ?? Number.NaN }))
        .slice(from),
    run: (promise) => clock.run(promise, rest),
    close: async () => {
      service.close();
      await close();
    },
  };
}

/** A token that outlives every test. */
function tokenNumber(number: number): string {
  return `eyJ.${btoa(JSON.stringify({ exp: Number.MAX_SAFE_INTEGER, number }))}.x`;
}

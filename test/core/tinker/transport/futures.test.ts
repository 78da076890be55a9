/** Waiting for a result; service faults are in `../faults.test.ts`. */

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { awaitFuture, type FutureOptions } from "../../../../src/core/tinker/transport/futures.ts";
import {
  createTinkerHttp,
  type TinkerHttpOptions,
} from "../../../../src/core/tinker/transport/http.ts";
import { Limiter } from "../../../../src/core/util/limiter.ts";
import type { WithTimerPaused } from "../../../../src/core/util/withTimerPaused.ts";
import { FakeClock } from "../../../fakes/fakeClock.ts";
import { FakeHttp, type FakeReply, jsonBody } from "../../../fakes/fakeHttp.ts";
import { silentLog } from "../../../fakes/silentLog.ts";

const done: FakeReply = { json: { metrics: {} } };

function tinkerAt(services: Pick<TinkerHttpOptions, "http" | "clock" | "billingPauseMs">) {
  return createTinkerHttp({
    ...services,
    random: { uuid: () => "uuid", uniform: () => 0 },
    log: silentLog,
    baseUrl: "http://tinker.test",
    apiKey: "tml-secret",
  });
}

/** Polls with answers in order, repeating the last one. */
function poll(
  answers: readonly FakeReply[],
  overrides: Partial<FutureOptions> = {},
  withTimerPaused?: WithTimerPaused,
) {
  const clock = new FakeClock();
  let next = 0;
  const http = new FakeHttp(() => answers[Math.min(next++, answers.length - 1)] ?? "lost");
  const billingPauseMs = () => 20_000;
  const tinker = tinkerAt({ http, clock, billingPauseMs });
  const states: string[] = [];
  const options: FutureOptions = {
    tinker,
    clock,
    log: silentLog,
    noAnswerLimitMs: 900_000,
    billingPauseMs,
    resultBytes: new Limiter(10_000_000),
    pauses: {
      failed: (reason) => states.push(reason),
      recovered: () => states.push("goes on"),
      givenUp: () => undefined,
    },
    ...overrides,
  };
  const request = {
    requestId: "r1",
    type: "ForwardBackward",
    roundTripMs: 250,
    withTimerPaused,
  } as const;
  const result = clock.run(awaitFuture(options, request));
  return { result, http, clock, states };
}

async function elapsed<Result>(clock: FakeClock, action: () => Promise<Result>) {
  const startedAtMs = clock.monotonic();
  const value = await action();
  return { value, ms: clock.monotonic() - startedAtMs };
}

const tryAgain = { type: "try_again", queue_state: "paused_capacity", queue_state_reason: "busy" };

describe("waiting for a result", () => {
  it("returns a binary result", async () => {
    const bytes = Uint8Array.of(1, 2);
    await expect(poll([{ bytes }]).result).resolves.toEqual({ kind: "proto", bytes });
  });

  it("returns any other JSON object as the result", async () => {
    await expect(poll([done]).result).resolves.toEqual({ kind: "json", value: { metrics: {} } });
  });

  it("sends the server the poll number, the request type, and the duration of the submit", async () => {
    const { result, http } = poll([{ status: 408, json: tryAgain }, done]);
    await result;
    expect(http.requests.map((request) => request.headers)).toMatchObject([
      {
        "X-Tinker-Request-Iteration": "0",
        "X-Tinker-Request-Type": "ForwardBackward",
        "X-Tinker-Create-Promise-Roundtrip-Time": "0.25",
        Accept: "application/x-protobuf, application/json;q=0.5",
      },
      { "X-Tinker-Request-Iteration": "1" },
    ]);
  });

  it.each([
    ["a 408", { status: 408, json: tryAgain }],
    ["a try_again", { json: tryAgain }],
  ])("polls again after %s and reports a pause", async (_name, reply) => {
    const { result, states } = poll([reply, done]);
    await result;
    expect(states).toEqual(["it has no capacity at present: busy", "goes on"]);
  });

  it("uses growing pauses with a server that answers immediately", async () => {
    const { result, clock } = poll([{ json: tryAgain }, { status: 500 }, { json: tryAgain }, done]);
    await result;
    expect(clock.monotonic()).toBe(250 + 500 + 1000);
  });

  it("accepts a large result after its size was announced", async () => {
    const notice = { json: { status: "complete_metadata", response_payload_size: 7_340_032 } };
    const { result, http } = poll([notice, { json: tryAgain }, done]);
    await result;
    expect(http.requests.map((request) => jsonBody(request)["allow_metadata_only"])).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("requests an announced result only when its size fits the budget, and releases the budget afterward", async () => {
    const budget = new Limiter(100);
    const leave = await budget.acquire({ units: 60 });
    const notice = { json: { status: "complete_metadata", response_payload_size: 50 } };
    const { result, http, clock } = poll([notice, done], { resultBytes: budget });
    clock.sleep(5000).then(leave, leave);
    await result;
    expect(http.requests).toHaveLength(2);
    expect(clock.monotonic()).toBe(5000);
    await expect(budget.acquire({ units: 100 })).resolves.toBeTypeOf("function");
  });

  it("uses the paused clock for the polls of a paused operation", async () => {
    const paused: number[] = [];
    const active = { json: { type: "try_again", queue_state: "active" } };
    const { result, clock } = poll([active, { json: tryAgain }, "lost", active, done], {}, (wait) =>
      elapsed(clock, wait).then(({ value, ms }) => {
        paused.push(ms);
        return value;
      }),
    );
    await result;
    expect(paused).toEqual([500, 1000]);
  });

  it("gives up when only errors arrive for too long", async () => {
    const { result, clock } = poll(["lost", { status: 503 }, "lost"], { noAnswerLimitMs: 60_000 });
    await expect(result).rejects.toMatchObject({ code: "tinker-unavailable" });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(60_000);
  });

  it("rejects a 200 that is not a JSON object", async () => {
    const { result } = poll([{ text: "<html>login</html>" }]);
    await expect(result).rejects.toMatchObject({ code: "tinker-protocol" });
  });
});

const EIGHT_HOURS_MS = 8 * 3_600_000;

/** A clock that keeps running while the program is suspended, as on a sleeping computer. */
class RunningOnClock extends FakeClock {
  standstillMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.standstillMs;
  }
}

/** The computer sleeps during the first request, whose connection is then lost; the next `losses` requests find no network yet. */
function setUpSleep(losses: number) {
  const clock = new RunningOnClock();
  const http = new FakeHttp((): FakeReply => {
    clock.standstillMs = EIGHT_HOURS_MS;
    return http.requests.length <= 1 + losses ? "lost" : done;
  });
  const billingPauseMs = () => 0;
  const tinker = tinkerAt({ http, clock, billingPauseMs });
  const options = { tinker, clock, log: silentLog, billingPauseMs };
  return { clock, http, tinker, options };
}

describe("a program that was suspended for hours", () => {
  it("does not count them as silence of the service when it polls a result", async () => {
    const { clock, http, options } = setUpSleep(4);
    const waiting = awaitFuture(
      { ...options, noAnswerLimitMs: 900_000, resultBytes: new Limiter(1_000) },
      { requestId: "r1", type: "ForwardBackward", roundTripMs: 0 },
    );
    expect(await clock.run(waiting)).toEqual({ kind: "json", value: { metrics: {} } });
    expect(http.requests).toHaveLength(6);
  });

  it("still has its full time for retries of a request", async () => {
    const { clock, http, tinker } = setUpSleep(4);
    const request = { method: "POST", path: "optim_step", body: {} } as const;
    await clock.run(tinker.call(request, z.looseObject({})));
    expect(http.requests).toHaveLength(6);
  });
});

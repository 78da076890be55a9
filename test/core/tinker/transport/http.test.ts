/** What every request contains, and how long it is retried; service faults are in `../faults.test.ts`. */

import { describe, expect, it } from "vitest";
import { object, string } from "zod";
import type { HttpRequest } from "../../../../src/core/ports.ts";
import {
  createTinkerHttp,
  type TinkerHttpOptions,
} from "../../../../src/core/tinker/transport/http.ts";
import type { ServerMessage } from "../../../../src/core/tinker/transport/serverMessage.ts";
import { FakeClock } from "../../../fakes/fakeClock.ts";
import { FakeHttp, type FakeReply } from "../../../fakes/fakeHttp.ts";
import { silentLog } from "../../../fakes/silentLog.ts";

const schema = object({ request_id: string() });
const ok: FakeReply = { json: { request_id: "r", extra: 1 } };

type More = Pick<TinkerHttpOptions, "onToken" | "onMessage">;

function server(answers: readonly FakeReply[], more: More = {}) {
  let next = 0;
  return withAnswers(() => answers[Math.min(next++, answers.length - 1)] ?? "lost", more);
}

function withAnswers(answer: (request: HttpRequest) => FakeReply, more: More = {}) {
  const clock = new FakeClock();
  let uuids = 0;
  const http = new FakeHttp(answer);
  const tinker = createTinkerHttp({
    http,
    clock,
    ...more,
    random: { uuid: () => `uuid-${++uuids}`, uniform: () => 0 },
    log: silentLog,
    baseUrl: "https://tinker.test/services/prod/",
    apiKey: "tml-secret",
    billingPauseMs: () => 60_000,
  });
  const call = () =>
    clock.run(tinker.call({ method: "POST", path: "optim_step", body: { a: 1 } }, schema));
  return { http, clock, tinker, call };
}

function jwt(claims: object): string {
  return `eyJ.${btoa(JSON.stringify(claims)).replaceAll("=", "")}.sig`;
}

describe("requests", () => {
  it("keep the base URL's prefix and have a key and an idempotency key", async () => {
    const { http, call } = server([ok]);
    await expect(call()).resolves.toEqual({ request_id: "r" });
    expect(http.requests).toMatchObject([
      {
        url: "https://tinker.test/services/prod/api/v1/optim_step",
        body: '{"a":1}',
        headers: {
          Accept: "application/json",
          "Content-Type": "application/json",
          "X-API-Key": "tml-secret",
          "X-Idempotency-Key": "uuid-1",
        },
      },
    ]);
  });

  it("are retried under the same idempotency key, with growing pauses", async () => {
    const { http, clock, call } = server([{ status: 503 }, "lost", { status: 408 }, ok]);
    await call();
    expect(http.requests.map((request) => request.headers?.["X-Idempotency-Key"])).toEqual(
      Array(4).fill("uuid-1"),
    );
    expect(clock.monotonic()).toBe(500 + 1000 + 2000);
  });

  it("report a lasting outage once, and its end once", async () => {
    const reported: string[] = [];
    const onMessage = ({ level, text }: ServerMessage) => reported.push(`${level}: ${text}`);
    const shortly = server([{ status: 503 }, "lost", { status: 500 }, ok], { onMessage });
    await shortly.call();
    expect(reported).toEqual([]);
    const long = server([...Array<FakeReply>(12).fill({ status: 503 }), ok, ok], { onMessage });
    await long.call();
    await long.call();
    expect(reported).toEqual([
      "warn: It is refusing requests (status 503). They are being retried.",
      "info: It accepts requests again.",
    ]);
  });

  it.each([
    [1, 64_000],
    [5, 120_000],
  ])("have more time the more they send, up to two minutes: %i MiB", async (size, moreMs) => {
    const { http, clock, tinker } = server([ok]);
    const body = new Uint8Array(size * 1024 ** 2);
    await clock.run(tinker.call({ method: "POST", path: "forward_backward", body }, schema));
    expect(http.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000 + moreMs]);
  });

  it("are abandoned after five minutes", async () => {
    const { clock, call } = server(["lost"]);
    await expect(call()).rejects.toMatchObject({ code: "tinker-unavailable" });
    expect(clock.monotonic()).toBeLessThanOrEqual(300_000);
    expect(clock.monotonic()).toBeGreaterThan(280_000);
  });

  it("do not count the wait for an unpaid bill toward those five minutes", async () => {
    const { clock, call } = server([...Array<FakeReply>(12).fill({ status: 402 }), ok]);
    await call();
    expect(clock.monotonic()).toBe(60_000);
  });

  it("do not wait for a bill to be paid when they have their own limit", async () => {
    const { http, tinker } = server([{ status: 402 }, ok]);
    const request = { method: "POST", path: "sessions/S/finish" } as const;
    await expect(tinker.run(request, { budgetMs: 5_000 })).rejects.toMatchObject({
      code: "tinker-billing",
    });
    expect(http.requests).toHaveLength(1);
  });

  it("quote validation messages and never the key", async () => {
    const detail = [{ loc: ["body", "rank"], msg: "must be positive, key tml-secret", type: "x" }];
    const { call } = server([{ status: 422, json: { detail } }]);
    await expect(call()).rejects.toThrow(/body\.rank must be positive, key \*\*\*/);
  });

  it.each([
    ["no JSON", { text: "<html>" }],
    ["JSON of another form", { json: { request_id: 7 } }],
  ])("fail on an answer that is %s", async (_name, reply) => {
    await expect(server([reply]).call()).rejects.toMatchObject({ code: "tinker-protocol" });
  });
});

describe("short-lived tokens", () => {
  const epoch = Date.UTC(2026, 0, 1) / 1000;
  const token = (name: string, lifeS: number) => jwt({ sub: name, exp: epoch + lifeS });

  it("replace the key and are renewed after half their lifetime", async () => {
    const first = token("a", 100);
    const second = token("b", 200);
    const { http, clock, tinker, call } = server([
      { json: { jwt: first } },
      ok,
      { json: { jwt: second } },
      ok,
    ]);
    await tinker.exchangeKey();
    await call();
    await clock.advance(50_000);
    await call();
    expect(http.requests.map((request) => request.headers?.["X-API-Key"])).toEqual([
      "tml-secret",
      first,
      "tml-secret",
      second,
    ]);
  });

  it("are reported, so that they can be redacted everywhere", async () => {
    const reported: string[] = [];
    const first = token("a", 100);
    const { tinker } = server([{ json: { jwt: first } }], {
      onToken: (each) => void reported.push(each),
    });
    await tinker.exchangeKey();
    expect(reported).toEqual([first]);
  });

  it("are renewed in the background while they are valid for long, once a minute at most", async () => {
    const first = token("a", 1000);
    let exchanges = 0;
    const { clock, http, tinker } = withAnswers((request) => {
      if (!request.url.endsWith("auth/token")) return ok;
      return exchanges++ === 0 ? { json: { jwt: first } } : "hang";
    });
    await tinker.exchangeKey();
    await clock.advance(500_000);
    const call = () => tinker.call({ method: "POST", path: "optim_step", body: {} }, schema);
    await call();
    await call();
    expect(exchanges).toBe(2);
    const sent = http.requests.filter((request) => request.url.endsWith("optim_step"));
    expect(sent.map((request) => request.headers?.["X-API-Key"])).toEqual([first, first]);
  });

  it("are not part of the error about an unreadable token", async () => {
    const { tinker } = server([{ json: { jwt: "eyJ.!!secret!!.x" } }]);
    await expect(tinker.exchangeKey()).rejects.toSatisfy(
      (error) => error instanceof Error && !error.message.includes("secret") && !error.cause,
    );
  });
});

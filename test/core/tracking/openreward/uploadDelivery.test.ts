import { describe, expect, it } from "vitest";
import { UploadBackoff } from "../../../../src/core/tracking/openreward/uploadBackoff.ts";
import { UploadClient } from "../../../../src/core/tracking/openreward/uploadClient.ts";
import {
  type Delivered,
  deliverRollout,
} from "../../../../src/core/tracking/openreward/uploadDelivery.ts";
import type { RolloutUpload } from "../../../../src/core/tracking/openreward/uploadEvents.ts";
import { FakeClock } from "../../../fakes/fakeClock.ts";
import { anUpload } from "../../openreward/uploadBuilders.ts";
import { UploadService } from "../../openreward/uploadService.ts";

/** Posts of {@link anUpload}: the start, 100 messages, 100, and 50 with the update. */
const POSTS = 4;

function setUp() {
  const service = new UploadService();
  const clock = new FakeClock();
  const reported: string[] = [];
  const backoff = new UploadBackoff({
    clock,
    random: { uuid: () => "", uniform: () => 0 },
    onOutage: (reason) => reported.push(reason),
    onDenied: (reason) => reported.push(`denied: ${reason}`),
    onRecovered: () => reported.push("recovered"),
  });
  const client = new UploadClient({
    http: service.http,
    clock,
    apiUrl: "https://api.test/prefix/..",
    apiKey: "or_key",
    userAgent: "test",
  });
  const deliver = (
    rollout: RolloutUpload = anUpload(),
    mayHaveArrived = false,
  ): Promise<Delivered> => {
    const options = { mayHaveArrived, signal: new AbortController().signal };
    return clock.run(deliverRollout({ client, backoff }, rollout, options));
  };
  return { service, clock, reported, backoff, client, deliver };
}

function expectOnce({ rollouts }: UploadService): void {
  const [rollout] = [...rollouts.values()];
  expect(rollouts.size).toBe(1);
  expect(rollout?.starts).toHaveLength(1);
  expect(rollout?.messages.map(({ index }) => index)).toEqual(anUpload().messages.map((_, i) => i));
  expect(rollout?.updates).toHaveLength(1);
}

describe("a rollout arrives exactly once and complete", () => {
  const posts = Array.from({ length: POSTS }, (_, index) => index + 1);
  const faults = [
    ["the answer is lost", "lost"],
    ["a gateway answers before the service", "late"],
    ["the connection breaks", "broken"],
    ["there is too much to do", { status: 429, headers: { "retry-after": "3" } }],
    ["the service fails", { status: 503 }],
    ["the request takes too long", { status: 408 }],
    ["a network wants a login", { text: "<html>log in first</html>" }],
    ["a network leads to its login", { status: 302 }],
  ] as const;

  for (const [what, fault] of faults) {
    it.each(posts)(`when ${what} at request %i`, async (post) => {
      const { service, deliver } = setUp();
      service.fault = (count) => (count === post ? fault : null);
      expect(await deliver()).toEqual({ kind: "taken" });
      expectOnce(service);
    });
  }

  it.each(posts)("after an earlier start that was interrupted after request %i", async (post) => {
    const { service, client, backoff, deliver } = setUp();
    const over = new AbortController();
    service.fault = (count) => {
      if (count > post) over.abort(new Error("killed"));
      return count > post ? "broken" : null;
    };
    const options = { mayHaveArrived: false, signal: over.signal };
    const broken = deliverRollout({ client, backoff }, anUpload(), options);
    if (post < POSTS) await expect(broken).rejects.toThrow("killed");
    else await broken;
    service.fault = () => null;
    expect(await deliver(anUpload(), true)).toEqual({ kind: "taken" });
    expectOnce(service);
  });

  it.each([99, 100, 101, 200])(
    "including its update, when the answer to the last of %i messages is lost",
    async (count) => {
      const { service, deliver } = setUp();
      const upload = anUpload({ messages: anUpload().messages.slice(0, count) });
      const last = 1 + Math.ceil(count / 100);
      service.fault = (post) => (post === last ? "lost" : null);
      expect(await deliver(upload)).toEqual({ kind: "taken" });
      const [rollout] = [...service.rollouts.values()];
      expect(rollout?.messages).toHaveLength(count);
      expect(rollout?.updates).toHaveLength(1);
    },
  );

  it("and a proxy's page is not taken for a confirmation", async () => {
    const { service, deliver } = setUp();
    service.fault = (count) => (count === 2 ? "lost" : null);
    service.asked = (count) => (count === 1 ? { text: "<html>log in first</html>" } : null);
    expect(await deliver()).toEqual({ kind: "taken" });
    expectOnce(service);
  });

  it("if the service has forgotten its start", async () => {
    const { service, deliver } = setUp();
    service.fault = (count) => {
      if (count === 2) service.rollouts.clear();
      return null;
    };
    expect(await deliver()).toEqual({ kind: "taken" });
    expectOnce(service);
  });

  it("under the same ids if the service does not report what it has", async () => {
    const { service, deliver } = setUp();
    service.reportsArrived = false;
    service.fault = (count) => (count === 2 ? "lost" : null);
    expect(await deliver()).toEqual({ kind: "taken" });
    const [rollout] = [...service.rollouts.values()];
    expect(new Set(rollout?.messages.map(({ eventId }) => eventId)).size).toBe(250);
    expect(rollout?.starts).toHaveLength(1);
  });
});

describe("the service", () => {
  it("receives the key, and looks up environment and variant ids once", async () => {
    const { service, deliver } = setUp();
    service.catalogue.set("Owner/Game", "id-of-game");
    await deliver(anUpload({ variant: "hard" }));
    await deliver(anUpload({ id: "other", variant: "hard" }));
    expect(service.rollouts.get("other")?.starts[0]).toMatchObject({
      environment_id: "id-of-game",
      variant_id: "id-of-hard",
    });
    const gets = service.http.requests.filter(({ method }) => method === "GET");
    expect(gets.map(({ url }) => new URL(url).pathname)).toEqual([
      "/v1/environments/Owner/Game",
      "/v1/environments/Owner/Game/variants",
    ]);
    for (const { headers } of service.http.requests) {
      expect(headers).toMatchObject({ "x-api-key": "or_key" });
    }
  });

  it("is not queried for local environments, and need not know an environment", async () => {
    const { service, deliver } = setUp();
    await deliver(anUpload({ environment: "local/game" }));
    expect(service.http.requests.every(({ method }) => method === "POST")).toBe(true);
    await deliver(anUpload({ id: "other" }));
    expect(service.rollouts.get("other")?.starts[0]).not.toHaveProperty("environment_id");
  });

  it.each([401, 403, 404])("is queried every ten minutes after status %i", async (status) => {
    const { service, clock, reported, deliver } = setUp();
    const denial = { status, json: { message: "Invalid API key" } };
    service.fault = (count) => (count < 3 ? denial : null);
    expect(await deliver()).toEqual({ kind: "taken" });
    expect(clock.monotonic()).toBe(20 * 60_000);
    expect(reported).toEqual([`denied: status ${status}: Invalid API key`, "recovered"]);
    expectOnce(service);
  });

  it.each([400, 413, 422])("may refuse a rollout with status %i", async (status) => {
    const { service, deliver } = setUp();
    service.fault = () => ({ status, json: { detail: "too odd" } });
    expect(await deliver()).toEqual({ kind: "refused", reason: `status ${status}: too odd` });
  });
});

describe("an outage", () => {
  it("makes uploads wait with increasing delays, as long as the service requests, and is reported once", async () => {
    const { service, clock, reported, deliver } = setUp();
    const times: number[] = [];
    service.fault = (count) => {
      times.push(clock.monotonic());
      if (count > 10) return null;
      return count === 10 ? { status: 429, headers: { "retry-after": "90" } } : { status: 503 };
    };
    await deliver();
    const waits = times.slice(1, 11).map((time, index) => (time - (times[index] ?? 0)) / 1000);
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 32, 60, 60, 90]);
    expect(reported).toEqual(["status 503", "recovered"]);
  });

  it("does not delay the end: the service is checked again immediately", async () => {
    const { clock, backoff } = setUp();
    const signal = new AbortController().signal;
    backoff.denied("x");
    const ready = backoff.ready(signal);
    await clock.advance(1_000);
    expect(backoff.isDenied).toBe(true);
    backoff.retryNow();
    await ready;
    expect([clock.monotonic(), backoff.isDenied]).toEqual([1_000, false]);
  });

  it("counts once for all rollouts in progress", async () => {
    const { clock, backoff } = setUp();
    const failure = { kind: "unavailable", reason: "x", retryAfterMs: null, mayHaveArrived: true };
    for (let i = 0; i < 8; i += 1) backoff.failed({ ...failure, kind: "unavailable" });
    await clock.run(backoff.ready(new AbortController().signal));
    expect(clock.monotonic()).toBe(500);
  });
});

import { describe, expect, it } from "vitest";
import { WandbRequests } from "../../../../../src/core/tracking/wandb/online/requests.ts";
import { FakeClock } from "../../../../fakes/fakeClock.ts";
import { FakeHttp, type FakeReply } from "../../../../fakes/fakeHttp.ts";

const KEY = "secret-".padEnd(47, "k");

function requestsTo(replies: readonly FakeReply[], baseUrl = "https://wandb.test/prefix") {
  const clock = new FakeClock();
  const sentAtMs: number[] = [];
  let next = 0;
  const http = new FakeHttp(() => {
    sentAtMs.push(clock.monotonic());
    const reply = replies[Math.min(next, replies.length - 1)] ?? {};
    next += 1;
    return reply;
  });
  const troubles: string[] = [];
  const never = new AbortController().signal;
  const requests = new WandbRequests({
    http,
    clock,
    baseUrl,
    apiKey: KEY,
    userAgent: "test",
    signal: never,
    retryNow: never,
    random: { uuid: () => "", uniform: () => 0 },
    onOutage: (reason) => troubles.push(reason),
    onAnswer: () => undefined,
  });
  const post = () => clock.run(requests.post({ path: "/x", body: "{}", timeoutMs: 1_000 }));
  return { clock, http, requests, post, sentAtMs, troubles };
}

describe("a request to W&B", () => {
  it("has the key and is relative to the base address", async () => {
    const { http, post } = requestsTo([{ json: { stopped: true } }]);
    expect(await post()).toEqual({ stopped: true });
    expect(http.requests[0]).toMatchObject({
      url: "https://wandb.test/prefix/x",
      headers: { authorization: `Basic ${btoa(`api:${KEY}`)}` },
    });
  });

  it.each<[string, FakeReply]>([
    ["no answer", "lost"],
    ["status 500", { status: 500 }],
    ["status 429", { status: 429 }],
    ["status 307", { status: 307, headers: { location: "https://elsewhere.test" } }],
    ["something other than W&B answered", { text: "<html>log in</html>" }],
    ["something other than W&B answered", { text: "[1]" }],
  ])("is retried after %s", async (reason, reply) => {
    const { post, troubles, sentAtMs, http } = requestsTo([reply, reply, { text: "" }]);
    expect(await post()).toBeNull();
    expect(troubles.every((trouble) => trouble.startsWith(reason))).toBe(true);
    expect(sentAtMs).toEqual([0, 2_500, 7_500]);
    expect(new Set(http.requests.map(({ url }) => url)).size).toBe(1);
  });

  it("logs retries in the server's words, without the key", async () => {
    const { post, troubles } = requestsTo([
      { status: 503, json: { error: `no room for ${KEY}` } },
      { json: {} },
    ]);
    await post();
    expect(troubles).toEqual(["status 503: no room for ***"]);
  });

  it("is delayed as long as the server requests", async () => {
    const date = new Date(Date.UTC(2026, 0, 1) + 9_000).toUTCString();
    const waits = [{ "retry-after": "0.5" }, { "retry-after": date }];
    const { post, sentAtMs } = requestsTo([
      ...waits.map((headers) => ({ status: 429, headers })),
      { json: {} },
    ]);
    await post();
    expect(sentAtMs).toEqual([0, 500, 9_000]);
  });

  it("waits while the server is at capacity", async () => {
    const headers = { "ratelimit-remaining": "0", "ratelimit-reset": "7" };
    const { post, sentAtMs } = requestsTo([{ json: {}, headers }, { json: {} }]);
    await post();
    await post();
    expect(sentAtMs).toEqual([0, 7_000]);
  });

  it.each([400, 401, 403, 404, 409, 410, 413, 422, 501])(
    "is abandoned after %i, without the key in the message",
    async (status) => {
      const json = { errors: [{ message: `no access with ${KEY}` }] };
      const { post, sentAtMs } = requestsTo([{ status, json }]);
      await expect(post()).rejects.toMatchObject({
        code: "wandb-refused",
        message: `status ${status}: no access with ***`,
      });
      expect(sentAtMs).toHaveLength(1);
    },
  );
});

describe("an upload", () => {
  const upload = (url: string, reply: FakeReply, baseUrl?: string) => {
    const to = requestsTo([reply], baseUrl);
    const put = to.requests.put({ url, headers: { "x-goog": "1" }, body: "text", tries: 6 });
    return { ...to, taken: to.clock.run(put) };
  };

  it("goes to the address that the server gives, without the key", async () => {
    const { taken, http } = upload("https://storage.test/a?sig=1", {});
    expect(await taken).toBe("taken");
    expect(http.requests[0]?.headers).toEqual({ "x-goog": "1" });
  });

  it("may go to the server's root", async () => {
    const { taken, http } = upload("/storage/a", {});
    expect(await taken).toBe("taken");
    expect(http.requests[0]?.url).toBe("https://wandb.test/storage/a");
  });

  it("is never unencrypted if the server connection is encrypted", async () => {
    const { taken, http } = upload("http://storage.test/a", {});
    expect(await taken).toBe("refused");
    expect(http.requests).toEqual([]);
    expect(await upload("http://storage.test/a", {}, "http://localhost:1").taken).toBe("taken");
  });

  it("is retried a few times if that may help, and otherwise sent once", async () => {
    const passing = upload("https://storage.test/a", { status: 503 });
    expect(await passing.taken).toBe("unreachable");
    expect(passing.http.requests).toHaveLength(6);
    const refused = upload("https://storage.test/a", { status: 403 });
    expect(await refused.taken).toBe("refused");
    expect(refused.http.requests).toHaveLength(1);
  });

  it("is not confirmed by a proxy's page, but by any other answer", async () => {
    const page = upload("https://storage.test/a", { text: "<!DOCTYPE html><p>log in first</p>" });
    expect(await page.taken).toBe("unreachable");
    expect(page.troubles[0]).toContain("something other than W&B answered");
    const line = upload("https://storage.test/a", { text: '<?xml version="1.0"?><Result/>' });
    expect(await line.taken).toBe("taken");
  });
});

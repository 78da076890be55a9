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
  it("carries the key and goes below the base address", async () => {
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
  ])("is sent again after %s", async (reason, reply) => {
    const { post, troubles, sentAtMs, http } = requestsTo([reply, reply, { text: "" }]);
    expect(await post()).toBeNull();
    expect(troubles.every((trouble) => trouble.startsWith(reason))).toBe(true);
    expect(sentAtMs).toEqual([0, 2_500, 7_500]);
    expect(new Set(http.requests.map(({ url }) => url)).size).toBe(1);
  });

  it("says in the server's words, without the key, why it is sent again", async () => {
    const { post, troubles } = requestsTo([
      { status: 503, json: { error: `no room for ${KEY}` } },
      { json: {} },
    ]);
    await post();
    expect(troubles).toEqual(["status 503: no room for ***"]);
  });

  it("waits as long as the server says", async () => {
    const date = new Date(Date.UTC(2026, 0, 1) + 9_000).toUTCString();
    const waits = [{ "retry-after": "0.5" }, { "retry-after": date }];
    const { post, sentAtMs } = requestsTo([
      ...waits.map((headers) => ({ status: 429, headers })),
      { json: {} },
    ]);
    await post();
    expect(sentAtMs).toEqual([0, 500, 9_000]);
  });

  it("waits while the server has no room for more", async () => {
    const headers = { "ratelimit-remaining": "0", "ratelimit-reset": "7" };
    const { post, sentAtMs } = requestsTo([{ json: {}, headers }, { json: {} }]);
    await post();
    await post();
    expect(sentAtMs).toEqual([0, 7_000]);
  });

  it.each([400, 401, 403, 404, 409, 410, 413, 422, 501])(
    "is given up after %i, without the key in what is said",
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

  it("goes where the server says, without the key", async () => {
    const { taken, http } = upload("https://storage.test/a?sig=1", {});
    expect(await taken).toBe("taken");
    expect(http.requests[0]?.headers).toEqual({ "x-goog": "1" });
  });

  it("may be sent to the root of the server", async () => {
    const { taken, http } = upload("/storage/a", {});
    expect(await taken).toBe("taken");
    expect(http.requests[0]?.url).toBe("https://wandb.test/storage/a");
  });

  it("never goes in the clear when the server is reached encrypted", async () => {
    const { taken, http } = upload("http://storage.test/a", {});
    expect(await taken).toBe("refused");
    expect(http.requests).toEqual([]);
    expect(await upload("http://storage.test/a", {}, "http://localhost:1").taken).toBe("taken");
  });

  it("is tried a few times where that may help, else once", async () => {
    const passing = upload("https://storage.test/a", { status: 503 });
    expect(await passing.taken).toBe("unreachable");
    expect(passing.http.requests).toHaveLength(6);
    const refused = upload("https://storage.test/a", { status: 403 });
    expect(await refused.taken).toBe("refused");
    expect(refused.http.requests).toHaveLength(1);
  });

  it("is not taken by a page of something in between, but by any other answer", async () => {
    const page = upload("https://storage.test/a", { text: "<!DOCTYPE html><p>log in first</p>" });
    expect(await page.taken).toBe("unreachable");
    expect(page.troubles[0]).toContain("something other than W&B answered");
    const line = upload("https://storage.test/a", { text: '<?xml version="1.0"?><Result/>' });
    expect(await line.taken).toBe("taken");
  });
});

import { describe, expect, it } from "vitest";
import type { HttpRequest } from "../../../src/core/ports.ts";
import type { ServiceId } from "../../../src/core/services.ts";
import { testKey } from "../../../src/trainer/services/testKey.ts";
import { FakeHttp, type FakeReply } from "../../fakes/fakeHttp.ts";

const VALUE = "tml-secret-value-1";

function setUp(answer: (request: HttpRequest) => FakeReply, address = "") {
  const http = new FakeHttp(answer);
  let closed = 0;
  const client = Object.assign(http, {
    close: async () => {
      closed += 1;
    },
  });
  const variables: Readonly<Record<string, string>> = { TINKER_BASE_URL: address };
  return { http, variables, openHttp: () => client, closed: () => closed };
}

const run = (
  service: ServiceId,
  { variables, openHttp }: ReturnType<typeof setUp>,
  host: string | null = null,
) => testKey({ service, value: VALUE, host, variables }, { openHttp });

const hostsOf = ({ http }: ReturnType<typeof setUp>): readonly string[] =>
  http.requests.map(({ url }) => new URL(url).host);

describe("every service", () => {
  it.each([
    ["tinker", "tinker.thinkingmachines.dev"],
    ["openreward", "api.openreward.ai"],
    ["wandb", "api.forge.coreweave.com"],
    ["openai", "api.openai.com"],
    ["anthropic", "api.anthropic.com"],
  ] as const)("%s: the key goes to %s only, in a header, within 10 seconds", async (id, host) => {
    const set = setUp(() => ({ json: { data: { viewer: { id: "1" } } } }));
    expect(await run(id, set)).toMatchObject({ kind: "works" });
    expect(hostsOf(set)).toEqual([host]);
    const [request] = set.http.requests;
    expect(request?.timeoutMs).toBeLessThanOrEqual(10_000);
    expect(`${request?.url} ${request?.body ?? ""}`).not.toContain(VALUE);
    expect(JSON.stringify(request?.headers)).toMatch(
      new RegExp(`${VALUE}|${Buffer.from(`api:${VALUE}`).toString("base64")}`),
    );
    expect(set.closed()).toBe(1);
  });

  it.each(["tinker", "openreward", "wandb", "openai", "anthropic"] as const)(
    "%s: 401 counts as refused, and no result quotes the key",
    async (id) => {
      const set = setUp(() => ({ status: 401, text: `wrong key ${VALUE}` }));
      const result = await run(id, set);
      expect(result).toMatchObject({ kind: "refused", status: 401 });
      expect(JSON.stringify(result)).not.toContain(VALUE);
      expect(set.closed()).toBe(1);
    },
  );

  it("no answer is not a verdict", async () => {
    const set = setUp(() => "lost");
    expect(await run("tinker", set)).toMatchObject({ kind: "unreachable", reason: null });
    expect(set.closed()).toBe(1);
  });

  it("an unrelated answer is not a verdict", async () => {
    for (const status of [302, 404, 500]) {
      expect(
        await run(
          "anthropic",
          setUp(() => ({ status })),
        ),
      ).toMatchObject({
        kind: "unclear",
        status,
      });
    }
  });
});

it("Weights & Biases answers 200 without a user for a wrong key", async () => {
  const set = setUp(() => ({ json: { data: { viewer: null } } }));
  expect(await run("wandb", set)).toMatchObject({ kind: "refused", status: null });
});

it("a Tinker server without the key endpoint is asked for its models", async () => {
  const set = setUp(({ url }) => ({ status: url.endsWith("apikey/me") ? 404 : 200 }));
  expect(await run("tinker", set)).toMatchObject({ kind: "works" });
  expect(set.http.requests.at(-1)?.url).toMatch(/api\/v1\/get_server_capabilities$/);
});

it("a rejected Tinker key is not tried on a call that may need none", async () => {
  const set = setUp(({ url }) => ({ status: url.endsWith("apikey/me") ? 401 : 200 }));
  expect(await run("tinker", set)).toMatchObject({ kind: "refused", status: 401 });
});

it("an OpenReward key whose account has no credit does not count as refused", async () => {
  const set = setUp(({ url }) => ({ status: url.endsWith("type=org") ? 402 : 403 }));
  expect(await run("openreward", set)).toEqual({
    kind: "no-credit",
    host: "sessions.openreward.ai",
  });
});

it("a personal OpenReward key is recognized", async () => {
  const set = setUp(({ url }) => ({ status: url.endsWith("type=user") ? 200 : 403 }));
  expect(await run("openreward", set)).toMatchObject({ kind: "works" });
});

describe("a key that is bound to a host", () => {
  const host = "models.example.org";

  it("is tested there when a setting leads there", async () => {
    const set = setUp(() => ({}), "https://models.example.org/tinker/");
    expect(await run("tinker", set, host)).toEqual({ kind: "works", host });
    expect(set.http.requests.map(({ url }) => url)).toEqual([
      "https://models.example.org/tinker/api/v1/get_server_capabilities",
    ]);
  });

  it.each(["", "https://other.example.org", "https://models.example.org.evil", "nonsense"])(
    "is sent nowhere when the setting is %j",
    async (address) => {
      const set = setUp(() => ({}), address);
      expect(await run("tinker", set, host)).toEqual({ kind: "no-address", host });
      expect(set.http.requests).toEqual([]);
    },
  );

  it("is not sent unencrypted, except to this computer", async () => {
    const far = setUp(() => ({}), "http://models.example.org");
    expect(await run("tinker", far, host)).toEqual({ kind: "not-encrypted", host });
    expect(far.http.requests).toEqual([]);
    const near = setUp(() => ({}), "http://127.0.0.1:8000");
    expect(await run("tinker", near, "127.0.0.1:8000")).toMatchObject({ kind: "works" });
  });
});

it("is tested at the API of another OpenReward server by its web address", async () => {
  const set = setUp(() => ({}));
  const host = "sessions.own.example:9000";
  const variables = { OPENREWARD_URL: "https://own.example:9000" };
  const result = await run("openreward", { ...set, variables }, host);
  expect(result).toEqual({ kind: "works", host });
  expect(hostsOf(set)).toEqual([host]);
});

it("for the official service stays there whatever the settings say", async () => {
  const set = setUp(() => ({}), "https://stranger.example");
  await run("tinker", set, null);
  expect(hostsOf(set)).toEqual(["tinker.thinkingmachines.dev"]);
});

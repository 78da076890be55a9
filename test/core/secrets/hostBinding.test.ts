import { describe, expect, it } from "vitest";
import {
  type KeyRoute,
  type NamedValue,
  originOf,
  requireAllowedRoute,
} from "../../../src/core/secrets/hostBinding.ts";

const STRANGER = "https://stranger.example:8443";
const key: NamedValue = { name: "TINKER_API_KEY", value: "tml-1", origin: "process" };
const officialUrl = "https://service.example/api";

/** Sends keys to an address from a variable in `.env`. */
function checkRoute(changes: Partial<KeyRoute> = {}, value = "https://Stranger.example:8443/api") {
  const address: NamedValue = { name: "TINKER_BASE_URL", value, origin: "dotenv" };
  const url = changes.address?.value ?? value;
  const route = { address, url, keys: [key], officialUrl, allowedOrigins: [], ...changes };
  return () => requireAllowedRoute(route);
}

const allowing = (origin: string, name: string | null = null) => ({
  allowedOrigins: [{ origin, key: name }],
});

describe("an address from .env", () => {
  it("gets no key from another source", () => {
    expect(checkRoute()).toThrow(
      /^TINKER_BASE_URL in \.env points to https:\/\/stranger\.example:8443, but TINKER_API_KEY comes from elsewhere.*--allow-host https:\/\/stranger\.example:8443 in a terminal/,
    );
    expect(checkRoute()).toThrow(
      expect.objectContaining({
        code: "key-host-not-allowed",
        data: { variable: "TINKER_BASE_URL", host: STRANGER, key: "TINKER_API_KEY" },
      }),
    );
  });

  const fromProcess: NamedValue = { name: "TINKER_BASE_URL", value: STRANGER, origin: "process" };
  it.each<[string, Partial<KeyRoute>]>([
    ["the origin is allowed", allowing(STRANGER)],
    ["the origin is allowed for this key", allowing(STRANGER, "TINKER_API_KEY")],
    ["the address is set in the process", { address: fromProcess }],
    ["the key stands in the same file", { keys: [{ ...key, origin: "dotenv" }] }],
    ["there is no key to send", { keys: [] }],
  ])("gets it when %s", (_why, change) => {
    expect(checkRoute(change)).not.toThrow();
  });

  it("gets it when it is the service itself", () => {
    expect(checkRoute({}, "https://service.example/v2")).not.toThrow();
  });

  it.each([
    ["https://stranger.example", "https://stranger.example.evil"],
    ["https://stranger.example", "https://example"],
    ["https://stranger.example", "https://stranger.example:8443"],
    ["http://127.0.0.1:8000", "http://127.0.0.1:9000"],
  ])("allowing %s does not cover %s", (allowed, url) => {
    expect(checkRoute(allowing(allowed), url)).toThrow(/points to/);
  });

  it("is refused under its variable's name if it is not a valid address", () => {
    expect(checkRoute({}, "stranger.example")).toThrow(/^TINKER_BASE_URL is not an address/);
    expect(checkRoute({}, `${STRANGER}/?team=rl`)).toThrow(/^TINKER_BASE_URL contains a query/);
  });

  it.each(["https://stranger.example@evil.example", "https://ada:s3cret@stranger.example"])(
    "with a user name or a password is refused without being shown: %s",
    (value) => {
      expect(checkRoute(allowing("https://stranger.example"), value)).toThrow(
        "TINKER_BASE_URL contains a user name or a password, which is not supported. Correct it where it is set.",
      );
    },
  );
});

it("an address that is the key itself, such as a webhook's, may have a query", () => {
  const value = "https://chat.example/v1/spaces/AAA/messages?key=k-1&token=t-1";
  const address: NamedValue = { name: "TEAM_HOOK", value, origin: "dotenv" };
  expect(checkRoute({ address, keys: [address], officialUrl: value })).not.toThrow();
  const named: NamedValue = { ...address, value: "https://ada:s3cret@chat.example/?key=k-1" };
  expect(checkRoute({ address: named, keys: [named] })).toThrow(
    /contains a user name or a password/,
  );
});

it("an origin that is allowed for one key gets no other", () => {
  const other: NamedValue = { name: "OTHER_KEY", value: "x-1", origin: "store", host: null };
  const both = { keys: [key, other], ...allowing(STRANGER, "TINKER_API_KEY") };
  expect(checkRoute(both)).toThrow(
    expect.objectContaining({ data: expect.objectContaining({ key: "OTHER_KEY" }) }),
  );
});

describe.each(["store", "process", "dotenv"] as const)("a bound key from the %s", (origin) => {
  const bound: NamedValue = { ...key, origin, host: null };
  const to = (url: string, changes: Partial<KeyRoute> = {}) => {
    const route = { keys: [bound], url, officialUrl, address: null, allowedOrigins: [] };
    return () => requireAllowedRoute({ ...route, ...changes });
  };

  it("is sent to its service, and to no other host", () => {
    expect(to("https://service.example/other")).not.toThrow();
    expect(to("https://stranger.example")).toThrow(
      expect.objectContaining({
        code: "key-host-not-allowed",
        message: expect.stringMatching(
          /is for service\.example.*send it to https:\/\/stranger\.example/,
        ),
        data: { key: "TINKER_API_KEY", host: "https://stranger.example" },
      }),
    );
  });

  it.each([
    "https://service.example.evil",
    "https://service.example:8443",
    "https://service.example@evil.example",
    "https://evil.example/service.example",
    "http://127.0.0.1:8000",
  ])("is not sent to %s", (url) => {
    expect(to(url)).toThrow(/TINKER_API_KEY \(.*\) is for service\.example/);
  });

  it("bound to a host is sent only there, whatever the case of its name", () => {
    const keys = [{ ...bound, host: "Own.example:8443" }];
    expect(to("https://OWN.example:8443/x", { keys })).not.toThrow();
    expect(to("https://service.example", { keys })).toThrow(/is for Own\.example:8443/);
  });

  it("is sent where the user has allowed it", () => {
    const allowed = allowing("https://stranger.example");
    expect(to("https://stranger.example", allowed)).not.toThrow();
    expect(to("https://other.example", allowed)).toThrow(/other\.example/);
  });
});

it.each(["process", "dotenv"] as const)(
  "from the %s without a binding follows the address",
  (origin) => {
    const route = { url: STRANGER, officialUrl, address: null, allowedOrigins: [] };
    expect(() => requireAllowedRoute({ ...route, keys: [{ ...key, origin }] })).not.toThrow();
  },
);

it.each([
  ["one.example", "https://one.example"],
  ["one.example:8443", "https://one.example:8443"],
  ["HTTPS://One.example:443/", "https://one.example"],
  ["http://one.example:80", "http://one.example"],
  ["http://[::1]:8000", "http://[::1]:8000"],
  ["", null],
  ["one.example/path", null],
  ["https://ada@one.example", null],
  ["ftp://one.example", null],
  ["KEY@one.example", null],
])("%j names the origin %j", (text, origin) => {
  expect(originOf(text)).toBe(origin);
});

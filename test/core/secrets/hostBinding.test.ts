import { describe, expect, it } from "vitest";
import {
  type BoundRoute,
  type NamedValue,
  requireAllowedHost,
  requireBoundHost,
} from "../../../src/core/secrets/hostBinding.ts";

const address: NamedValue = {
  name: "TINKER_BASE_URL",
  value: "https://Stranger.example:8443/api",
  origin: "dotenv",
};
const key: NamedValue = { name: "TINKER_API_KEY", value: "tml-1", origin: "process" };
const route = {
  address,
  keys: [key],
  officialUrl: "https://service.example/api",
  allowedHosts: [],
};

it("a key from elsewhere does not go to an address from .env", () => {
  expect(() => requireAllowedHost(route)).toThrow(
    /^TINKER_BASE_URL in \.env leads to stranger\.example:8443, but TINKER_API_KEY comes from elsewhere.*--allow-host stranger\.example:8443 in a terminal/,
  );
  expect(() => requireAllowedHost(route)).toThrow(
    expect.objectContaining({ code: "key-host-not-allowed" }),
  );
});

it.each([
  ["the host is allowed", { allowedHosts: ["STRANGER.example"] }],
  ["the host is allowed with its port", { allowedHosts: ["stranger.example:8443"] }],
  ["the host is allowed for this key", { allowedHosts: ["TINKER_API_KEY@stranger.example:8443"] }],
  ["the address is set in the process", { address: { ...address, origin: "process" as const } }],
  ["the key stands in the same file", { keys: [{ ...key, origin: "dotenv" as const }] }],
  ["there is no key to send", { keys: [] }],
  ["it is the service itself", { address: { ...address, value: "https://service.example/v2" } }],
])("it does when %s", (_why, change) => {
  expect(() => requireAllowedHost({ ...route, ...change })).not.toThrow();
});

it.each(["https://stranger.example.evil", "https://example"])(
  "an allowed host does not cover %s",
  (value) => {
    const wrong = { ...route, address: { ...address, value }, allowedHosts: ["stranger.example"] };
    expect(() => requireAllowedHost(wrong)).toThrow(/leads to/);
  },
);

it("what is no address is refused under the name of its variable", () => {
  const broken = { ...route, address: { ...address, value: "stranger.example" } };
  expect(() => requireAllowedHost(broken)).toThrow(/^TINKER_BASE_URL is not an address/);
});

it.each(["https://stranger.example@evil.example", "https://ada:s3cret@stranger.example"])(
  "an address with a user name or a password is refused without being shown: %s",
  (value) => {
    const wrong = { ...route, address: { ...address, value }, allowedHosts: ["stranger.example"] };
    expect(() => requireAllowedHost(wrong)).toThrow(
      "TINKER_BASE_URL holds a user name or a password, which is sent nowhere. Correct it where it is set.",
    );
  },
);

it("a host that is allowed for one key gets no other", () => {
  const other: NamedValue = { name: "OTHER_KEY", value: "x-1", origin: "store", host: null };
  const allowedHosts = ["TINKER_API_KEY@stranger.example:8443"];
  const both = { ...route, keys: [key, other], allowedHosts };
  expect(() => requireAllowedHost(both)).toThrow(
    expect.objectContaining({ data: expect.objectContaining({ key: "OTHER_KEY" }) }),
  );
  expect(() => requireBoundHost({ ...both, url: address.value })).toThrow(
    expect.objectContaining({ data: { key: "OTHER_KEY", host: "stranger.example:8443" } }),
  );
});

describe("a key from the store", () => {
  const stored: NamedValue = { ...key, origin: "store", host: null };
  const { officialUrl } = route;
  const bound = { keys: [stored], officialUrl, allowedHosts: [] };
  const to = (url: string, changes: Partial<BoundRoute> = {}) => {
    return () => requireBoundHost({ ...bound, url, ...changes });
  };

  it("goes to the service it is for, and to no other host", () => {
    expect(to("https://service.example/other")).not.toThrow();
    expect(to("https://stranger.example")).toThrow(
      expect.objectContaining({
        code: "key-host-not-allowed",
        message: expect.stringMatching(
          /kept for service\.example.*send it to https:\/\/stranger\.example/,
        ),
        data: { key: "TINKER_API_KEY", host: "stranger.example" },
      }),
    );
  });

  it.each([
    "https://service.example.evil",
    "https://service.example:8443",
    "https://service.example@evil.example",
    "http://service.example",
    "https://evil.example/service.example",
  ])("does not go to %s", (url) => {
    expect(to(url)).toThrow(/TINKER_API_KEY is kept for service\.example/);
  });

  it("that was kept for a host goes there alone, in whatever letters it was written", () => {
    const keys = [{ ...stored, host: "Own.example:8443" }];
    expect(to("https://OWN.example:8443/x", { keys })).not.toThrow();
    expect(to("https://service.example", { keys })).toThrow(/kept for Own\.example:8443/);
  });

  it("goes where the user has allowed it", () => {
    const allowed = { allowedHosts: ["stranger.example"] };
    expect(to("https://stranger.example", allowed)).not.toThrow();
    expect(to("https://other.example", allowed)).toThrow(/other\.example/);
  });

  it.each(["process", "dotenv"] as const)(
    "is unlike one from the %s, which follows the address",
    (origin) => {
      expect(to("https://stranger.example", { keys: [{ ...key, origin }] })).not.toThrow();
    },
  );
});

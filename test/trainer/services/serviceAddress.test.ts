import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/core/config/fields/schema.ts";
import type { AllowedOrigin } from "../../../src/core/secrets/hostBinding.ts";
import {
  environmentAddress,
  ownAddress,
  tinkerAddress,
} from "../../../src/trainer/services/serviceAddress.ts";
import { aConfig, anEnvironment, ENVIRONMENT } from "../../core/training/builders.ts";
import { type FoundIn, variablesOf } from "./variablesOf.ts";

const ONE = [{ origin: "https://one.example", key: null }];

interface Setting extends FoundIn {
  readonly config?: Partial<Config>;
  readonly allowedOrigins?: readonly AllowedOrigin[];
}

function parts({ config = {}, allowedOrigins = [], ...found }: Setting) {
  return { config: aConfig(config), allowedOrigins, variables: variablesOf(found) };
}

describe("a key that is invalid in a header", () => {
  const bad = "key-1\r";
  const refusal = /has spaces or line ends around it/;

  it("is reported by its variable before anything is sent", () => {
    const at = (process: Readonly<Record<string, string>>) => parts({ process });
    expect(() => tinkerAddress(at({ TINKER_API_KEY: bad }))).toThrow(refusal);
    expect(() => environmentAddress(at({ OPENREWARD_API_KEY: bad }))).toThrow(refusal);
    const own = { ORS_API_KEY: bad, OPENREWARD_URL: "https://one.example" };
    expect(() => environmentAddress(at(own))).toThrow(/^ORS_API_KEY \(from the process/);
    const hosted = { url: "https://sessions.openreward.ai", headers: null };
    expect(() => ownAddress(at({ OPENREWARD_API_KEY: bad }), "Owner/Maze", hosted)).toThrow(
      refusal,
    );
    const headers = { "X-Proxy-Key": null };
    const server = { url: "https://maze.example", headers };
    expect(() => ownAddress(at({ X_PROXY_KEY: bad }), "maze", server)).toThrow(/^X_PROXY_KEY/);
  });
});

describe("an environment's own server", () => {
  const url = "https://maze.example";
  const headers = { "X-Proxy-Key": null, "X-Level": "3" };
  const process = { X_PROXY_KEY: "proxy-1", ORS_API_KEY: "ors-1", OPENREWARD_API_KEY: "or-1" };
  const environments = { maze: anEnvironment({ secrets: { token: null } }) };

  it("gets its headers, and no key of another service", () => {
    expect(ownAddress(parts({ process }), "maze", { url, headers })).toEqual({
      url,
      headers: { "x-proxy-key": "proxy-1", "x-level": "3" },
      key: null,
    });
  });

  it("gets a header with quotes, tabs, accents or surrounding spaces unchanged", () => {
    const value = '"a\tb ä" ';
    const found = ownAddress(parts({ process: { ...process, X_PROXY_KEY: value } }), "maze", {
      url,
      headers,
    });
    expect(found.headers["x-proxy-key"]).toBe(value);
  });

  it("gets OpenReward's key only at OpenReward's address", () => {
    const hosted = { url: "https://sessions.openreward.ai", headers: null };
    expect(ownAddress(parts({ process }), "Owner/Maze", hosted).key).toBe("or-1");
    const near = { url: "https://sessions.openreward.ai.example", headers: null };
    expect(ownAddress(parts({ process }), "Owner/Maze", near).key).toBeNull();
  });

  it("is rejected if a header that is looked up is missing, by its key", () => {
    expect(() => ownAddress(parts({}), "maze", { url, headers })).toThrow(
      "environments.maze.server.headers.X-Proxy-Key is looked up as X_PROXY_KEY, which is not set",
    );
  });

  it("gets no header and no secret unencrypted, and none bound to another host", () => {
    const open = { url: "http://maze.example", headers };
    expect(() => ownAddress(parts({ process }), "maze", open)).toThrow("unencrypted");
    const config = { environments };
    const store = { TOKEN: { value: "t-1", host: "other.example" } };
    expect(() => ownAddress(parts({ store, config }), "maze", { url, headers: null })).toThrow(
      "TOKEN",
    );
  });
});

describe("Tinker", () => {
  const keys = { TINKER_API_KEY: "tml-1" };

  it("gets the headers of tinker_headers, looked up or literal", () => {
    const config = { tinker_headers: { "X-Proxy-Key": null, "X-Team": "rl" } };
    const process = { ...keys, X_PROXY_KEY: "proxy-1" };
    expect(tinkerAddress(parts({ process, config })).headers).toEqual({
      "x-proxy-key": "proxy-1",
      "x-team": "rl",
    });
  });

  it("is the hosted service unless the configuration or a variable says otherwise", () => {
    expect(tinkerAddress(parts({ process: keys }))).toMatchObject({
      url: expect.stringContaining("thinkingmachines"),
      key: "tml-1",
    });
    const process = { ...keys, TINKER_BASE_URL: "https://one.example" };
    expect(tinkerAddress(parts({ process })).url).toBe("https://one.example");
    const config = { tinker_base_url: "https://two.example" };
    expect(tinkerAddress(parts({ process, config })).url).toBe("https://two.example");
  });

  it("reports where its key was found, without the key", () => {
    const sourceOf = (setting: Setting) => tinkerAddress(parts(setting)).keySource;
    const name = "TINKER_API_KEY";
    expect(sourceOf({ dotenv: keys })).toEqual({ name, origin: "dotenv" });
    expect(sourceOf({ dotenv: keys, process: keys })).toEqual({ name, origin: "process" });
    expect(sourceOf({})).toEqual({ name, origin: null });
  });

  it("gets no key at an address from .env, unless its host is allowed", () => {
    const setting = { process: keys, dotenv: { TINKER_BASE_URL: "https://one.example" } };
    expect(() => tinkerAddress(parts(setting))).toThrow(/--allow-host https:\/\/one\.example/);
    const allowed = tinkerAddress(parts({ ...setting, allowedOrigins: ONE }));
    expect(allowed).toMatchObject({ url: "https://one.example", key: "tml-1" });
  });

  it.each<[string, Setting]>([
    ["the configuration", { config: { tinker_base_url: "https://one.example" } }],
    ["the process", { process: { TINKER_BASE_URL: "https://one.example" } }],
    [".env", { dotenv: { TINKER_BASE_URL: "https://one.example" } }],
  ])("gets a stored key at an address from %s only if it is for that host", (_, setting) => {
    const stored = (host: string | null) => ({ TINKER_API_KEY: { value: "tml-1", host } });
    const address = (more: Setting) => tinkerAddress(parts({ ...setting, ...more }));
    const refusal = { code: "key-host-not-allowed", data: { host: "https://one.example" } };
    expect(() => address({ store: stored(null) })).toThrow(
      expect.objectContaining({ ...refusal, data: expect.objectContaining(refusal.data) }),
    );
    expect(() => address({ store: stored("two.example") })).toThrow(/TINKER_API_KEY/);
    const allowed = { store: stored(null), allowedOrigins: ONE };
    expect(address(allowed)).toMatchObject({ url: "https://one.example", key: "tml-1" });
  });

  it("gets a key that was stored for the configured host", () => {
    const config = { tinker_base_url: "https://one.example/base" };
    const store = { TINKER_API_KEY: { value: "tml-1", host: "one.example" } };
    expect(tinkerAddress(parts({ store, config })).key).toBe("tml-1");
    expect(() => tinkerAddress(parts({ store }))).toThrow(/is for one\.example/);
  });
});

describe("the server of the environments", () => {
  const keys = { OPENREWARD_API_KEY: "or-1", ORS_API_KEY: "ors-1" };
  const hosted = { url: "https://sessions.openreward.ai", isOpenReward: true, key: "or-1" };

  it.each([
    [{}, hosted],
    [{ OPENREWARD_URL: "https://openreward.ai" }, hosted],
    [{ OPENREWARD_BASE_URL: "https://openreward.ai/" }, hosted],
    [
      { OPENREWARD_BASE_URL: "https://host.example:9000" },
      { url: "https://sessions.host.example:9000", isOpenReward: false, key: "ors-1" },
    ],
    [
      { OPENREWARD_ENVIRONMENTS_URL: "https://b.example", OPENREWARD_URL: "https://c.example" },
      { url: "https://b.example", isOpenReward: false, key: "ors-1" },
    ],
    [
      {
        OPENREWARD_SESSION_URL: "https://a.example",
        OPENREWARD_ENVIRONMENTS_URL: "https://b.example",
      },
      { url: "https://a.example", isOpenReward: false, key: "ors-1" },
    ],
  ])("with %j is %j", (variables, expected) => {
    expect(environmentAddress(parts({ process: { ...keys, ...variables } }))).toMatchObject(
      expected,
    );
  });

  it("reports where its address was set", () => {
    const sourceOf = (setting: Setting) => environmentAddress(parts(setting)).source;
    const process = { OPENREWARD_URL: "https://c.example" };
    const config = { openreward_base_url: "https://d.example" };
    expect([sourceOf({}), sourceOf({ process }), sourceOf({ process, config })]).toEqual([
      null,
      "OPENREWARD_URL",
      "openreward_base_url",
    ]);
  });

  it("gets neither a key nor a looked-up secret at an address from .env", () => {
    const dotenv = { OPENREWARD_SESSION_URL: "https://a.example" };
    expect(() => environmentAddress(parts({ process: keys, dotenv }))).toThrow(/but ORS_API_KEY/);
    const process = { OPENREWARD_API_KEY: "or-1", SEARCH_KEY: "s-1" };
    expect(environmentAddress(parts({ process, dotenv })).key).toBeNull();
    const own = anEnvironment({ secrets: { search_key: null } });
    const config = { environments: { [ENVIRONMENT]: own } };
    expect(() => environmentAddress(parts({ process, dotenv, config }))).toThrow(/but SEARCH_KEY/);
  });

  it("gets neither a stored key nor a stored secret for another host", () => {
    const config = { openreward_base_url: "https://a.example" };
    const ors = { ORS_API_KEY: { value: "ors-1", host: null } };
    expect(() => environmentAddress(parts({ store: ors, config }))).toThrow(
      /ORS_API_KEY .* is for/,
    );
    const own = anEnvironment({ secrets: { search_key: null } });
    const withSecret = { ...config, environments: { [ENVIRONMENT]: own } };
    const search = { SEARCH_KEY: { value: "s-1", host: null } };
    expect(() => environmentAddress(parts({ store: search, config: withSecret }))).toThrow(
      /SEARCH_KEY .* is for sessions\.openreward\.ai/,
    );
    const bound = { SEARCH_KEY: { value: "s-1", host: "a.example" } };
    expect(environmentAddress(parts({ store: bound, config: withSecret })).key).toBeNull();
  });
});

describe.each(["process", "dotenv"] as const)("a key from the %s", (origin) => {
  const own = { [origin]: { TINKER_API_KEY: "tml-1", SEARCH_KEY: "search-1" } };
  const at = (tinker_base_url: string, ...hosts: readonly string[]) => {
    const allowedOrigins = hosts.map((host) => ({ origin: host, key: null }));
    return () => tinkerAddress(parts({ ...own, config: { tinker_base_url }, allowedOrigins }));
  };

  it("is sent unencrypted only to this computer", () => {
    const refusal = at("http://models.lan:8000");
    expect(refusal).toThrow(/unencrypted.*--allow-host http:\/\/models\.lan:8000/);
    expect(refusal).toThrow(expect.objectContaining({ code: "key-not-encrypted" }));
    for (const url of ["http://127.0.0.1:8000", "http://[::1]:8000", "https://models.lan:8000"]) {
      expect(at(url)).not.toThrow();
    }
  });

  it("requires the allowed scheme, host and port", () => {
    for (const wrong of ["https://models.lan:8000", "http://models.lan", "http://other.lan:8000"]) {
      expect(at("http://models.lan:8000", wrong), wrong).toThrow(/unencrypted/);
    }
    expect(at("http://models.lan:8000", "http://models.lan:8000")()).toMatchObject({
      key: "tml-1",
    });
  });
});

it("a secret is sent to environments only encrypted, looked up or literal", () => {
  const config = { openreward_base_url: "http://envs.lan", secrets: { search_key: "written" } };
  expect(() => environmentAddress(parts({ config }))).toThrow(/search_key.*unencrypted/i);
  const looked = { ...config, secrets: { search_key: null } };
  const process = { SEARCH_KEY: "search-1", ORS_API_KEY: "ors-1" };
  expect(() => environmentAddress(parts({ config: looked, process }))).toThrow(/unencrypted/);
});

it("an approval in the editor covers only its own scheme", () => {
  const store = { TINKER_API_KEY: { value: "tml-1", host: null } };
  const allowedOrigins = [{ origin: "https://models.example.org", key: "TINKER_API_KEY" }];
  const at = (tinker_base_url: string) => () =>
    tinkerAddress(parts({ store, config: { tinker_base_url }, allowedOrigins }));
  expect(at("https://models.example.org")).not.toThrow();
  expect(at("http://models.example.org")).toThrow(
    expect.objectContaining({ code: "key-not-encrypted" }),
  );
});

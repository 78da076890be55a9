import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { AllowedOrigin } from "../../../src/core/secrets/hostBinding.ts";
import type { FoundValue } from "../../../src/core/secrets/keySource.ts";
import { wandbAddress } from "../../../src/trainer/tracking/wandbAddress.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";

const KEY = "k".repeat(40);
const OFFICIAL = "https://api.forge.coreweave.com";
const OLDER = "https://api.wandb.ai";

const netrc = folderOfAllTests();
beforeAll(async () => {
  await writeFile(
    join(netrc, "netrc"),
    `machine api.wandb.ai login user password ${"n".repeat(40)}`,
  );
});

type Found = Readonly<Record<string, FoundValue>>;

const process = (value: string): FoundValue => ({ value, origin: "process" });
const dotenv = (value: string): FoundValue => ({ value, origin: "dotenv" });
const store = (host: string | null): FoundValue => ({ value: KEY, origin: "store", host });

/** Keeps tests from reading the netrc file or the settings of the current user. */
const addressWith = (found: Found, allowedOrigins: readonly AllowedOrigin[] = []) => {
  const nowhere = process("/nonexistent");
  const all: Found = { NETRC: nowhere, WANDB_CONFIG_DIR: nowhere, ...found };
  const variables = (name: string) => all[name] ?? null;
  return wandbAddress({ config: { wandb: "online" }, variables, allowedOrigins });
};

describe("the address of W&B", () => {
  it("is null unless the run is online", async () => {
    for (const wandb of ["offline", "disabled"] as const) {
      const parts = { config: { wandb }, variables: () => null, allowedOrigins: [] };
      expect(await wandbAddress(parts)).toBeNull();
    }
  });

  it("is that of the hosted service, or set by the variable", async () => {
    const key = { WANDB_API_KEY: process(KEY) };
    expect(await addressWith(key)).toEqual({
      baseUrl: OFFICIAL,
      appUrl: null,
      key: KEY,
      entity: null,
    });
    const own = { ...key, WANDB_BASE_URL: process("https://wandb.acme.example/") };
    expect(await addressWith(own)).toMatchObject({ baseUrl: "https://wandb.acme.example" });
  });

  it("requires a key, and says where it can be", async () => {
    await expect(addressWith({})).rejects.toMatchObject({
      code: "key-missing",
      data: { name: "WANDB_API_KEY" },
      message: expect.stringMatching(/WANDB_API_KEY.*netrc for api\.forge\.coreweave\.com/),
    });
    await expect(addressWith({ WANDB_API_KEY: process("short") })).rejects.toMatchObject({
      code: "key-invalid",
      message: expect.stringContaining("WANDB_API_KEY (from the process environment) is too short"),
    });
  });

  it("uses the key from netrc if no variable has one, under either name of the service", async () => {
    const found = { NETRC: process(join(netrc, "netrc")) };
    expect(await addressWith(found)).toMatchObject({ key: "n".repeat(40) });
    const older = { ...found, WANDB_BASE_URL: process(OLDER) };
    expect(await addressWith(older)).toMatchObject({ baseUrl: OLDER, key: "n".repeat(40) });
    const both = { ...found, WANDB_API_KEY: process(KEY) };
    expect(await addressWith(both)).toMatchObject({ key: KEY });
  });

  it("is read from W&B's own settings on this computer, unless a variable sets it", async () => {
    await writeFile(
      join(netrc, "settings"),
      "[default]\nbase_url = https://acme.wandb.example\nentity = team\n",
    );
    const settings = { WANDB_API_KEY: process(KEY), WANDB_CONFIG_DIR: process(netrc) };
    expect(await addressWith(settings)).toMatchObject({
      baseUrl: "https://acme.wandb.example",
      entity: "team",
    });
    const more = { WANDB_BASE_URL: process(OLDER), WANDB_ENTITY: process("ada") };
    expect(await addressWith({ ...settings, ...more })).toMatchObject({
      baseUrl: OLDER,
      entity: "ada",
    });
    const brought = { ...settings, WANDB_CONFIG_DIR: dotenv(netrc) };
    expect((await addressWith(brought))?.baseUrl).not.toBe("https://acme.wandb.example");
  });

  it("does not receive the default entry of netrc if a .env file sets it", async () => {
    const path = join(netrc, "default");
    await writeFile(path, `default login user password ${"n".repeat(40)}`);
    const found = { NETRC: process(path) };
    const stranger = "https://wandb.stranger.example";
    const chosen = { ...found, WANDB_BASE_URL: process(stranger) };
    expect(await addressWith(chosen)).toMatchObject({ baseUrl: stranger, key: "n".repeat(40) });
    const brought = { ...found, WANDB_BASE_URL: dotenv(stranger) };
    await expect(addressWith(brought)).rejects.toMatchObject({ code: "key-missing" });
  });

  it.each([null, "api.forge.coreweave.com", "api.wandb.ai"])(
    "may use a stored key for %s under both names of the service, and nowhere else",
    async (host) => {
      const key = { WANDB_API_KEY: store(host) };
      for (const url of [OFFICIAL, OLDER]) {
        expect(await addressWith({ ...key, WANDB_BASE_URL: process(url) })).toMatchObject({
          baseUrl: url,
        });
      }
      const elsewhere = { ...key, WANDB_BASE_URL: process("https://wandb.acme.example") };
      await expect(addressWith(elsewhere)).rejects.toMatchObject({ code: "key-host-not-allowed" });
    },
  );

  it("is not taken from a .env file with a key from elsewhere, unless that is allowed", async () => {
    const found = {
      WANDB_API_KEY: process(KEY),
      WANDB_BASE_URL: dotenv("https://wandb.stranger.example"),
    };
    await expect(addressWith(found)).rejects.toMatchObject({ code: "key-host-not-allowed" });
    expect(
      await addressWith(found, [{ origin: "https://wandb.stranger.example", key: null }]),
    ).toMatchObject({ key: KEY });
    expect(await addressWith({ ...found, WANDB_BASE_URL: dotenv(OLDER) })).toMatchObject({
      baseUrl: OLDER,
    });
  });
});

it("a key from a variable or from netrc is not sent over plain http, which a .env can set", async () => {
  const found = { WANDB_BASE_URL: dotenv("http://api.wandb.lan") };
  const named = { ...found, WANDB_API_KEY: dotenv(KEY) };
  await expect(addressWith(named)).rejects.toThrow(/unencrypted/);
  const path = join(netrc, "lan");
  await writeFile(path, `machine api.wandb.lan login user password ${"n".repeat(40)}`);
  await expect(addressWith({ ...found, NETRC: process(path) })).rejects.toThrow(/unencrypted/);
});

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LaunchRequest } from "../../../src/shared/control.ts";
import { tokenizerFolder } from "../../../src/trainer/models/tokenizerFolder.ts";
import { loadVariables } from "../../../src/trainer/services/variables.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";
import { serveHere } from "../../fakes/serveHere.ts";

const folder = folderOfEachTest();
beforeEach(() => {
  vi.stubEnv("HF_HUB_OFFLINE", "1");
  vi.stubEnv("HF_HOME", join(folder, "hub"));
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const find = (name: string) =>
  tokenizerFolder(name, { folder: "/program" }, join(folder, "tinker-config.yaml"));

describe("the folder of a model's tokenizer", () => {
  it("is next to the program for the embedded models", async () => {
    expect(await find("local/tiny-tool")).toMatchObject({ folder: join("/program", "model") });
  });

  it("is relative to the configuration", async () => {
    await mkdir(join(folder, "mine"));
    await writeFile(join(folder, "mine/tokenizer.json"), "{}");
    const found = { folder: join(folder, "mine"), source: "folder", commit: null };
    expect(await find("mine")).toMatchObject(found);
    expect(await find("./mine")).toMatchObject(found);
  });

  it("is downloaded with the token of `.env` if reading that is allowed, and without it otherwise", async () => {
    const shown: (string | undefined)[] = [];
    const hub = await serveHere(({ headers }, response) => {
      shown.push(headers.authorization);
      response.writeHead(404).end();
    });
    vi.stubEnv("HF_HUB_OFFLINE", "");
    vi.stubEnv("HF_ENDPOINT", hub.url);
    await writeFile(join(folder, ".env"), "HF_TOKEN=hf_0123456789");
    await expect(find("Org/Name")).rejects.toMatchObject({ configPath: "tokenizer_name" });
    expect(new Set(shown.splice(0))).toEqual(new Set(["Bearer hf_0123456789"]));
    const launchRequest = { variables: {}, envFile: null };
    const within = async (keys: LaunchRequest["keys"], allowed: string | null) => {
      const variables = await loadVariables(folder, { ...launchRequest, keys });
      const allowedOrigins = allowed === null ? [] : [{ origin: allowed, key: "HF_TOKEN" }];
      const options = { variables, allowedOrigins };
      const path = join(folder, "run.yaml");
      return tokenizerFolder("Org/Name", { folder: "/program" }, path, options);
    };
    await expect(within({}, null)).rejects.toMatchObject({ configPath: "tokenizer_name" });
    expect(new Set(shown.splice(0))).toEqual(new Set([undefined]));
    const keys = { HF_TOKEN: { value: "hf_stored", origin: "store", host: null } } as const;
    await expect(within(keys, null)).rejects.toMatchObject({ code: "key-host-not-allowed" });
    expect(shown).toEqual([]);
    const endpoint = process.env["HF_ENDPOINT"] ?? "";
    await expect(within(keys, endpoint)).rejects.toMatchObject({ configPath: "tokenizer_name" });
    expect(new Set(shown)).toEqual(new Set(["Bearer hf_stored"]));
    hub.close();
  });

  it("is searched in the caches that the environment variables name", async () => {
    await expect(find("Qwen/Qwen3-8B")).rejects.toThrow(join(folder, "hub", "hub"));
    await expect(find("Qwen/Qwen3-8B")).rejects.toMatchObject({ code: "tokenizer-offline" });
  });
});

it("the token of the model hub is not sent over plain http", async () => {
  vi.stubEnv("HF_HUB_OFFLINE", "");
  vi.stubEnv("HF_ENDPOINT", "http://hub.lan");
  vi.stubEnv("HF_TOKEN", "hf_0123456789");
  await expect(find("Org/Name")).rejects.toMatchObject({ code: "key-not-encrypted" });
});

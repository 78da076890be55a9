import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseArguments } from "../../../src/cli/arguments/arguments.ts";
import type { FoundValue } from "../../../src/core/secrets/keySource.ts";
import { environmentAddress, tinkerAddress } from "../../../src/trainer/services/serviceAddress.ts";
import { tokenizerFolder } from "../../../src/trainer/tokenizerFolder.ts";
import { uploadAddress } from "../../../src/trainer/tracking/uploadAddress.ts";
import { wandbAddress } from "../../../src/trainer/tracking/wandbAddress.ts";
import { aConfig } from "../../core/training/builders.ts";

type Found = Readonly<Record<string, FoundValue>>;

const words = ["train", "a.yaml", "--allow-host"];

/** What `--allow-host HOST` says. */
function allowing(...hosts: readonly string[]) {
  const command = parseArguments(
    hosts.length === 0
      ? ["train", "a.yaml"]
      : [...words.slice(0, 2), ...hosts.flatMap((host) => ["--allow-host", host])],
  );
  if (command.kind !== "train") throw new Error("it trains");
  return { allowedOrigins: command.allowedOrigins };
}

function found(values: Found) {
  return (name: string): FoundValue | null => values[name] ?? null;
}

describe.each(["process", "dotenv"] as const)("a key from the %s", (origin) => {
  const variables = found({
    TINKER_API_KEY: { value: "tml-1", origin },
    ORS_API_KEY: { value: "ors-1", origin },
    SEARCH_KEY: { value: "search-1", origin },
    OPENREWARD_API_KEY: { value: "or-1", origin },
    OPENREWARD_API_URL: { value: "http://api.openreward.ai", origin },
    WANDB_API_KEY: { value: "w".repeat(40), origin },
    WANDB_BASE_URL: { value: "http://wandb.lan", origin },
  });

  it("goes unencrypted to this machine only", () => {
    const at =
      (tinker_base_url: string, ...hosts: readonly string[]) =>
      () =>
        tinkerAddress({ config: { tinker_base_url }, variables, ...allowing(...hosts) });
    expect(at("http://models.lan:8000")).toThrow(
      /unencrypted.*--allow-host http:\/\/models\.lan:8000/,
    );
    expect(at("http://models.lan:8000")).toThrow(
      expect.objectContaining({ code: "key-not-encrypted" }),
    );
    expect(at("http://127.0.0.1:8000")).not.toThrow();
    expect(at("http://[::1]:8000")).not.toThrow();
    expect(at("https://models.lan:8000")).not.toThrow();
  });

  it("needs the origin by name: a host alone means https", () => {
    const at =
      (...hosts: readonly string[]) =>
      () =>
        tinkerAddress({
          config: { tinker_base_url: "http://models.lan:8000" },
          variables,
          ...allowing(...hosts),
        });
    for (const wrong of [
      "models.lan",
      "models.lan:8000",
      "https://models.lan:8000",
      "http://models.lan",
      "http://other.lan:8000",
    ]) {
      expect(at(wrong), wrong).toThrow(/unencrypted/);
    }
    expect(at("http://models.lan:8000")()).toMatchObject({ key: "tml-1" });
  });

  it("does not go so to environments, uploads and reports either", async () => {
    const config = aConfig({ openreward_base_url: "http://envs.lan" });
    const own = { allowedOrigins: [] };
    expect(() => environmentAddress({ config, variables, ...own })).toThrow(/unencrypted/);
    const upload = {
      config: { openreward_upload: true, openreward_upload_evaluations: false },
      variables,
      ...own,
    };
    expect(() => uploadAddress(upload)).toThrow(/unencrypted/);
    await expect(wandbAddress({ config: { wandb: "online" }, variables, ...own })).rejects.toThrow(
      /unencrypted/,
    );
  });
});

it("a secret that is written out goes to environments encrypted only", () => {
  const config = aConfig({
    openreward_base_url: "http://envs.lan",
    secrets: { search_key: "written" },
  });
  expect(() => environmentAddress({ config, variables: found({}), allowedOrigins: [] })).toThrow(
    /search_key.*unencrypted/i,
  );
});

it("an approval in the editor covers its own scheme", () => {
  const key: FoundValue = { value: "tml-1", origin: "store", host: null };
  const allowedOrigins = [{ origin: "https://models.example.org", key: "TINKER_API_KEY" }];
  const at = (tinker_base_url: string) => () =>
    tinkerAddress({
      config: { tinker_base_url },
      variables: found({ TINKER_API_KEY: key }),
      allowedOrigins,
    });
  expect(at("https://models.example.org")).not.toThrow();
  expect(at("http://models.example.org")).toThrow(
    expect.objectContaining({ code: "key-not-encrypted" }),
  );
});

describe("files of the user", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "unencrypted-"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it("give a key of netrc to no plain http, which a .env can lead to", async () => {
    const netrc = join(folder, "netrc");
    writeFileSync(netrc, `machine api.wandb.lan login user password ${"n".repeat(40)}\n`);
    const variables = found({
      WANDB_BASE_URL: { value: "http://api.wandb.lan", origin: "dotenv" },
      NETRC: { value: netrc, origin: "process" },
    });
    const parts = { config: { wandb: "online" as const }, variables, allowedOrigins: [] };
    await expect(wandbAddress(parts)).rejects.toThrow(/unencrypted/);
  });

  it("give the token of the model hub to no plain http", async () => {
    vi.stubEnv("HF_ENDPOINT", "http://hub.lan");
    vi.stubEnv("HF_TOKEN", "hf_0123456789");
    vi.stubEnv("HF_HOME", folder);
    const found = tokenizerFolder("Org/Name", { folder }, join(folder, "a.yaml"));
    await expect(found).rejects.toMatchObject({ code: "key-not-encrypted" });
  });
});

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tokenizerFolder } from "../../src/trainer/tokenizerFolder.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trainer-"));
  vi.stubEnv("HF_HUB_OFFLINE", "1");
  vi.stubEnv("HF_HOME", join(folder, "hub"));
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const find = (name: string) =>
  tokenizerFolder(name, { folder: "/program" }, join(folder, "tinker-config.yaml"));

describe("the folder of a model's tokenizer", () => {
  it("lies beside the program for the embedded models", async () => {
    expect(await find("local/tiny-tool")).toMatchObject({ folder: join("/program", "model") });
  });

  it("is counted from the configuration", async () => {
    await mkdir(join(folder, "mine"));
    await writeFile(join(folder, "mine/tokenizer.json"), "{}");
    const found = { folder: join(folder, "mine"), source: "folder", commit: null };
    expect(await find("mine")).toMatchObject(found);
    expect(await find("./mine")).toMatchObject(found);
  });

  it("is looked for in the caches that the environment names", async () => {
    await expect(find("Qwen/Qwen3-8B")).rejects.toThrow(join(folder, "hub", "hub"));
    await expect(find("Qwen/Qwen3-8B")).rejects.toMatchObject({ code: "tokenizer-offline" });
  });
});

import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadHubSettings } from "../../../src/node/tokenizer/hubSettings.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";

const folder = folderOfAllTests();
beforeAll(async () => {
  await writeFile(join(folder, "token"), "hf_file\n");
});

describe("the hub's settings", () => {
  it("default to the public hub and the caches in the user's home", async () => {
    expect(await loadHubSettings({ HF_TOKEN_PATH: join(folder, "none") }, null)).toMatchObject({
      endpoint: "https://huggingface.co",
      token: null,
      isOffline: false,
      pythonCacheFolder: join(homedir(), ".cache/huggingface/hub"),
    });
  });

  it("follow the variables of Python's hub library", async () => {
    const variables = { HF_HOME: folder, HF_ENDPOINT: "http://mirror:8080/hf/" };
    expect(await loadHubSettings(variables, null)).toMatchObject({
      endpoint: "http://mirror:8080/hf",
      token: "hf_file",
      pythonCacheFolder: join(folder, "hub"),
    });
    const cache = { HF_HUB_CACHE: "/a", HF_HOME: "/b", XDG_CACHE_HOME: "/c" };
    expect((await loadHubSettings(cache, null)).pythonCacheFolder).toBe("/a");
    const shared = { XDG_CACHE_HOME: "/c" };
    expect((await loadHubSettings(shared, null)).pythonCacheFolder).toBe("/c/huggingface/hub");
  });

  it("prefer a token from the caller over the one in the file", async () => {
    expect((await loadHubSettings({ HF_HOME: folder }, "hf_given")).token).toBe("hf_given");
  });

  it.each([
    [{ HF_HUB_OFFLINE: "1" }, true],
    [{ TRANSFORMERS_OFFLINE: "TRUE" }, true],
    [{ HF_HUB_OFFLINE: "0" }, false],
    [{ HF_HUB_OFFLINE: "" }, false],
  ])("with %j are offline: %s", async (variables, isOffline) => {
    expect((await loadHubSettings(variables, null)).isOffline).toBe(isOffline);
  });

  it.each(["hub.example", "file:///hub"])("reject the address %s", async (endpoint) => {
    await expect(loadHubSettings({ HF_ENDPOINT: endpoint }, null)).rejects.toMatchObject({
      code: "hub-endpoint",
    });
  });
});

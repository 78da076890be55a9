import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CheckpointChange } from "../../../src/core/tinker/checkpointChange.ts";
import type { CheckpointStore } from "../../../src/local/engine/service/checkpoints/checkpointStore.ts";
import { changeCheckpoints } from "../../../src/trainer/checkpoints/changeCheckpoints.ts";
import { filesOnDisk } from "../../fakes/onDisk.ts";
import { serveHere } from "../../fakes/serveHere.ts";
import { type AStore, aStore, KEY, PATH } from "./aStore.ts";

const OTHER = "tinker://s1:train:0/weights/checkpoint_000020";

const fileSystem = filesOnDisk();
let here: AStore;
let store: CheckpointStore;

beforeEach(async () => {
  here = await aStore();
  ({ store } = here);
  vi.stubEnv("TINKER_RL_STORE", here.folder);
  vi.stubEnv("TINKER_API_KEY", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function changed(
  change: CheckpointChange,
  paths: readonly string[],
  isLocalOnly = true,
  mayBeGone = false,
): Promise<unknown> {
  const { folder } = here;
  const request = { change, paths, isLocalOnly, mayBeGone, folder, allowedOrigins: [] };
  const all: unknown[] = [];
  for await (const each of changeCheckpoints(fileSystem, request)) all.push(each);
  return all;
}

const deleted = (
  paths: readonly string[],
  isLocalOnly = true,
  mayBeGone = false,
): Promise<unknown> => changed({ action: "delete" }, paths, isLocalOnly, mayBeGone);

it("does not publish a local checkpoint", async () => {
  for (const action of ["publish", "unpublish"] as const) {
    await expect(changed({ action }, [PATH])).rejects.toThrow("is on this computer");
  }
});

it("sets the expiry of a local checkpoint", async () => {
  const done = [{ path: PATH, place: "this computer" }];
  expect(await changed({ action: "set-ttl", ttlSeconds: 7200 }, [PATH])).toEqual(done);
  const { expires_at: expiry } = (await store.find(KEY)) ?? {};
  const hours = (Date.parse(expiry ?? "") - Date.now()) / 3_600_000;
  expect(hours).toBeCloseTo(2, 1);
  await changed({ action: "set-ttl", ttlSeconds: null }, [PATH]);
  expect(await store.find(KEY)).toMatchObject({ expires_at: null });
});

describe("deleting checkpoints", () => {
  it("removes local ones from the store", async () => {
    expect(await deleted([PATH])).toEqual([{ path: PATH, place: "this computer" }]);
    expect(await store.find(KEY)).toBeNull();
  });

  it("reports when there is no local checkpoint of that name", async () => {
    expect(await deleted([OTHER])).toEqual([{ path: OTHER, place: null }]);
  });

  it("deletes nothing when an address is malformed", async () => {
    await expect(deleted([PATH, "tinker://../weights/x/y"])).rejects.toMatchObject({
      code: "bad-arguments",
    });
    expect(await store.find(KEY)).not.toBeNull();
  });

  it("never looks outside the store", async () => {
    const outside = "tinker://../weights/runs";
    expect(await deleted([outside])).toEqual([{ path: outside, place: null }]);
  });

  it("is the only change that accepts a missing checkpoint", async () => {
    const gone = changed({ action: "set-ttl", ttlSeconds: null }, [OTHER]);
    await expect(gone).rejects.toMatchObject({ code: "no-such-checkpoint" });
  });

  it("treats a checkpoint missing at Tinker as deleted on request, and continues with the next", async () => {
    const left = new Set(["checkpoint_000030"]);
    const { url, close } = await serveHere((request, response) => {
      const name = request.url?.split("/").at(-1) ?? "";
      const isThere = request.method !== "DELETE" || left.delete(name);
      response.writeHead(isThere ? 200 : 404, { "content-type": "application/json" });
      response.end("{}");
    });
    try {
      vi.stubEnv("TINKER_API_KEY", "tml-own");
      vi.stubEnv("TINKER_BASE_URL", url);
      const third = OTHER.replace("20", "30");
      expect(await deleted([OTHER, third], false, true)).toEqual([
        { path: OTHER, place: null },
        { path: third, place: "Tinker" },
      ]);
      await expect(deleted([OTHER], false)).rejects.toMatchObject({
        code: "no-such-checkpoint",
        message: expect.stringMatching(
          /^There is no checkpoint tinker:.* Tinker answered 404 to DELETE/,
        ),
      });
    } finally {
      close();
    }
  });

  it("requires a key for remote ones", async () => {
    await expect(deleted([OTHER], false)).rejects.toMatchObject({ code: "key-missing" });
  });
});

describe("a key supplied by an editor", () => {
  const at = async (tinkerBaseUrl: string): Promise<void> => {
    const launchRequest = {
      keys: { TINKER_API_KEY: { value: "tml-own", origin: "store", host: null } },
      variables: {},
      envFile: null,
    } as const;
    const request = { folder: here.folder, isLocalOnly: false, allowedOrigins: [] };
    const change = { action: "publish" } as const;
    const paths = [OTHER];
    const changes = { ...request, tinkerBaseUrl, launchRequest, change, paths };
    for await (const _ of changeCheckpoints(fileSystem, changes));
  };

  it("is sent to no host but its own, and never unencrypted", async () => {
    const elsewhere = { code: "key-host-not-allowed", data: { host: "https://own.example" } };
    await expect(at("https://own.example")).rejects.toMatchObject(elsewhere);
    await expect(at("http://own.example")).rejects.toMatchObject({ code: "key-not-encrypted" });
  });
});

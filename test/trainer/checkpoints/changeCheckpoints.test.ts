import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CheckpointStore } from "../../../src/local/engine/service/checkpoints/checkpointStore.ts";
import type { CheckpointKey } from "../../../src/local/engine/service/checkpoints/tinkerPath.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import type { CheckpointChange } from "../../../src/core/tinker/checkpointChange.ts";
import { changeCheckpoints } from "../../../src/trainer/checkpoints/changeCheckpoints.ts";
import { silentLog } from "../../fakes/silentLog.ts";

const KEY: CheckpointKey = { runId: "s1:train:0", kind: "weights", name: "checkpoint_000010" };
const PATH = "tinker://s1:train:0/weights/checkpoint_000010";
const OTHER = "tinker://s1:train:0/weights/checkpoint_000020";

const fileSystem = createFileSystem();
let folder: string;
let store: CheckpointStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "store-"));
  vi.stubEnv("TINKER_RL_STORE", folder);
  vi.stubEnv("TINKER_API_KEY", "");
  store = new CheckpointStore({
    root: join(folder, "runs"),
    ...{ files: fileSystem, clock: systemClock, log: silentLog, pid: 1 },
    uuid: () => "0a",
    isProcessAlive: () => false,
  });
  const lora = { rank: 8, train_attn: true, train_mlp: true, train_unembed: true };
  await store.save(KEY, {
    ...{ bytes: new Uint8Array(8), baseModel: "local/tiny-tool", lora },
    ...{ runMetadata: null, userMetadata: null, ttlSeconds: null, overwrite: false },
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function changed(
  change: CheckpointChange,
  paths: readonly string[],
  isLocalOnly = true,
): Promise<unknown> {
  const request = { change, paths, isLocalOnly, folder, allowedOrigins: [] };
  const all: unknown[] = [];
  for await (const each of changeCheckpoints(fileSystem, request)) all.push(each);
  return all;
}

const deleted = (paths: readonly string[], isLocalOnly = true): Promise<unknown> =>
  changed({ action: "delete" }, paths, isLocalOnly);

it("publishes, and sets how long a checkpoint of this computer is kept", async () => {
  const done = [{ path: PATH, place: "this computer" }];
  expect(await changed({ action: "publish" }, [PATH])).toEqual(done);
  expect(await store.find(KEY)).toMatchObject({ public: true });
  await changed({ action: "unpublish" }, [PATH]);
  await changed({ action: "set-ttl", ttlSeconds: 7200 }, [PATH]);
  const { public: isPublic, expires_at: expiry } = (await store.find(KEY)) ?? {};
  expect(isPublic).toBe(false);
  const hours = (Date.parse(expiry ?? "") - Date.now()) / 3_600_000;
  expect(hours).toBeCloseTo(2, 1);
  await changed({ action: "set-ttl", ttlSeconds: null }, [PATH]);
  expect(await store.find(KEY)).toMatchObject({ expires_at: null });
});

describe("deleting checkpoints", () => {
  it("removes those of this computer from its store", async () => {
    expect(await deleted([PATH])).toEqual([{ path: PATH, place: "this computer" }]);
    expect(await store.find(KEY)).toBeNull();
  });

  it("says when this computer has none of that name", async () => {
    expect(await deleted([OTHER])).toEqual([{ path: OTHER, place: null }]);
  });

  it("deletes nothing when an address is malformed", async () => {
    await expect(deleted([PATH, "tinker://../weights/x/y"])).rejects.toMatchObject({
      code: "tinker-invalid-input",
    });
    expect(await store.find(KEY)).not.toBeNull();
  });

  it("looks for no file outside of the store", async () => {
    const outside = "tinker://../weights/runs";
    expect(await deleted([outside])).toEqual([{ path: outside, place: null }]);
  });

  it("needs a key for those that are elsewhere", async () => {
    await expect(deleted([OTHER], false)).rejects.toMatchObject({ code: "key-missing" });
  });
});

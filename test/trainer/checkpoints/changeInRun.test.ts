import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  appendCheckpoint,
  readCheckpoints,
  usableCheckpoints,
} from "../../../src/core/runFolder/checkpointLog.ts";
import type { CheckpointChange } from "../../../src/core/tinker/checkpointChange.ts";
import {
  type CheckpointKey,
  tinkerPath,
} from "../../../src/local/engine/service/checkpoints/tinkerPath.ts";
import { RunRecord } from "../../../src/node/runRecord.ts";
import { changeByAddress, changeInRun } from "../../../src/trainer/checkpoints/changeInRun.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { type AStore, anEntry, aRunFolder, aStore, KEY, PATH, saveIn } from "./aStore.ts";

const fileSystem = filesOnDisk();
let here: AStore;
const folder = folderOfEachTest();
let run: string;

beforeEach(async () => {
  here = await aStore();
  run = aRunFolder(folder, [anEntry()]);
  vi.stubEnv("TINKER_RL_STORE", here.folder);
  vi.stubEnv("TINKER_API_KEY", "");
  const nowhere = { addresses: {}, environments: {} };
  await (await RunRecord.open(run)).add(KEY.runId, nowhere, silentLog);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function deleteAt(...paths: readonly string[]): Promise<void> {
  const change = { action: "delete" } as const;
  const request = { paths, change, folder, isLocalOnly: true, allowedOrigins: [] };
  for await (const _ of changeByAddress(fileSystem, request));
}

async function change(wanted: CheckpointChange, name = KEY.name): Promise<unknown> {
  const request = { run, name, change: wanted, folder, isLocalOnly: true, allowedOrigins: [] };
  const all: unknown[] = [];
  for await (const each of changeInRun(fileSystem, request)) all.push(each);
  return all;
}

const lines = () => readCheckpoints(fileSystem.within(run), run);

it("a new expiry is stored in the store and in the run", async () => {
  const done = [{ path: PATH, place: "this computer" }];
  expect(await change({ action: "set-ttl", ttlSeconds: 7200 })).toEqual(done);
  const [after] = await lines();
  const stored = await here.store.find(KEY);
  expect(after).toEqual({ ...anEntry(), expires_at: expect.any(String) });
  const apartMs = Date.parse(after?.expires_at ?? "") - Date.parse(stored?.expires_at ?? "");
  expect(Math.abs(apartMs)).toBeLessThan(60_000);
  await change({ action: "set-ttl", ttlSeconds: null });
  expect((await lines()).at(-1)).toEqual(anEntry());
});

it("a deleted checkpoint is not listed any more, and one that cannot be published is unchanged", async () => {
  await expect(change({ action: "publish" })).rejects.toThrow("is on this computer");
  expect(await lines()).toEqual([anEntry()]);
  await change({ action: "delete" });
  expect(await here.store.find(KEY)).toBeNull();
  await expect(change({ action: "delete" })).rejects.toMatchObject({ code: "no-such-checkpoint" });
});

it("of a checkpoint deleted by its addresses the list keeps only what is left", async () => {
  const sampler: CheckpointKey = { ...KEY, kind: "sampler_weights" };
  const sampler_path = tinkerPath(sampler);
  const entry = anEntry({ sampler_path });
  await appendCheckpoint(fileSystem.within(run), run, entry);
  const usable = async () => usableCheckpoints(await lines(), Date.now());
  await saveIn(here.store, sampler);
  await deleteAt(PATH);
  expect(await usable()).toEqual([{ ...entry, state_path: null }]);
  await deleteAt(sampler_path);
  expect(await usable()).toEqual([]);
  for (const key of [KEY, sampler]) await saveIn(here.store, key);
  await appendCheckpoint(fileSystem.within(run), run, entry);
  await deleteAt(sampler_path);
  expect(await usable()).toEqual([anEntry()]);
  await saveIn(here.store, sampler);
  await appendCheckpoint(fileSystem.within(run), run, entry);
  await deleteAt(PATH, sampler_path);
  expect(await usable()).toEqual([]);
});

it("a copied run changes no checkpoint of the original", async () => {
  const copy = join(folder, "copy");
  cpSync(run, copy, { recursive: true });
  run = copy;
  await expect(change({ action: "delete" })).rejects.toMatchObject({ code: "checkpoint-not-own" });
  expect(await here.store.find(KEY)).not.toBeNull();
});

it("a failed change is not recorded in the run", async () => {
  await here.store.delete(KEY);
  const keep = { action: "set-ttl", ttlSeconds: null } as const;
  await expect(change(keep)).rejects.toMatchObject({ code: "no-such-checkpoint" });
  await expect(change(keep, "other")).rejects.toMatchObject({ code: "no-such-checkpoint" });
  expect(await lines()).toEqual([anEntry()]);
});

it("a checkpoint that only the folder claims is changed by its address alone", async () => {
  rmSync(join(here.folder, "started"), { recursive: true });
  const refusal = { code: "checkpoint-not-own", message: expect.stringContaining(PATH) };
  await expect(change({ action: "delete" })).rejects.toMatchObject(refusal);
  await expect(change({ action: "publish" })).rejects.toMatchObject(refusal);
  expect(await here.store.find(KEY)).not.toBeNull();
  expect(await lines()).toEqual([anEntry()]);
});

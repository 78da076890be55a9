import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../../../src/core/errors.ts";
import type { FileSystem, FolderFiles } from "../../../../../src/core/ports.ts";
import {
  type CheckpointStoreOptions,
  type NewCheckpoint,
  openCheckpointStore,
} from "../../../../../src/local/engine/service/checkpoints/checkpointStore.ts";
import {
  type CheckpointKey,
  checkpointKey,
} from "../../../../../src/local/engine/service/checkpoints/tinkerPath.ts";
import { systemClock } from "../../../../../src/node/clock.ts";
import { createFileSystem } from "../../../../../src/node/fileSystem.ts";
import { systemRandom } from "../../../../../src/node/random.ts";
import { FakeClock } from "../../../../fakes/fakeClock.ts";
import { folderOfEachTest } from "../../../../fakes/onDisk.ts";
import { PlantedHome } from "../../../../fakes/plantedHome.ts";
import { silentLog } from "../../../../fakes/silentLog.ts";

const clock = new FakeClock();
const bytes = (...values: number[]) => Uint8Array.from(values);
const root = folderOfEachTest();

/** A store as seen by process `pid`; only that process is alive. */
function openStore(pid: number, options: Partial<CheckpointStoreOptions> = {}) {
  return openCheckpointStore({
    root,
    files: createFileSystem(),
    uuid: () => systemRandom.uuid(),
    clock,
    log: silentLog,
    pid,
    isProcessAlive: () => false,
    ...options,
  });
}

/** The files of the disk, with some calls overridden. */
function filesWith(changes: (files: FolderFiles) => Partial<FolderFiles>): FileSystem {
  const files = createFileSystem();
  const within = (folder: string): FolderFiles => {
    const real = files.within(folder);
    return { ...real, ...changes(real) };
  };
  return { ...files, within };
}

function checkpoint(overrides: Partial<NewCheckpoint> = {}): NewCheckpoint {
  return {
    bytes: bytes(1, 2, 3),
    baseModel: "local/fake",
    lora: { rank: 8, train_attn: true, train_mlp: true, train_unembed: false },
    runMetadata: { run: "demo" },
    userMetadata: null,
    ttlSeconds: null,
    overwrite: false,
    ...overrides,
  };
}

const weights = (name: string, run = "s:train:0"): CheckpointKey => ({
  runId: run,
  kind: "weights",
  name,
});
const sampler = (name: string, run = "s:train:0"): CheckpointKey => ({
  ...weights(name, run),
  kind: "sampler_weights",
});

describe("the checkpoint store", () => {
  it("gives another process the saved data, with its record", async () => {
    const first = await openStore(1);
    await first.save(weights("step-1"), checkpoint({ userMetadata: { step: "1" } }));
    const second = await openStore(2);
    const { record, bytes: read } = await second.read(weights("step-1"));
    expect(read).toEqual(bytes(1, 2, 3));
    expect(record).toMatchObject({ base_model: "local/fake", user_metadata: { step: "1" } });
    expect(await second.runs()).toMatchObject([{ run_id: "s:train:0", pid: 1 }]);
  });

  it("rejects an existing name, and replaces it on request, leaving one weights file", async () => {
    const store = await openStore(1);
    await store.save(weights("last"), checkpoint());
    await expect(store.save(weights("last"), checkpoint())).rejects.toThrow(
      "ResourceAlreadyExists",
    );
    await store.save(weights("last"), checkpoint({ bytes: bytes(9), overwrite: true }));
    expect((await store.read(weights("last"))).bytes).toEqual(bytes(9));
    expect(await readdir(join(root, "s.train.0", "weights"))).toHaveLength(2);
  });

  it("distinguishes names that differ only in case", async () => {
    const store = await openStore(1);
    await store.save(weights("Best"), checkpoint({ bytes: bytes(1) }));
    await store.save(weights("best"), checkpoint({ bytes: bytes(2) }));
    expect((await store.read(weights("Best"))).bytes).toEqual(bytes(1));
    expect(
      new Set((await readdir(join(root, "s.train.0", "weights"))).map((n) => n.toLowerCase())).size,
    ).toBe(4);
  });

  it("accepts names as long as the protocol allows", async () => {
    const store = await openStore(1);
    const key = weights("n".repeat(255));
    await store.save(key, checkpoint());
    expect(await store.find(key)).not.toBeNull();
  });

  it("keeps the old checkpoint intact when replacing it fails halfway", async () => {
    const store = await openStore(1);
    await store.save(weights("last"), checkpoint());
    const files = filesWith(({ writeAtomic }) => ({
      writeAtomic: (path, data) =>
        path.includes("last") && path.endsWith(".json")
          ? Promise.reject(new AppError("disk", "the disk is full"))
          : writeAtomic(path, data),
    }));
    const full = await openStore(1, { files });
    const replacing = full.save(weights("last"), checkpoint({ bytes: bytes(9), overwrite: true }));
    await expect(replacing).rejects.toThrow("the disk is full");
    expect((await full.read(weights("last"))).bytes).toEqual(bytes(1, 2, 3));
  });

  it("cleans up incomplete files of a dead process, and folders without checkpoints", async () => {
    const store = await openStore(1);
    await store.save(weights("a"), checkpoint());
    await store.save(weights("b", "t:train:0"), checkpoint());
    await store.delete(weights("b", "t:train:0"));
    const folder = join(root, "s.train.0", "weights");
    await writeFile(join(folder, "c-0123.abc.safetensors"), "half");
    await openStore(2);
    expect(await readdir(folder)).toHaveLength(2);
    expect(await readdir(root)).toEqual(["s.train.0"]);
  });

  it("keeps the weights of a temporarily unreadable record, and saves nothing over it", async () => {
    await (await openStore(1)).save(weights("a"), checkpoint());
    const files = filesWith(({ readText }) => ({
      readText: (path) =>
        path.includes("weights")
          ? Promise.reject(new AppError("file-unreadable", "the disk does not answer"))
          : readText(path),
    }));
    const store = await openStore(2, { files });
    await expect(store.save(weights("a"), checkpoint())).rejects.toThrow("does not answer");
    expect((await (await openStore(3)).read(weights("a"))).bytes).toEqual(bytes(1, 2, 3));
  });

  it("keeps the weights of a record of a later format", async () => {
    await (await openStore(1)).save(weights("a"), checkpoint());
    const folder = join(root, "s.train.0", "weights");
    const [record = ""] = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    const text = await readFile(join(folder, record), "utf8");
    await writeFile(join(folder, record), text.replace('"format":1', '"format":2'));
    await openStore(2);
    expect(await readdir(folder)).toHaveLength(2);
  });

  it("reads each record once when it opens", async () => {
    await (await openStore(1)).save(weights("a"), checkpoint());
    const read: string[] = [];
    const files = filesWith(({ readText }) => ({
      readText(path) {
        read.push(dirname(path));
        return readText(path);
      },
    }));
    await openStore(2, { files });
    expect(read).toEqual([join(root, "s.train.0"), join(root, "s.train.0", "weights")]);
  });

  it("treats a record that does not parse as an absent checkpoint", async () => {
    const store = await openStore(1);
    await store.save(weights("a"), checkpoint());
    const folder = join(root, "s.train.0", "weights");
    const [record = ""] = (await readdir(folder)).filter((name) => name.endsWith(".json"));
    const text = await readFile(join(folder, record), "utf8");
    const escaping = text.replace(/"file":"[^"]+"/, '"file":"../../../secret.safetensors"');
    await writeFile(join(folder, record), escaping);
    await expect(store.read(weights("a"))).rejects.toThrow("There is no checkpoint");
  });

  it("drops a checkpoint when it expires, and keeps one whose expiry was removed", async () => {
    const store = await openStore(1);
    await store.save(weights("rolling"), checkpoint({ ttlSeconds: 3600 }));
    await store.save(weights("kept"), checkpoint({ ttlSeconds: 3600 }));
    await store.change(weights("kept"), { ttlSeconds: null });
    await clock.advance(3600_000);
    expect(await store.find(weights("rolling"))).toBeNull();
    expect((await store.checkpointsOf("s:train:0")).map((record) => record.name)).toEqual(["kept"]);
    await store.save(weights("rolling"), checkpoint());
    expect(await store.find(weights("rolling"))).not.toBeNull();
  });

  it("publishes and deletes", async () => {
    const store = await openStore(1);
    await store.save(sampler("s"), checkpoint());
    await store.change(sampler("s"), { isPublic: true });
    expect((await store.find(sampler("s")))?.public).toBe(true);
    expect(await store.delete(sampler("s"))).toBe(true);
    expect(await store.delete(sampler("s"))).toBe(false);
  });

  it("lists all checkpoints with the newest first", async () => {
    const store = await openStore(1);
    await store.save(weights("old"), checkpoint());
    await clock.advance(1000);
    await store.save(sampler("new", "t:train:0"), checkpoint());
    expect((await store.allCheckpoints()).map((record) => record.name)).toEqual(["new", "old"]);
  });

  it("beyond its limit deletes samplers of finished runs, never its own nor weights", async () => {
    const past = await openStore(1);
    await past.save(weights("state", "past:train:0"), checkpoint());
    await past.save(sampler("older", "past:train:0"), checkpoint());
    await clock.advance(1000);
    await past.save(sampler("newer", "past:train:0"), checkpoint());
    const store = await openStore(2, { maxBytes: 8 });
    await store.save(sampler("own"), checkpoint());
    await store.save(weights("own"), checkpoint());
    const kept = (await store.allCheckpoints()).map((record) => `${record.run_id} ${record.name}`);
    expect(kept.toSorted()).toEqual([
      "past:train:0 newer",
      "past:train:0 state",
      "s:train:0 own",
      "s:train:0 own",
    ]);
  });

  it("keeps samplers within the limit however large the permanent weights are", async () => {
    const past = await openStore(1);
    await past.save(weights("state", "past:train:0"), checkpoint());
    await past.save(sampler("step", "past:train:0"), checkpoint({ bytes: bytes(1) }));
    const store = await openStore(2, { maxBytes: 2 });
    expect(await store.find(sampler("step", "past:train:0"))).not.toBeNull();
  });

  it("does not scan all runs at each save while its own samplers exceed the limit", async () => {
    let looks = 0;
    const files = filesWith(({ list }) => ({
      list(path) {
        if (path === root) looks += 1;
        return list(path);
      },
    }));
    const store = await openStore(1, { maxBytes: 10, files });
    for (const name of ["a", "b", "c", "d", "e", "f"])
      await store.save(sampler(name), checkpoint());
    expect(looks).toBe(2);
  });

  it("spares the runs of other live processes", async () => {
    const other = await openStore(1);
    await other.save(sampler("theirs", "other:train:0"), checkpoint());
    const store = await openStore(2, { maxBytes: 1, isProcessAlive: (pid) => pid === 1 });
    await store.save(weights("own"), checkpoint());
    expect(await store.find(sampler("theirs", "other:train:0"))).not.toBeNull();
  });
});

describe("checkpoint names", () => {
  const hostile = ["..", ".", "", "a/b", "a\\b", "a.b", "a b", "ä", "a\u0000", "n".repeat(256)];

  it.each(hostile)("reject %j, as name and as run", (part) => {
    expect(() => checkpointKey("s:train:0", "weights", part)).toThrow("is not a checkpoint");
    expect(() => checkpointKey(part, "weights", "name")).toThrow("is not a checkpoint");
    expect(() => checkpointKey(`${part}:train:0`, "weights", "name")).toThrow();
  });

  it("reject kinds other than the three", () => {
    expect(() => checkpointKey("s:train:0", "archives", "name")).toThrow();
  });
});

describe("a store with links or forged records in it", () => {
  const KEY = weights("last");
  const CHECKPOINT = checkpoint({ overwrite: true });
  let planted: PlantedHome;
  let root = "";

  beforeEach(async () => {
    planted = await PlantedHome.make();
    root = join(planted.root, "store", "runs");
  });
  afterEach(async () => {
    expect(await planted.isUntouched()).toBe(true);
    await planted.remove();
  });

  const open = (pid: number) =>
    openStore(pid, { root, files: planted.fileSystem, clock: systemClock });

  it.each([
    ["a run", "s.train.0", "home"],
    ["a folder of weights", "s.train.0/weights", "home/.ssh"],
  ])(
    "%s that is a link is refused before anything is cleaned up or saved",
    async (_what, entry, target) => {
      await (await open(1)).save(KEY, CHECKPOINT);
      await rename(join(root, entry), join(planted.root, "moved"));
      await symlink(join(planted.root, target), join(root, entry));
      const opening = async (): Promise<void> => {
        const store = await open(2);
        await store.save(KEY, CHECKPOINT);
      };
      await expect(opening()).rejects.toMatchObject({
        code: "folder-unsafe",
        data: { path: join(root, entry) },
      });
    },
  );

  it("a record that names another run, or a path, removes nothing there", async () => {
    await (await open(1)).save(KEY, CHECKPOINT);
    const other = { ...KEY, runId: "other:train:0" };
    await (await open(1)).save(other, CHECKPOINT);
    const record = await (await open(1)).find(KEY);
    const folder = join(root, "other.train.0", "weights");
    await mkdir(folder, { recursive: true });
    const expired = { ...record, expires_at: "2000-01-01T00:00:00.000Z" };
    await writeFile(join(folder, "forged.json"), JSON.stringify(expired));
    const name = "../../../../home/x";
    await writeFile(join(folder, "path.json"), JSON.stringify({ ...expired, name }));
    const store = await open(2);
    expect(await store.find(KEY)).not.toBeNull();
    expect((await store.read(KEY)).bytes).toEqual(CHECKPOINT.bytes);
    expect(await store.find(other)).not.toBeNull();
  });
});

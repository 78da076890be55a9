import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  type CheckpointStore,
  openCheckpointStore,
} from "../../src/local/engine/service/checkpoints/checkpointStore.ts";
import { systemClock } from "../../src/node/clock.ts";
import { systemRandom } from "../../src/node/random.ts";
import { PlantedHome } from "../fakes/plantedHome.ts";
import { silentLog } from "../fakes/silentLog.ts";

const KEY = { runId: "s:train:0", kind: "weights", name: "last" } as const;
const LORA = { rank: 8, train_attn: true, train_mlp: true, train_unembed: false };
const CHECKPOINT = {
  bytes: Uint8Array.of(1, 2, 3),
  baseModel: "local/fake",
  lora: LORA,
  ttlSeconds: null,
  runMetadata: null,
  userMetadata: null,
  overwrite: true,
};
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

function open(pid: number): Promise<CheckpointStore> {
  return openCheckpointStore({
    root,
    files: planted.fileSystem,
    uuid: () => systemRandom.uuid(),
    clock: systemClock,
    log: silentLog,
    pid,
    isProcessAlive: () => false,
  });
}

it.each([
  ["a run", "s.train.0", "home"],
  ["a folder of weights", "s.train.0/weights", "home/.ssh"],
])(
  "%s that is a link is refused before anything is tidied away or saved",
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

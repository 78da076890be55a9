import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeCheckpointStore } from "../../src/node/checkpointStore.ts";
import { folderOfEachTest } from "../fakes/onDisk.ts";

const folder = folderOfEachTest();
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the folder of embedded checkpoints", () => {
  it("is created at the path in the variable", async () => {
    const store = join(folder, "data", "store");
    vi.stubEnv("TINKER_RL_STORE", store);
    await makeCheckpointStore();
    await makeCheckpointStore();
    expect((await stat(store)).isDirectory()).toBe(true);
  });

  it("that cannot be created causes an error with the variable for another one", async () => {
    await writeFile(join(folder, "data"), "");
    vi.stubEnv("TINKER_RL_STORE", join(folder, "data", "store"));
    await expect(makeCheckpointStore()).rejects.toMatchObject({
      code: "disk",
      message: expect.stringMatching(/^Cannot write .*set TINKER_RL_STORE/),
    });
  });

  it("that cannot hold the folder of runs causes such an error, too", async () => {
    await writeFile(join(folder, "runs"), "");
    vi.stubEnv("TINKER_RL_STORE", folder);
    await expect(makeCheckpointStore()).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot write .*set TINKER_RL_STORE/),
    });
  });

  // Root can write anywhere, and Windows has no such permissions.
  const cannotLosePermission = process.platform === "win32" || process.getuid?.() === 0;
  it.skipIf(cannotLosePermission)(
    "that is there and cannot be written is one as well",
    async () => {
      await mkdir(join(folder, "runs"), { mode: 0o555 });
      vi.stubEnv("TINKER_RL_STORE", folder);
      await expect(makeCheckpointStore()).rejects.toMatchObject({
        message: expect.stringMatching(/EACCES.*set TINKER_RL_STORE/),
      });
    },
  );
});

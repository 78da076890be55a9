import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeCheckpointStore } from "../../src/node/checkpointStore.ts";
import { folderOfEachTest } from "../fakes/onDisk.ts";

const folder = folderOfEachTest();
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the folder of embedded checkpoints", () => {
  it("is made where the variable says", async () => {
    const store = join(folder, "data", "store");
    vi.stubEnv("TINKER_RL_STORE", store);
    await makeCheckpointStore();
    await makeCheckpointStore();
    expect((await stat(store)).isDirectory()).toBe(true);
  });

  it("that cannot be made is an error with the variable for another one", async () => {
    await writeFile(join(folder, "data"), "");
    vi.stubEnv("TINKER_RL_STORE", join(folder, "data", "store"));
    await expect(makeCheckpointStore()).rejects.toMatchObject({
      code: "disk",
      message: expect.stringMatching(/^Cannot write .*set TINKER_RL_STORE/),
    });
  });
});

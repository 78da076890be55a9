import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesOnDisk, folderOfEachTest } from "../fakes/onDisk.ts";
import { startedRun } from "../fakes/startedRun.ts";

const folder = folderOfEachTest();
const fileSystem = filesOnDisk();

const start = (parent: string) => startedRun(fileSystem, parent);

describe("a `log_path` in which no folder can be created is rejected with the name of the key", () => {
  it.runIf(process.platform === "linux").each(["/proc/tinker-rl", "/proc/tinker-rl/runs"])(
    "%s, where mkdir reports that the existing parent is missing",
    async (parent) => {
      await expect(start(parent)).rejects.toMatchObject({
        code: "disk",
        configPath: "log_path",
        message: `No run can be created in ${parent}. Cannot write ${parent}: /proc does not accept folders. Check the path and the disk. Set \`log_path\` to a writable folder.`,
      });
    },
  );

  it("below a file", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(start(join(folder, "file", "runs"))).rejects.toMatchObject({
      code: "disk",
      configPath: "log_path",
      message: expect.stringMatching(/No run can be created in .*file.*`log_path`/s),
    });
  });

  it("while a folder several levels deep is created", async () => {
    const lease = await start(join(folder, "a", "b", "c"));
    expect(lease.folder).toBe(join(folder, "a", "b", "c", "demo"));
  });
});

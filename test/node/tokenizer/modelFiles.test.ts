import { execFileSync } from "node:child_process";
import { cpSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readModelFiles } from "../../../src/node/tokenizer/modelFiles.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const REFUSED = { code: "tokenizer-unsupported" };
const folder = folderOfEachTest();

beforeEach(() => {
  cpSync("test/fixtures/tiny-bytes", folder, { recursive: true });
});

describe("the files of a tokenizer", () => {
  it("may be links to regular files, as in the caches of other programs", async () => {
    const name = join(folder, "tokenizer.json");
    cpSync(name, join(folder, "blob"));
    rmSync(name);
    symlinkSync(realpathSync(join(folder, "blob")), name);
    expect((await readModelFiles(folder)).vocabulary.name).toBe("tokenizer.json");
  });

  it
    .runIf(process.platform !== "win32")
    .each(["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"])(
    "%s is refused as a device and as a pipe, which are never read",
    async (name) => {
      const path = join(folder, name);
      rmSync(path, { force: true });
      symlinkSync("/dev/zero", path);
      await expect(readModelFiles(folder)).rejects.toMatchObject(REFUSED);
      rmSync(path);
      execFileSync("mkfifo", [path]);
      await expect(readModelFiles(folder)).rejects.toMatchObject(REFUSED);
    },
  );

  it("are quoted in no message, because a link may lead to a file with a secret", async () => {
    const path = join(folder, "tokenizer.json");
    writeFileSync(join(folder, "secret"), "hunter2");
    rmSync(path);
    symlinkSync(join(folder, "secret"), path);
    const refused = readModelFiles(folder);
    await expect(refused).rejects.toThrow("cannot be used: it is not valid JSON.");
    await expect(refused).rejects.not.toHaveProperty("cause", expect.anything());
  });

  it("are rejected if they exceed the maximum size for their kind", async () => {
    writeFileSync(join(folder, "chat_template.jinja"), "");
    truncateSync(join(folder, "chat_template.jinja"), 2 ** 33);
    await expect(readModelFiles(folder)).rejects.toMatchObject(REFUSED);
  });
});

import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FolderFiles } from "../../src/core/ports.ts";
import { type ClosableFileSystem, createFileSystem } from "../../src/node/fileSystem.ts";
import { inPlaceFiles } from "../../src/node/inPlaceFiles.ts";
import { folderOfEachTest } from "../fakes/onDisk.ts";

const root = folderOfEachTest();
const folder = join(root, "run");
const outside = join(root, "home");
let fileSystem: ClosableFileSystem;
let files: FolderFiles;

beforeEach(async () => {
  await mkdir(join(folder, "rollouts"), { recursive: true });
  await mkdir(join(outside, "inner"), { recursive: true });
  await writeFile(join(outside, "profile"), "one line, not ended");
  await writeFile(join(outside, "inner", "kept"), "kept");
  await writeFile(join(folder, "plain"), "plain\n");
  fileSystem = createFileSystem();
  files = fileSystem.within(folder);
});
afterEach(async () => {
  await fileSystem.close();
});

function inPlace(path: string): FolderFiles {
  const linked = join(root, "linked-run");
  return inPlaceFiles(path.startsWith(linked) ? linked : folder);
}

type Use = (path: string, files: FolderFiles) => Promise<unknown>;
const ON_FILES: Readonly<Record<string, Use>> = {
  readText: (path, on) => on.readText(path),
  readBytes: (path, on) => on.readBytes(path),
  readRange: (path, on) => on.readRange(path, 0, 1),
  "readRange in place": (path) => inPlace(path).readRange(path, 0, 1),
  append: (path, on) => on.append(path, "x\n"),
  writeAtomic: (path, on) => on.writeAtomic(path, "x\n"),
  truncate: (path, on) => on.truncate(path, 0),
};
const ON_ANYTHING: Readonly<Record<string, Use>> = {
  ...ON_FILES,
  makeDirectory: (path, on) => on.makeDirectory(path),
  claimDirectory: (path, on) => on.claimDirectory(path),
  list: (path, on) => on.list(path),
  size: (path, on) => on.size(path),
  "size in place": (path) => inPlace(path).size(path),
  "rename from": (path, on) => on.rename(path, join(folder, "elsewhere")),
  "rename to": (path, on) => on.rename(join(folder, "plain"), path),
  remove: (path, on) => on.remove(path),
};

describe.each(Object.entries(ON_ANYTHING))("%s", (_name, use) => {
  async function refused(path: string, on = files): Promise<void> {
    await expect(use(path, on)).rejects.toMatchObject({ code: "folder-unsafe" });
    expect(await readFile(join(outside, "profile"), "utf8")).toBe("one line, not ended");
    expect(await readFile(join(outside, "inner", "kept"), "utf8")).toBe("kept");
    expect(await fileSystem.list(outside)).toEqual(["inner", "profile"]);
  }

  test("refuses a link to a file", async () => {
    await symlink(join(outside, "profile"), join(folder, "linked"));
    await refused(join(folder, "linked"));
  });
  test("refuses a dangling link, whose target a write would create", async () => {
    await symlink(join(outside, "new"), join(folder, "linked"));
    await refused(join(folder, "linked"));
  });
  test("refuses paths through a link to a folder", async () => {
    await symlink(join(outside, "inner"), join(folder, "linked"));
    await refused(join(folder, "linked", "kept"));
    await refused(join(folder, "linked", "deeper", "new"));
  });
  test("refuses names that lead outside", async () => {
    await refused(`${folder}/../home/profile`);
    await refused(`${folder}/rollouts/../../home/new`);
    await refused(join(outside, "profile"));
    await refused(`${folder}-beside/new`);
  });
  test("refuses a folder that is a link itself", async () => {
    await symlink(outside, join(root, "linked-run"));
    await refused(join(root, "linked-run", "profile"), fileSystem.within(join(root, "linked-run")));
  });
});

test("a link that something else opened unguarded stays refused", async () => {
  const path = join(folder, "linked");
  await symlink(join(outside, "inner", "kept"), path);
  await fileSystem.append(path, "!");
  await expect(files.append(path, "?")).rejects.toMatchObject({ code: "folder-unsafe" });
  expect(await readFile(join(outside, "inner", "kept"), "utf8")).toBe("kept!");
});

test.skipIf(process.platform === "win32").each(Object.entries(ON_FILES))(
  "%s refuses a pipe, and does not wait for a process at its other end",
  async (_name, use) => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    await expect(use(join(folder, "pipe"), files)).rejects.toMatchObject({
      code: "folder-unsafe",
    });
  },
);

test("a regular file is read as usual, and a missing file is named", async () => {
  const own = inPlaceFiles(folder);
  const [plain, missing] = [join(folder, "plain"), join(folder, "deep", "missing")];
  expect(Buffer.from(await own.readRange(plain, 2, 3)).toString()).toBe("ain");
  expect(await own.readRange(plain, 4, 9)).toHaveLength(2);
  expect([await own.size(plain), await own.size(missing)]).toEqual([6, null]);
  await expect(own.readRange(missing, 0, 1)).rejects.toMatchObject({ code: "file-not-found" });
});

test("the path to the folder may contain links, and the folder need not exist", async () => {
  await symlink(root, join(root, "bigDisk"));
  const elsewhere = join(root, "bigDisk", "run");
  expect(await fileSystem.within(elsewhere).readText(join(elsewhere, "plain"))).toBe("plain\n");
  const later = fileSystem.within(join(root, "later"));
  expect(await later.size(join(root, "later", "file"))).toBeNull();
  await later.requireSafe();
  await later.makeDirectory(join(root, "later", "deep"));
  expect(await later.append(join(root, "later", "deep", "file"), "a")).toBe(0);
});

test("a refusal names the folder, the entry and what to do", async () => {
  const path = join(folder, "events.jsonl");
  await symlink(join(outside, "profile"), path);
  await expect(files.append(path, "x")).rejects.toMatchObject({
    message: `${path} is a symbolic link, which ${folder} must not contain. Remove the link, or make a copy of the folder with the files themselves in it.`,
    data: { folder, path },
  });
});

test("a folder is checked completely, to its deepest entry", async () => {
  await files.requireSafe();
  const path = join(folder, "rollouts", "deep", "linked");
  await mkdir(join(folder, "rollouts", "deep"));
  await symlink(join(folder, "plain"), path);
  await expect(files.requireSafe()).rejects.toMatchObject({
    code: "folder-unsafe",
    data: { path },
  });
  await rm(path);
  await files.requireSafe();
});

test("a read is limited to the caller's size, even without a known size", async () => {
  const path = join(folder, "large");
  await writeFile(path, "x".repeat(100_000));
  expect(await fileSystem.readText(path, 100_000)).toHaveLength(100_000);
  await expect(fileSystem.readText(path, 99_999)).rejects.toMatchObject({ code: "file-too-large" });
  await expect(files.readBytes(path, 99_999)).rejects.toMatchObject({ code: "file-too-large" });
});

test.skipIf(process.platform === "win32")("a device does not fill the memory", async () => {
  const reading = fileSystem.readBytes("/dev/zero", 1_000_000);
  await expect(reading).rejects.toMatchObject({ code: "file-too-large" });
});

/** Swaps a folder for a link to another one and back, as fast as possible, until its thread is ended. */
const EXCHANGER = `
const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
const { inner, aside, outside } = require("node:worker_threads").workerData;
for (;;) {
  renameSync(inner, aside);
  symlinkSync(outside, inner);
  unlinkSync(inner);
  renameSync(aside, inner);
}`;

test.runIf(process.platform === "linux")(
  "a folder that is exchanged for a link between the look and the opening leads nowhere",
  async () => {
    await writeFile(join(folder, "rollouts", "file"), "inside");
    await writeFile(join(outside, "file"), "outside");
    const inner = join(folder, "rollouts");
    const workerData = { inner, aside: join(folder, "aside"), outside };
    const worker = new Worker(EXCHANGER, { eval: true, workerData });
    const path = join(inner, "file");
    const inThread = inPlaceFiles(folder);
    const read = new Map<string, number>();
    try {
      for (let round = 0; round < 3_000; round += 1) {
        for (const use of [
          () => files.readText(path),
          async () => Buffer.from(await inThread.readRange(path, 0, 7)).toString(),
          () => files.writeAtomic(join(inner, "new"), "x").then(() => "written"),
        ]) {
          const text = await use().catch(() => "refused");
          read.set(text, (read.get(text) ?? 0) + 1);
        }
      }
    } finally {
      await worker.terminate();
    }
    expect(read.get("outside")).toBeUndefined();
    expect(read.get("inside")).toBeGreaterThan(0);
    expect(read.get("refused")).toBeGreaterThan(0);
    const made = (await readdir(outside)).filter((name) => name.startsWith("new"));
    const contents = await Promise.all(made.map((name) => readFile(join(outside, name), "utf8")));
    expect(contents.join("")).toBe("");
  },
);

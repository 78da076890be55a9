import { lstat, open, rename, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { reading } from "../../src/node/fileSystem.ts";
import { filesOnDisk, folderOfAllTests } from "../fakes/onDisk.ts";

const fileSystem = filesOnDisk();
const folder = folderOfAllTests();

test("appends return their offsets, even when many are in progress", async () => {
  const path = join(folder, "appended");
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index} ä\n`);
  const offsets = await Promise.all(lines.map((line) => fileSystem.append(path, line)));
  for (const [index, line] of lines.entries()) {
    const bytes = await fileSystem.readRange(path, offsets[index] ?? -1, Buffer.byteLength(line));
    expect(Buffer.from(bytes).toString()).toBe(line);
  }
});

test("an append to a file that was replaced meanwhile can be refused before it is written", async () => {
  const path = join(folder, "replaced");
  const refuse = () => Promise.reject(new Error("not ours"));
  await fileSystem.append(path, "one");
  expect(await fileSystem.append(path, "two", refuse)).toBe(3);
  await rename(path, join(folder, "replaced-before"));
  await writeFile(path, "of another process");
  for (const text of ["three", "four"]) {
    await expect(fileSystem.append(path, text, refuse)).rejects.toThrow("not ours");
  }
  expect(await fileSystem.readText(path)).toBe("of another process");
});

test("more files than can stay open can be appended to in turn", async () => {
  const paths = Array.from({ length: 40 }, (_, index) => join(folder, `many-${index}`));
  for (const text of ["a", "b"]) {
    await Promise.all(paths.map((path) => fileSystem.append(path, text)));
  }
  for (const path of paths) expect(await fileSystem.readText(path)).toBe("ab");
});

test("an append after a rename, truncation, replacement or removal goes to the file at the path", async () => {
  const path = join(folder, "moved");
  await fileSystem.append(path, "one");
  await fileSystem.rename(path, join(folder, "moved-away"));
  expect(await fileSystem.append(path, "two")).toBe(0);
  await fileSystem.truncate(path, 1);
  expect(await fileSystem.append(path, "hree")).toBe(1);
  expect(await fileSystem.readText(path)).toBe("three");
  await fileSystem.writeAtomic(path, "four");
  expect(await fileSystem.append(path, "teen")).toBe(4);
  await fileSystem.remove(path);
  await fileSystem.remove(path);
  expect(await fileSystem.size(path)).toBeNull();
  expect(await fileSystem.readText(join(folder, "moved-away"))).toBe("one");
});

test("an atomic write replaces the file and leaves no other file", async () => {
  const room = join(folder, "atomic");
  await fileSystem.makeDirectory(room);
  await Promise.all(["1", "2", "3"].map((text) => fileSystem.writeAtomic(join(room, "f"), text)));
  await fileSystem.writeAtomic(join(room, "f"), Uint8Array.of(52));
  expect(await fileSystem.list(room)).toEqual(["f"]);
  expect(await fileSystem.readText(join(room, "f"))).toBe("4");
});

test.skipIf(process.platform === "win32")(
  "an atomic write through a link changes the private file behind it, and both stay what they are",
  async () => {
    const [path, link] = [join(folder, "private.yaml"), join(folder, "linked.yaml")];
    await writeFile(path, "old", { mode: 0o600 });
    await symlink("private.yaml", link);
    await fileSystem.writeAtomic(link, "new");
    expect(await fileSystem.readText(path)).toBe("new");
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const broken = join(folder, "broken.yaml");
    await symlink("nothing.yaml", broken);
    await fileSystem.writeAtomic(broken, "its own");
    expect(await fileSystem.readText(broken)).toBe("its own");
  },
);

test("an atomic write succeeds if the system cannot flush a folder", async () => {
  const path = join(folder, "unflushed.json");
  const handle = await open(folder);
  await handle.close();
  const prototype = Object.getPrototypeOf(handle);
  const { sync } = prototype;
  const flush = vi.spyOn(prototype, "sync");
  try {
    // The folder is flushed after the file.
    const refusal = Object.assign(new Error("fsync"), { code: "EINVAL" });
    flush.mockImplementationOnce(sync).mockRejectedValueOnce(refusal);
    await fileSystem.writeAtomic(path, "first");
    expect(await fileSystem.readText(path)).toBe("first");
    flush.mockImplementationOnce(sync).mockRejectedValueOnce(new Error("input/output error"));
    await expect(fileSystem.writeAtomic(path, "second")).rejects.toMatchObject({ code: "disk" });
  } finally {
    flush.mockRestore();
  }
});

test("a folder can be claimed once, and its parents are created", async () => {
  const path = join(folder, "runs", "first");
  await fileSystem.claimDirectory(path);
  await expect(fileSystem.claimDirectory(path)).rejects.toMatchObject({
    code: "exists",
    data: { path },
  });
});

test("folders can be created concurrently", async () => {
  for (let round = 0; round < 20; round += 1) {
    const path = join(folder, String(round), "above", "own");
    await Promise.all(Array.from({ length: 16 }, () => fileSystem.makeDirectory(path)));
  }
});

test("a missing path has no size, no names, and no text", async () => {
  const path = join(folder, "missing");
  expect(await fileSystem.size(path)).toBeNull();
  expect(await fileSystem.list(path)).toEqual([]);
  await expect(fileSystem.readText(path)).rejects.toMatchObject({
    code: "file-not-found",
    data: { path },
  });
});

test("a read beyond the end is short", async () => {
  const path = join(folder, "short");
  await fileSystem.append(path, "abc");
  expect(await fileSystem.readRange(path, 2, 10)).toEqual(Uint8Array.of(99));
});

test("reading a folder as a file fails", async () => {
  await expect(fileSystem.readText(folder)).rejects.toMatchObject({
    code: "file-unreadable",
    message: expect.stringContaining("it is a folder"),
  });
});

// Windows reports this as a missing path.
test.skipIf(process.platform === "win32")("a file in place of a folder is named", async () => {
  const file = join(folder, "notes.txt");
  await writeFile(file, "");
  await expect(fileSystem.readText(join(file, "runs", "run.json"))).rejects.toMatchObject({
    code: "file-unreadable",
    message: `Cannot read ${join(file, "runs", "run.json")}, because ${file} is a file, not a folder. Check the path.`,
  });
  await expect(fileSystem.list(file)).rejects.toMatchObject({
    message: `Cannot read ${file}, because it is a file, not a folder. Check the path.`,
  });
});

test.runIf(process.platform === "linux")("a full disk is reported, with what to do", async () => {
  const path = join(folder, "full");
  await symlink("/dev/full", path);
  await expect(fileSystem.append(path, "data")).rejects.toMatchObject({
    code: "disk",
    message: expect.stringContaining("free some space"),
    data: { path, reason: "ENOSPC" },
  });
});

test("too many open files are reported, with what to do", async () => {
  const fault = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
  await expect(reading("/a", () => Promise.reject(fault))).rejects.toMatchObject({
    code: "file-unreadable",
    message:
      "Cannot read /a: EMFILE: too many open files. Too many files are open: raise the limit with `ulimit -n`, or run fewer programs.",
  });
});

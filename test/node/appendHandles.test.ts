import * as fs from "node:fs/promises";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { filesOnDisk, folderOfEachTest } from "../fakes/onDisk.ts";

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof fs>();
  return { ...real, lstat: vi.fn(real.lstat) };
});

const LINES = 20;

const root = folderOfEachTest();

const fileSystem = filesOnDisk();

beforeEach(async () => {
  await mkdir(join(root, "run", "rollouts", "step-000001"), { recursive: true });
});

test("an open file is checked once per append", async () => {
  const files = fileSystem.within(join(root, "run"));
  const path = join(root, "run", "rollouts", "step-000001", "rollouts.jsonl");
  await files.append(path, "line\n");
  vi.mocked(fs.lstat).mockClear();
  for (let i = 1; i <= LINES; i++) expect(await files.append(path, "line\n")).toBe(5 * i);
  expect(vi.mocked(fs.lstat).mock.calls.length).toBeLessThanOrEqual(LINES);
});

test("a file or a folder that was replaced by a link is refused", async () => {
  const files = fileSystem.within(join(root, "run"));
  const folder = join(root, "run", "rollouts", "step-000001");
  const path = join(folder, "rollouts.jsonl");
  await mkdir(join(root, "outside"));
  await writeFile(join(root, "outside", "rollouts.jsonl"), "other\n");
  await files.append(path, "line\n");
  await rename(path, `${path}.moved`);
  await symlink(join(root, "outside", "rollouts.jsonl"), path);
  await expect(files.append(path, "?")).rejects.toMatchObject({ code: "folder-unsafe" });
  await rm(path);
  await files.append(path, "line\n");
  await rename(folder, `${folder}-moved`);
  await symlink(join(root, "outside"), folder);
  await expect(files.append(path, "?")).rejects.toMatchObject({ code: "folder-unsafe" });
  expect(await readFile(join(root, "outside", "rollouts.jsonl"), "utf8")).toBe("other\n");
});

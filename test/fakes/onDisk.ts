/** Folders and files on the real disk, for tests. */

import { randomBytes } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from "vitest";
import { type ClosableFileSystem, createFileSystem } from "../../src/node/fileSystem.ts";

/** A folder that exists and is empty at the start of each test in the calling file or `describe`. */
export function folderOfEachTest(): string {
  const folder = newPath();
  beforeEach(async () => {
    // The previous test's work may still have written something.
    await remove(folder);
    mkdirSync(folder, { mode: 0o700 });
  });
  afterEach(() => remove(folder));
  return folder;
}

/** A folder shared by all tests of the calling file or `describe`. */
export function folderOfAllTests(): string {
  const folder = newPath();
  beforeAll(() => mkdirSync(folder, { mode: 0o700 }));
  afterAll(() => remove(folder));
  return folder;
}

/** A folder for the calling test. */
export function folderOfThisTest(): string {
  const folder = newPath();
  mkdirSync(folder, { mode: 0o700 });
  onTestFinished(() => remove(folder));
  return folder;
}

/** Files kept open for appending are closed after each test, and again at the end, because sessions may still write. */
export function filesOnDisk(): ClosableFileSystem {
  const fileSystem = createFileSystem();
  afterEach(() => fileSystem.close());
  afterAll(() => fileSystem.close());
  return fileSystem;
}

/** Short enough for a socket path below it. */
function newPath(): string {
  return join(realpathSync(tmpdir()), `tinker-rl-test-${randomBytes(4).toString("hex")}`);
}

/** Retries, because work started by the test may still write. */
function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

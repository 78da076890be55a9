/** Folders and files on the real disk, for tests. */

import { randomBytes } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from "vitest";
import { type ClosableFileSystem, createFileSystem } from "../../src/node/fileSystem.ts";

/** A folder that is there, and empty, in each test of the file or of the `describe` that calls this. */
export function folderOfEachTest(): string {
  const folder = newPath();
  beforeEach(async () => {
    // What the test before has started may have written once more.
    await remove(folder);
    mkdirSync(folder, { mode: 0o700 });
  });
  afterEach(() => remove(folder));
  return folder;
}

/** A folder that all tests of the file, or of the `describe` that calls this, share. */
export function folderOfAllTests(): string {
  const folder = newPath();
  beforeAll(() => mkdirSync(folder, { mode: 0o700 }));
  afterAll(() => remove(folder));
  return folder;
}

/** A folder of the test that calls this. */
export function folderOfThisTest(): string {
  const folder = newPath();
  mkdirSync(folder, { mode: 0o700 });
  onTestFinished(() => remove(folder));
  return folder;
}

/** What it keeps open for appending is closed after each test, and at the end what a session still wrote after its own. */
export function filesOnDisk(): ClosableFileSystem {
  const fileSystem = createFileSystem();
  afterEach(() => fileSystem.close());
  afterAll(() => fileSystem.close());
  return fileSystem;
}

/** Short, for a socket in it. */
function newPath(): string {
  return join(realpathSync(tmpdir()), `tinker-rl-test-${randomBytes(4).toString("hex")}`);
}

/** Retries: what a test has started may still write. */
function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

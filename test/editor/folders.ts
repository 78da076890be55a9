/** The folders that tests open: never those of the repository, because a run or an editor may write to them. */

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** An empty folder with this name, which the window shows. */
export function newFolder(): string {
  const folder = join(mkdtempSync(join(tmpdir(), "workbench-")), "project");
  mkdirSync(folder);
  return folder;
}

/** Deletes a folder from {@link newFolder}; retries while ending processes still write to it. */
export function deleteFolder(folder: string): void {
  rmSync(dirname(folder), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** The local example, without runs that someone made in it. */
export function copyExample(folder: string): void {
  cpSync("examples/local", folder, {
    recursive: true,
    filter: (path) => !path.includes(".tinker-rl"),
  });
}

/** Writes files into a folder, keyed by name. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

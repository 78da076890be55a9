/** Finds configurations below a folder, without following links. */

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FolderFiles } from "../../core/ports.ts";
import { CONFIG_NAMES, hasModeline, isConfigName } from "../../shared/configNames.ts";

/** Maximum number of folders searched. */
const MAX_FOLDERS = 3_000;
const MAX_DEPTH = 6;
/** Maximum number of other YAML files whose first lines are checked for the modeline. */
const MAX_OTHERS = 300;
const FIRST_LINES_BYTES = 1_024;
const PASSED_OVER = /^(?:\.|node_modules$|__pycache__$|venv$|dist$|build$|target$)/;

/** Absolute paths, closest to `root` first; `files` is confined to `root`. */
export async function findConfigs(root: string, files: FolderFiles): Promise<readonly string[]> {
  const configs: string[] = [];
  const others: string[] = [];
  for await (const { folder, entries } of foldersIn(root)) {
    // `isFile` is false for links.
    for (const { name } of entries.filter((entry) => entry.isFile())) {
      const path = join(folder, name);
      if (isConfigName(name, CONFIG_NAMES)) configs.push(path);
      else if (/\.ya?ml$/i.test(name) && others.length < MAX_OTHERS) others.push(path);
    }
  }
  for (const path of others) {
    if (hasModeline(await firstLines(path, files))) configs.push(path);
  }
  return configs;
}

async function* foldersIn(root: string) {
  const waiting = [{ folder: root, depth: 0 }];
  for (let looked = 0; looked < MAX_FOLDERS; looked += 1) {
    const next = waiting.shift();
    if (next === undefined) return;
    const { folder, depth } = next;
    const found: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const entries = found.sort((a, b) => (a.name < b.name ? -1 : 1));
    yield { folder, entries };
    if (depth === MAX_DEPTH) continue;
    const below = entries.filter((each) => each.isDirectory() && !PASSED_OVER.test(each.name));
    waiting.push(...below.map(({ name }) => ({ folder: join(folder, name), depth: depth + 1 })));
  }
}

async function firstLines(path: string, files: FolderFiles): Promise<readonly string[]> {
  const bytes = await files.readRange(path, 0, FIRST_LINES_BYTES).catch(() => new Uint8Array());
  return new TextDecoder().decode(bytes).split("\n");
}

/** A home folder that must stay unread and unchanged, and a snapshot of it. */

import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Part of every secret in the home folder, so that one search finds all of them. */
export const PLANTED = "PLANTED-9f27c1";

const FILES: Readonly<Record<string, string>> = {
  ".bashrc": `export OPENAI_API_KEY=sk-${PLANTED}-bashrc\nalias ll='ls -l'\n`,
  ".ssh/id_ed25519": `-----BEGIN OPENSSH PRIVATE KEY-----\n${PLANTED}-ssh\n`,
  ".netrc": `machine api.example.test login me password ${PLANTED}-netrc\n`,
  ".env": `TINKER_API_KEY=tml-${PLANTED}-env\nWANDB_API_KEY=${PLANTED}-wandb\n`,
  "one-line": `${PLANTED}-without a line feed at the end`,
  "rows.jsonl": `{"step":0,"secret":"${PLANTED}-rows"}\n{"step":1,"loss":2}\n`,
  "project/tinker-config.yaml": `model_name: local/tiny-tool\nsecrets: {TOKEN: ${PLANTED}-config}\n`,
};

/** Long enough ago that a write shows in a file's modification time. */
const WRITTEN_S = 1_600_000_000;

export function plantHome(home: string): void {
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    utimesSync(path, WRITTEN_S, WRITTEN_S);
  }
  symlinkSync(".bashrc", join(home, ".profile"));
  mkdirSync(join(home, "empty"));
}

/** Paths that hostile files point to. */
export function plantedPaths(home: string): readonly string[] {
  return [...Object.keys(FILES), "empty", "new-file"].map((name) => join(home, name));
}

/** A line per entry: its kind, size, modification time and content. */
export function snapshot(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return names.map((name) => {
    const path = join(folder, name);
    const info = lstatSync(path);
    if (info.isSymbolicLink()) return `${name} -> ${readlinkSync(path)}`;
    // A folder's own time changes when an entry is added or removed.
    if (!info.isFile()) return `${name}/ ${info.mtimeMs}`;
    const digest = createHash("sha256").update(readFileSync(path)).digest("hex");
    return `${name} ${info.size} ${info.mtimeMs} ${digest}`;
  });
}

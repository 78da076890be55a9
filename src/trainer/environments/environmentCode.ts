/** Records which code a run's own environments have in its events, and warns if a resume finds other code. */

import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, extname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import type { CodeRequest, EnvironmentCode } from "../../api/environments.ts";
import {
  type CommandServer,
  environmentServer,
  environmentsOn,
} from "../../core/config/fields/environmentServers.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import type { FileSystem } from "../../core/ports.ts";
import { dataOfEvents } from "../../core/runFolder/events.ts";
import type { RunReporting, RunStorage } from "../../core/training/run/context.ts";
import { report } from "../../core/training/run/report.ts";
import { sha256 } from "../../node/hash.ts";
import { startConfig } from "../../node/startConfig.ts";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { loadStart } from "../config/configFiles.ts";
import { bridgePython } from "../services/bridgePython.ts";

const KIND = "environment-code";
/** Extensions of files that make up a server, including tasks; not of what it writes while running. */
const CODE = new Set(
  ".py .pyi .toml .cfg .ini .json .jsonl .csv .parquet .txt .md .sh .js .mjs .ts".split(" "),
);
const IGNORED = /^(\..*|__pycache__|node_modules|venv|env|.*\.egg-info)$/;
/** A folder with one of these files is a run or a sweep. */
const RESULTS = /^((run|sweep)\.json|metrics\.jsonl)$/;
const MAX_FILES = 2_000;
const MAX_BYTES = 256 * 1024 * 1024;
/** Options for programs that are queried; no window on Windows. */
const ASK = { timeout: 5_000, windowsHide: true };

const noteSchema = z.object({
  environment: z.string(),
  commit: z.string().nullable(),
  digest: z.string(),
  /** Name and version of the library that a bridge serves. */
  library: z.string().optional(),
});
type Note = z.infer<typeof noteSchema>;

interface NoteContext {
  readonly config: Config;
  readonly storage: Pick<RunStorage, "fileSystem" | "folder">;
  readonly reporting: Pick<RunReporting, "events" | "redactor" | "watch">;
}

/** Call once per attempt. @throws AppError `disk` */
export async function noteEnvironmentCode(
  configPath: string,
  { config, storage, reporting }: NoteContext,
  step: number,
): Promise<void> {
  const names = environmentsOn(config, "command");
  if (names.length === 0) return;
  const notes = await dataOfEvents(storage, KIND, noteSchema);
  const before = new Map(notes.map((note) => [note.environment, note]));
  for (const environment of names) {
    const server = environmentServer(config, environment);
    if (server.kind !== "command") continue;
    const { place, ...code } = await codeOf(server, configPath);
    const now = { environment, ...code };
    const { digest } = now;
    const message = `The code of ${environment} is ${describe(now)}.`;
    const data = withoutUndefined({ ...now, ...place });
    await reporting.events.record({ step, level: "info", kind: KIND, message, data });
    const known = before.get(environment);
    if (known === undefined || known.digest === digest) continue;
    await report(reporting, {
      step,
      level: "warn",
      kind: "environment-code-changed",
      message: `The code of ${environment} has changed since the run was started: it was ${describe(known)} and is now ${describe(now)}. Rewards before and after step ${step} may not be comparable.`,
      data: { environment },
    });
  }
}

type Code = Omit<Note, "environment"> & {
  readonly place: { readonly folder?: string; readonly files?: number };
};

async function codeOf(server: CommandServer, configPath: string): Promise<Code> {
  const from = dirname(configPath);
  if (server.bridge !== null) {
    const library = await libraryOf(server.bridge, bridgePython(server.python, from));
    return { commit: null, digest: sha256(library), library, place: {} };
  }
  const folder = await codeFolder(server, from);
  const [commit, { digest, files }] = await Promise.all([
    commitOf(folder),
    digestOf(folder, configPath),
  ]);
  return { commit, digest, place: { folder: relative(from, folder), files } };
}

/** Packages whose name differs from the bridge's. */
const PACKAGES: Readonly<Record<string, string>> = { openenv: "openenv-core" };
const VERSION = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))";

/** The bridge's library with its version, or "unknown" if Python does not report it. */
async function libraryOf(bridge: string, python: string): Promise<string> {
  const name = PACKAGES[bridge] ?? bridge;
  try {
    const asked = ["-c", VERSION, name];
    const { stdout } = await promisify(execFile)(python, asked, ASK);
    return `${name} ${stdout.trim()}`;
  } catch {
    return `${name} of an unknown version`;
  }
}

/** The code of an environment that has a `server.command`; null for others. @throws AppError `config-invalid`, `config-not-found` */
export async function environmentCode(
  fileSystem: FileSystem,
  { configPath, overrides, environment }: CodeRequest,
): Promise<EnvironmentCode | null> {
  const { config, path } = loadStart(await startConfig(fileSystem, { configPath, overrides }));
  const server = environmentServer(config, environment);
  if (server.kind !== "command") return null;
  const folder = await codeFolder(server, dirname(path));
  return { folder, digest: (await codeOf(server, path)).digest };
}

/** The folder of the first argument that is a file, or else the command's working directory. */
export async function codeFolder({ command, cwd }: CommandServer, from: string): Promise<string> {
  const start = cwd === null ? from : resolve(from, cwd);
  for (const part of command.slice(1)) {
    const path = resolve(start, part);
    const isFile = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (isFile) return dirname(path);
  }
  return start;
}

/** The checked-out commit; null outside of a repository. */
async function commitOf(folder: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["-C", folder, "rev-parse", "HEAD"], ASK);
    return /^[0-9a-f]{40,64}$/.test(stdout.trim()) ? stdout.trim() : null;
  } catch {
    return null;
  }
}

/** SHA-256 over names and contents of the first {@link MAX_FILES} files below a folder, sorted by name. */
async function digestOf(
  folder: string,
  configPath: string,
): Promise<{ digest: string; files: number }> {
  const lines: string[] = [];
  let bytes = 0;
  for await (const path of codeBelow(folder, folder)) {
    if (path === configPath) continue;
    const line = [relative(folder, path)];
    try {
      const { size } = await stat(path);
      bytes += size;
      // Beyond the limit, only names and sizes are hashed.
      const content = bytes <= MAX_BYTES ? sha256(await readFile(path)) : "";
      line.push(String(size), content);
    } catch {
      // For unreadable files, only the name is hashed.
    }
    lines.push(line.join("\0"));
    if (lines.length === MAX_FILES) break;
  }
  return { digest: sha256(lines.join("\n")), files: lines.length };
}

/** Yields an unreadable folder itself. Does not follow links. */
async function* codeBelow(folder: string, root: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null);
  if (entries === null) yield folder;
  else if (folder === root || !entries.some(({ name }) => RESULTS.test(name))) {
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (IGNORED.test(entry.name)) continue;
      if (entry.isDirectory()) yield* codeBelow(path, root);
      else if (entry.isFile() && CODE.has(extname(entry.name).toLowerCase())) yield path;
    }
  }
}

function describe({
  commit,
  digest,
  library,
}: Pick<Note, "commit" | "digest" | "library">): string {
  if (library !== undefined) return library;
  const version = `SHA-256 ${digest.slice(0, 12)}`;
  return commit === null ? version : `${version}, git ${commit.slice(0, 12)}`;
}

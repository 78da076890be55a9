/** The runs and configurations below one folder, for an assistant; nothing outside is listed or read. */

import { dirname, join, relative } from "node:path";
import { parseConfig } from "../../core/config/parse.ts";
import { writtenSecrets } from "../../core/config/secretValues.ts";
import type { Clock, FileSystem, FolderFiles } from "../../core/ports.ts";
import { readOnlyFiles } from "../../core/readOnlyFiles.ts";
import { MAX_BYTES, readIfReadable } from "../../core/runFolder/files/wholeFiles.ts";
import { type ListedRun, listRuns, type ProgressCache } from "../../core/runs/runList.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { SERVICES } from "../../core/services.ts";
import { isWithin } from "../../node/confinement.ts";
import { isProcessAlive } from "../../node/processes.ts";
import { realFolder } from "../../node/realFolder.ts";
import { runParent } from "../../node/runPaths.ts";
import type { ToolSources } from "../tools/runTools.ts";
import { findConfigs } from "./findConfigs.ts";
import { keysFor } from "./keysFor.ts";

export interface McpWorkspaceOptions {
  /** Real path. */
  readonly root: string;
  readonly fileSystem: FileSystem;
  readonly clock: Pick<Clock, "now">;
  readonly env: NodeJS.ProcessEnv;
  /** Learns keys from the environment and from the workspace's files. */
  readonly redactor: Redactor;
}

interface Found {
  /** Absolute. */
  readonly configs: readonly string[];
  /** Folders that contain runs. */
  readonly parents: readonly string[];
}

const SERVICE_KEYS = Object.values(SERVICES).map(({ variable }) => variable);

export class McpWorkspace implements ToolSources {
  readonly #options: McpWorkspaceOptions;
  readonly #progress: ProgressCache = new Map();
  readonly #files: FolderFiles;
  #finding: Promise<Found> | null = null;

  constructor(options: McpWorkspaceOptions) {
    this.#options = options;
    this.#files = options.fileSystem.within(options.root);
    // Bound, because tools pass them on as functions.
    this.nameOf = this.nameOf.bind(this);
    this.filesOf = this.filesOf.bind(this);
  }

  /** The files below the root; paths and links that lead outside are rejected. */
  get files(): FolderFiles {
    return this.#files;
  }

  async runs(): Promise<readonly ListedRun[]> {
    const { parents } = await this.#look();
    const liveness = { nowMs: this.now(), isProcessAlive };
    const lists = await Promise.all(
      parents.map((parent) =>
        // A configuration may name something that is not a readable folder.
        listRuns(this.#options.fileSystem, parent, liveness, this.#progress).catch(() => []),
      ),
    );
    return lists.flat().sort((a, b) => (b.startedAtMs ?? 0) - (a.startedAtMs ?? 0));
  }

  async configs(): Promise<readonly string[]> {
    return (await this.#look()).configs;
  }

  async readConfig(path: string) {
    return { text: await this.#files.readText(path, MAX_BYTES.config), overrides: [] };
  }

  nameOf(path: string): string {
    const { root } = this.#options;
    if (isWithin(path, root)) return relative(root, path).replaceAll("\\", "/");
    return path.split(/[/\\]/).slice(-2).join("/");
  }

  filesOf(folder: string): FolderFiles {
    return readOnlyFiles(this.#options.fileSystem.within(folder));
  }

  now(): number {
    return this.#options.clock.now();
  }

  /** Searches anew, because an assistant may have just written a file. Concurrent calls share one search. */
  #look(): Promise<Found> {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  async #find(): Promise<Found> {
    const { root, redactor, env } = this.#options;
    const configs = await findConfigs(root, this.#files);
    const parents = new Set([join(root, ".tinker-rl", "runs")]);
    for (const folder of new Set([root, ...configs.map((path) => dirname(path))])) {
      const keys = await keysFor(folder, env, SERVICE_KEYS);
      for (const { value } of Object.values(keys)) redactor.learn(value);
    }
    for (const path of configs) {
      parents.add(runParent({ log_path: null }, path));
      const text = (await readIfReadable(this.#files, path, MAX_BYTES.config)) ?? "";
      const parsed = parseConfig(text, { path });
      if (!parsed.ok) continue;
      for (const secret of writtenSecrets(parsed.config)) redactor.learn(secret);
      parents.add(runParent(parsed.config, path));
    }
    const inside = [];
    for (const parent of parents) {
      // A link along the path may lead outside.
      if (isWithin(await realFolder(parent), root)) inside.push(parent);
    }
    return { configs, parents: inside };
  }
}

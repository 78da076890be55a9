/** Facts about the data sources of open configurations. Reads them in the background, and again when their files change. */

import type { FSWatcher } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { SourceFacts, WrittenSource } from "../core/config/editing/diagnostics/dataSources.ts";
import type { Config } from "../core/config/fields/schema.ts";
import { runPaths } from "../core/runFolder/files/layout.ts";
import { Emitter } from "../core/util/emitter.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { sourceFacts } from "../trainer/examples/sourceFacts.ts";
import { tryWatch } from "./runs/tryWatch.ts";

interface KnownSource {
  facts: SourceFacts | null;
  /** State of the files when `facts` was read. */
  stamp: string;
  isReading: boolean;
  readAtMs: number;
}

/** How to read a source, and which files to check for changes. */
interface Reading {
  readonly paths: readonly string[];
  /** Minimum time between two reads. */
  readonly pauseMs: number;
  readonly read: () => Promise<SourceFacts>;
}

const MAX_KNOWN = 100;
const MAX_WATCHED = 20;
/** A run's files change with every step. */
const RUN_PAUSE_MS = 10_000;
/** A single file write triggers many change events. */
const SETTLE_MS = 200;

export class DataSources {
  readonly #onError: (error: unknown) => void;
  readonly #changed: Emitter<void>;
  /** Fires when a source's facts may have changed. */
  readonly onDidChange: Emitter<void>["event"];
  readonly #known = new Map<string, KnownSource>();
  readonly #files = new Set<string>();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #fileSystem = createFileSystem();
  #timer: NodeJS.Timeout | undefined;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
    this.#changed = new Emitter(onError);
    this.onDidChange = this.#changed.event;
  }

  /** What is known about a source so far; null until it has been read. Also checks in the background whether its files changed. */
  facts(configPath: string, config: Config, { index, source }: WrittenSource): SourceFacts | null {
    const place = resolve(dirname(configPath), source.path ?? source.run ?? "");
    const { model_name, tokenizer_name, chat_format, evaluation } = config;
    const isFile = source.path !== null;
    const rest = isFile
      ? []
      : [source, model_name, tokenizer_name, chat_format, evaluation?.splits];
    const known = this.#at(JSON.stringify([place, isFile, ...rest]));
    if (isFile) this.#watch(place);
    const { runFile, rolloutFolder, marks } = runPaths(place);
    const options = { fileSystem: this.#fileSystem, configPath, config, source, index };
    this.#look(known, {
      paths: isFile ? [place] : [runFile, rolloutFolder, marks],
      pauseMs: isFile ? 0 : RUN_PAUSE_MS,
      read: () => sourceFacts(options),
    }).catch(this.#onError);
    return known.facts;
  }

  /** Stops watching until the next query. */
  rest(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#files.clear();
    clearTimeout(this.#timer);
  }

  #at(key: string): KnownSource {
    const found = this.#known.get(key);
    if (found !== undefined) return found;
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    const known = { facts: null, stamp: "", isReading: false, readAtMs: 0 };
    this.#known.set(key, known);
    return known;
  }

  async #look(known: KnownSource, { paths, pauseMs, read }: Reading): Promise<void> {
    const isRecent = known.facts !== null && Date.now() - known.readAtMs < pauseMs;
    if (known.isReading || isRecent) return;
    known.isReading = true;
    try {
      const stamp = (await Promise.all(paths.map(stampOf))).join();
      if (known.facts !== null && stamp === known.stamp) return;
      const facts = await read();
      const hasChanged = JSON.stringify(facts) !== JSON.stringify(known.facts);
      Object.assign(known, { facts, stamp, readAtMs: Date.now() });
      if (hasChanged) this.#changed.fire();
    } finally {
      known.isReading = false;
    }
  }

  /** Watches the folder, because saving may replace the file. */
  #watch(path: string): void {
    this.#files.add(path);
    const folder = dirname(path);
    if (this.#watchers.has(folder) || this.#watchers.size >= MAX_WATCHED) return;
    // Without a watcher, the next edit of the configuration checks again.
    const watcher = tryWatch(folder, (_event, name) => {
      if (name !== null && this.#files.has(join(folder, name))) this.#changedSoon();
    });
    if (watcher !== null) this.#watchers.set(folder, watcher);
  }

  #changedSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#changed.fire(), SETTLE_MS);
  }
}

async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found === null ? "none" : `${found.size}:${found.mtimeMs}`;
}

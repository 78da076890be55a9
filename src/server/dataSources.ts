/** What the sources of data of open configurations hold: read beside the answers to the editor, and again when the files have changed. */

import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { SourceFacts, WrittenSource } from "../core/config/editing/diagnostics/dataSources.ts";
import type { Config } from "../core/config/fields/schema.ts";
import { runPaths } from "../core/runFolder/files/layout.ts";
import { Emitter } from "../core/util/emitter.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { sourceFacts } from "../trainer/examples/sourceFacts.ts";

interface KnownSource {
  facts: SourceFacts | null;
  /** State of the files that `facts` are about. */
  stamp: string;
  isReading: boolean;
  readAtMs: number;
}

/** How a source is read, and of which files the state says whether it has changed. */
interface Reading {
  readonly paths: readonly string[];
  /** Shortest time between two of them. */
  readonly pauseMs: number;
  readonly read: () => Promise<SourceFacts>;
}

const MAX_KNOWN = 100;
const MAX_WATCHED = 20;
/** The files of a run change with every step. */
const RUN_PAUSE_MS = 10_000;
/** A program that writes a file reports many changes. */
const SETTLE_MS = 200;

export class DataSources {
  readonly #onError: (error: unknown) => void;
  readonly #changed: Emitter<void>;
  readonly #known = new Map<string, KnownSource>();
  readonly #files = new Set<string>();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #fileSystem = createFileSystem();
  #timer: NodeJS.Timeout | undefined;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
    this.#changed = new Emitter(onError);
  }

  /** Called when a source may hold something else than was said. */
  get onDidChange(): Emitter<void>["event"] {
    return this.#changed.event;
  }

  /** What is known of a source by now; null until it was read. Looks whether its files have changed. */
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

  /** Stops watching, until it is asked again. */
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

  /** The folder, because saving a file may put another one in its place. */
  #watch(path: string): void {
    this.#files.add(path);
    const folder = dirname(path);
    if (this.#watchers.has(folder) || this.#watchers.size >= MAX_WATCHED) return;
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name !== null && this.#files.has(join(folder, name))) this.#changedSoon();
      }).on("error", () => undefined);
      this.#watchers.set(folder, watcher);
    } catch {
      // Where nothing can be watched, the next change of the configuration looks again.
    }
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

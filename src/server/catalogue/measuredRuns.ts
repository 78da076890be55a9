/** Measurements from the newest run of each open configuration, updated in the background as the run grows. */

import type { RunEntry } from "../../api/runs.ts";
import type { MeasuredRun } from "../../core/config/editing/display/measuredRun.ts";
import type { FileSystem } from "../../core/ports.ts";
import { measureRun } from "../../core/runs/measureRun.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { isOfConfig } from "../../node/runFolder.ts";
import { soon } from "../../node/soon.ts";
import { filesId } from "../../shared/runFile.ts";
import type { RunStore } from "../runs/runStore.ts";

export interface MeasuredRunsOptions {
  readonly store: Pick<RunStore, "runs" | "onDidChange">;
  readonly fileSystem: FileSystem;
  readonly onError: (error: unknown) => void;
}

interface Known {
  /** Changes whenever the run or its completed steps change. */
  readonly version: string;
  readonly folder: string;
  readonly run: MeasuredRun | null;
}

/** Minimum time between two reads, because runs report changes often. */
const SETTLE_MS = 1_000;

export class MeasuredRuns {
  readonly #options: MeasuredRunsOptions;
  readonly #changed: Emitter<void>;
  readonly onDidChange: Emitter<void>["event"];
  /** By path of a queried configuration; null until a run of it is found. */
  readonly #known = new Map<string, Known | null>();
  readonly #soon = soon(SETTLE_MS, () => void this.read().catch(this.#options.onError));

  constructor(options: MeasuredRunsOptions) {
    this.#options = options;
    this.#changed = new Emitter(options.onError);
    this.onDidChange = this.#changed.event;
    options.store.onDidChange(() => {
      if (this.#known.size > 0) this.#soon();
    });
  }

  /** What is known now, without disk access; null before the first read, and while no run has completed a step. */
  of(configPath: string): Pick<Known, "folder" | "run"> | null {
    const known = this.#known.get(configPath);
    if (known !== undefined) return known;
    this.#known.set(configPath, null);
    this.#soon();
    return null;
  }

  /** Reads the runs that have grown. */
  async read(): Promise<void> {
    const all = await Promise.all([...this.#known.keys()].map((path) => this.#readOne(path)));
    if (all.includes(true)) this.#changed.fire();
  }

  /** True if anything changed. */
  async #readOne(configPath: string): Promise<boolean> {
    const { store, fileSystem } = this.#options;
    const entry = store.runs.find(
      (run) => isOfConfig(run, configPath) && run.file?.evaluation === undefined && run.steps > 0,
    );
    const known = this.#known.get(configPath) ?? null;
    const version = entry === undefined ? null : versionOf(entry);
    if (version === (known?.version ?? null)) return false;
    if (entry === undefined || version === null) {
      this.#known.set(configPath, null);
      return true;
    }
    const { folder } = entry;
    const run = await measureRun(fileSystem.within(folder), entry).catch(() => null);
    this.#known.set(configPath, { version, folder, run });
    return true;
  }
}

function versionOf({ folder, name, isLive, steps, totalSteps, file }: RunEntry): string {
  return JSON.stringify([folder, name, isLive, steps, totalSteps, file && filesId(file)]);
}

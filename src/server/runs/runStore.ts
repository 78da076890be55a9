/** The runs known to this window: those on disk, with live status from their trainers. */

import type { RunEntry } from "../../api/runs.ts";
import { AppError } from "../../core/errors.ts";
import type { Clock, FileSystem } from "../../core/ports.ts";
import { isRunInUse } from "../../core/runFolder/runFile.ts";
import { readForeignRun } from "../../core/runs/foreignRun.ts";
import { type RunDigest, readDigest } from "../../core/runs/runDigest.ts";
import { type ListedRun, listRuns, type ProgressCache, readRun } from "../../core/runs/runList.ts";
import { shownNames } from "../../core/runs/shownNames.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { ControlClient } from "../../node/control/client.ts";
import { isProcessAlive } from "../../node/processes.ts";
import { runFolder } from "../../node/runFolder.ts";
import type { ControlCommand, RunStatus } from "../../shared/control.ts";

export interface RunStoreOptions {
  readonly fileSystem: FileSystem;
  readonly clock: Pick<Clock, "now" | "after">;
  /** The user's name for the run in a folder; null if it has its trainer's name. */
  readonly nameOf: (folder: string) => string | null;
  readonly onError: (error: unknown) => void;
}

interface Connection {
  /** Identifies the attempt, because each attempt has its own socket. */
  readonly address: string;
  readonly client: ControlClient;
}

/** Polling interval while an unattached trainer runs, because its death changes no file. */
const LOOK_AGAIN_MS = 5_000;

export class RunStore {
  readonly #options: RunStoreOptions;
  readonly #changed: Emitter<string | null>;
  /** Fires with the folder of the changed run, or null if the list changed. */
  readonly onDidChange: Emitter<string | null>["event"];
  readonly #connections = new Map<string, Connection>();
  readonly #connecting = new Map<string, Promise<Connection | null>>();
  readonly #progress: ProgressCache = new Map();
  readonly #digests = new Map<string, RunDigest>();
  #entries = new Map<string, RunEntry>();
  #parents: readonly string[] = [];
  #single: readonly string[] = [];
  #refreshing: Promise<void> | null = null;
  #readingBest = Promise.resolve();
  #isStale = false;
  #isClosed = false;
  #stopLooking: (() => void) | null = null;

  constructor(options: RunStoreOptions) {
    this.#options = options;
    this.#changed = new Emitter(options.onError);
    this.onDidChange = this.#changed.event;
  }

  /** The newest first. */
  get runs(): readonly RunEntry[] {
    return [...this.#entries.values()].sort((a, b) => (b.startedAtMs ?? 0) - (a.startedAtMs ?? 0));
  }

  get(folder: string): RunEntry | null {
    return this.#entries.get(runFolder(folder)) ?? null;
  }

  /** Run folders outside the window's own run folders. */
  get opened(): readonly string[] {
    return this.#single.map((folder) => runFolder(folder));
  }

  /** True while this store is connected to the trainer with this process id. */
  isAttached(pid: number): boolean {
    return [...this.#connections.keys()].some(
      (folder) => this.#entries.get(folder)?.file?.pid === pid,
    );
  }

  /** Sets where to look: folders that contain runs, and individual run folders. */
  async look(parents: readonly string[], single: readonly string[]): Promise<void> {
    this.#parents = parents;
    this.#single = single;
    await this.refresh();
  }

  /** Reads the list again. Calls during a read share one more read after it. */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#refreshing ??= this.#refreshUntilFresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** Sends a command to a live run, and resolves with what it will do. @throws AppError `run-not-reachable`, or the trainer's refusal */
  async send(folder: string, command: ControlCommand): Promise<string> {
    const connection = this.#connections.get(folder) ?? (await this.#connect(folder));
    if (connection === null) {
      throw new AppError("run-not-reachable", "No trainer is running this run.");
    }
    return (await connection.client.send(command)).message;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopLooking?.();
    for (const { client } of this.#connections.values()) client.close();
    this.#connections.clear();
  }

  async #refreshUntilFresh(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      await this.#readAll();
    }
  }

  async #readAll(): Promise<void> {
    const { fileSystem, nameOf, onError } = this.#options;
    const liveness = { nowMs: this.#options.clock.now(), isProcessAlive };
    const found = new Map<string, ListedRun>();
    for (const parent of this.#parents) {
      try {
        for (const run of await listRuns(fileSystem, parent, liveness, this.#progress)) {
          const folder = runFolder(run.folder);
          found.set(folder, { ...run, folder });
        }
      } catch (error) {
        onError(error);
      }
    }
    for (const folder of this.#single.map((each) => runFolder(each))) {
      const name = folder.slice(Math.max(folder.lastIndexOf("/"), folder.lastIndexOf("\\")) + 1);
      const place = { name, folder };
      const own = await readRun(fileSystem, place, liveness, this.#progress).catch(() => null);
      const run = own ?? (await readForeignRun(fileSystem, place).catch(() => null));
      if (run !== null) found.set(folder, run);
    }
    const runs = [...found.values()];
    const names = shownNames(runs.map((run) => ({ ...run, label: nameOf(run.folder) })));
    const entries = new Map(
      runs.map((run, index) => [run.folder, this.#entry(run, names[index] ?? run.name)] as const),
    );
    this.#entries = entries;
    this.#changed.fire(null);
    if (this.#isClosed) return;
    for (const entry of this.#entries.values()) this.#keepConnected(entry);
    this.#lookAgain();
    this.#readingBest = this.#readingBest.then(() => this.#readAllBest(entries));
  }

  /** Reads one run after another until the list changes. Runs in the background, because a sweep may have gigabytes of metrics. */
  async #readAllBest(entries: ReadonlyMap<string, RunEntry>): Promise<void> {
    for (const folder of entries.keys()) {
      if (this.#entries !== entries || this.#isClosed) return;
      await this.#readBest(folder);
    }
  }

  async #readBest(folder: string): Promise<void> {
    const file = this.#entries.get(folder)?.file;
    if (file?.sweep === undefined) return;
    const files = this.#options.fileSystem.within(folder);
    // The list already shows if the run cannot be read.
    const digest = await readDigest(files, folder, file, this.#digests.get(folder)).catch(
      () => null,
    );
    const entry = this.#entries.get(folder);
    if (digest === null || entry === undefined || this.#isClosed) return;
    this.#digests.set(folder, digest);
    const best = digest.best?.value ?? null;
    if (best === entry.best) return;
    this.#entries.set(folder, { ...entry, best });
    this.#changed.fire(folder);
  }

  #lookAgain(): void {
    if (this.#stopLooking !== null || !this.#hasUnattached) return;
    this.#stopLooking = this.#options.clock.after(LOOK_AGAIN_MS, () => {
      this.#stopLooking = null;
      if (this.#hasUnattached)
        this.refresh().catch((error: unknown) => this.#options.onError(error));
    });
  }

  get #hasUnattached(): boolean {
    return [...this.#entries.values()].some(
      ({ folder, isLive }) => isLive && !this.#connections.has(folder),
    );
  }

  #entry(run: ListedRun, name: string): RunEntry {
    const { file } = run;
    const isLive =
      file !== null && isRunInUse(file, { nowMs: this.#options.clock.now(), isProcessAlive });
    const before = this.#entries.get(run.folder);
    const isSame = before?.file?.attempt === file?.attempt;
    return {
      ...run,
      name,
      isLive,
      status: isLive && isSame ? (before?.status ?? null) : null,
      best: file?.sweep === undefined ? null : (before?.best ?? null),
    };
  }

  #keepConnected({ folder, isLive, file }: RunEntry): void {
    const address = file?.control?.address ?? null;
    const open = this.#connections.get(folder);
    if (open !== undefined && (!isLive || open.address !== address)) {
      this.#connections.delete(folder);
      open.client.close();
    }
    if (!isLive || address === null) return;
    if (this.#connections.has(folder) || this.#connecting.has(folder)) return;
    this.#connect(folder).catch((error: unknown) => this.#options.onError(error));
  }

  /** Null if no trainer is running. Concurrent calls share one connection attempt. */
  #connect(folder: string): Promise<Connection | null> {
    const opening =
      this.#connecting.get(folder) ??
      this.#open(folder).finally(() => this.#connecting.delete(folder));
    this.#connecting.set(folder, opening);
    return opening;
  }

  async #open(folder: string): Promise<Connection | null> {
    const control = this.#entries.get(folder)?.file?.control ?? null;
    if (control === null) return null;
    let isAttached = false;
    const client = await ControlClient.open(control, {
      onStatus: (status) => this.onStatus(folder, status),
      // If the trainer refused to be attached, for example because of its version, do not retry immediately.
      onClose: () => this.#lost(folder, { address: control.address, hasChanged: isAttached }),
    });
    const connection = { address: control.address, client };
    if (this.#isClosed) {
      client.close();
      return null;
    }
    this.#connections.set(folder, connection);
    const { status } = await client.send({ action: "attach" });
    isAttached = true;
    this.onStatus(folder, status);
    return connection;
  }

  onStatus(folder: string, status: RunStatus): void {
    const before = this.#entries.get(folder);
    if (before === undefined) return;
    this.#entries.set(folder, withStatus(before, status));
    this.#changed.fire(folder);
    if (status.step !== before.steps) void this.#readBest(folder);
  }

  /** The trainer exited or was killed; the files show which. */
  #lost(
    folder: string,
    { address, hasChanged }: { readonly address: string; readonly hasChanged: boolean },
  ): void {
    if (this.#connections.get(folder)?.address === address) this.#connections.delete(folder);
    if (this.#isClosed || !hasChanged) return;
    this.refresh().catch((error: unknown) => this.#options.onError(error));
  }
}

function withStatus(entry: RunEntry, status: RunStatus): RunEntry {
  const newSteps = status.step - entry.steps;
  const before = entry.recentRewards;
  // A resumed run goes back by the steps that it repeats.
  const kept = newSteps < 0 ? before.slice(0, newSteps) : before;
  const recentRewards = newSteps > 0 ? [...kept, status.rewardMean].slice(-10) : kept;
  return {
    ...entry,
    status,
    phase: status.phase,
    steps: status.step,
    totalSteps: status.totalSteps ?? entry.totalSteps,
    reward: recentRewards.at(-1) ?? null,
    recentRewards,
    trend: status.trend ?? entry.trend,
  };
}

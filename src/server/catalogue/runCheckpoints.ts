/** Checkpoints of the window's runs, read again whenever a run changes. */

import type { RunEntry } from "../../api/runs.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import {
  type CheckpointEntry,
  readCheckpoints,
  usableCheckpoints,
  withState,
} from "../../core/runFolder/checkpointLog.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";
import { soon } from "../../node/soon.ts";
import type { RunStore } from "../runs/runStore.ts";
import type { KeptCheckpoint } from "./storedLists.ts";

export interface RunCheckpointsOptions {
  readonly store: Pick<RunStore, "runs" | "onDidChange">;
  readonly fileSystem: FileSystem;
  /** `rewards` is keyed by checkpoint path. */
  readonly onFound: (
    saved: readonly KeptCheckpoint[],
    rewards: ReadonlyMap<string, number | null>,
  ) => void;
  readonly onError: (error: unknown) => void;
}

interface RunSaves {
  /** Size of the append-only checkpoint file, in bytes. */
  readonly size: number;
  readonly saved: readonly KeptCheckpoint[];
  readonly rewards: ReadonlyMap<string, number | null>;
}

/** Minimum time between two reads, because runs report changes often. */
const SETTLE_MS = 1_000;
const MAX_RUNS = 100;

export class RunCheckpoints {
  readonly #options: RunCheckpointsOptions;
  readonly #known = new Map<string, RunSaves>();
  readonly #soon = soon(SETTLE_MS, () => void this.read().catch(this.#options.onError));
  #reported = "";

  constructor(options: RunCheckpointsOptions) {
    this.#options = options;
    options.store.onDidChange(this.#soon);
    this.#soon();
  }

  /** Reads the runs that have grown. */
  async read(): Promise<void> {
    const { store, onFound } = this.#options;
    const all = await Promise.all(store.runs.slice(0, MAX_RUNS).map((run) => this.#savesOf(run)));
    const reported = all.map(({ size }) => size).join(" ");
    if (reported === this.#reported) return;
    this.#reported = reported;
    onFound(
      all.flatMap(({ saved }) => saved),
      new Map(all.flatMap(({ rewards }) => [...rewards])),
    );
  }

  async #savesOf(run: RunEntry): Promise<RunSaves> {
    const files = this.#options.fileSystem.within(run.folder);
    const size = (await files.size(runPaths(run.folder).checkpoints).catch(() => 0)) ?? 0;
    const known = this.#known.get(run.folder);
    if (known?.size === size) return known;
    const saves = { size, ...(await readSaves(files, run)) };
    this.#known.set(run.folder, saves);
    return saves;
  }
}

async function readSaves(
  fileSystem: FolderFiles,
  { folder, name }: RunEntry,
): Promise<Omit<RunSaves, "size">> {
  const entries = await readCheckpoints(fileSystem, folder).catch(() => []);
  const trained = entries.length === 0 ? null : await readRunModel(fileSystem, folder);
  // A changed save is appended again; the last entry counts.
  const byPath = new Map(withState(entries).map((entry) => [entry.state_path, entry]));
  const usable = new Set(usableCheckpoints(entries, Date.now()).map((entry) => entry.state_path));
  return {
    saved: [...byPath].map(([path, entry]) => ({
      path,
      run: name,
      model: trained?.model_name ?? null,
      rank: trained?.lora_rank ?? null,
      ...factsOf(entry),
      isGone: !usable.has(path),
    })),
    rewards: new Map(
      [...byPath].map(([path, { metrics }]) => [path, metrics["rollout/reward/mean"] ?? null]),
    ),
  };
}

function factsOf({ step, kind, created_at, expires_at }: CheckpointEntry) {
  return {
    kind,
    // Index of the last completed step, from 0.
    step: step === 0 ? null : step - 1,
    savedAtMs: timeOf(created_at),
    expiresAtMs: timeOf(expires_at),
    sizeBytes: null,
  };
}

/** Milliseconds since the Unix epoch; null if the text is not a time. */
export function timeOf(text: string | null): number | null {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? null : ms;
}

/** Saves weights between steps, and updates `state.json` only after the service has confirmed a save. */

import { rollingSaveEvery } from "../../config/fields/presets.ts";
import type { Config } from "../../config/fields/schema.ts";
import { appendCheckpoint, type CheckpointEntry } from "../../runFolder/checkpointLog.ts";
import { type RunState, writeState } from "../../runFolder/state.ts";
import type { RunContext } from "../run/context.ts";
import { deleteCheckpoint } from "../run/deleteSaved.ts";

export type SaveKind = "periodic" | "rolling" | "final" | "interrupt" | "manual" | "best";

export interface RunSnapshot {
  /** Completed steps; used in the checkpoint's name. */
  readonly step: number;
  readonly epoch: number;
  /** Position in the task sequence. */
  readonly position: number;
  readonly state: (last: NonNullable<RunState["last_checkpoint"]>) => RunState;
  readonly metrics: Readonly<Record<string, number | null>>;
}

const ROLLING_TTL_S = 24 * 3600;
/** A rolling save this old is renewed, because the next one may be far away. */
const RENEW_AFTER_S = ROLLING_TTL_S / 2;

const PREFIXES: Readonly<Record<SaveKind, string>> = {
  periodic: "checkpoint",
  rolling: "rolling",
  final: "final",
  interrupt: "interrupt",
  manual: "manual",
  best: "best",
};

/** The kind of save due after `step` completed steps, or null. `isEvaluated` says whether these weights are about to be evaluated. */
export function dueCheckpoint(
  config: Config,
  step: number,
  isEvaluated: boolean,
): "periodic" | "best" | "rolling" | null {
  if (config.save_every > 0 && step % config.save_every === 0) return "periodic";
  if (config.save_best !== null && isEvaluated) return "best";
  const rolling = rollingSaveEvery(config);
  return rolling > 0 && step % rolling === 0 ? "rolling" : null;
}

/** Such as `checkpoint_000010` after ten completed steps. */
function checkpointName(kind: SaveKind, step: number): string {
  return `${PREFIXES[kind]}_${String(step).padStart(6, "0")}`;
}

/** The number of completed steps in a checkpoint's name; null if there is none. */
export function stepOfCheckpoint(path: string): number | null {
  const digits = /(?:^|\/)(?:checkpoint|rolling|final|interrupt|manual|best)_(\d{6,})$/.exec(
    path,
  )?.[1];
  return digits === undefined ? null : Number(digits);
}

/** A checkpoint that the service has confirmed. */
interface SavedEntry extends CheckpointEntry {
  readonly state_path: string;
}

/** A save that was submitted. */
interface Submitted {
  readonly step: number;
  readonly kind: SaveKind;
  readonly entry: Promise<SavedEntry>;
}

export class CheckpointWriter {
  readonly #context: RunContext;
  readonly #onSaved: (state: RunState) => Promise<void>;
  /** The latest submitted save, until it has been awaited. */
  #pending: Promise<SavedEntry> | null = null;
  #latest: Submitted | null = null;
  #last: SavedEntry | null = null;
  #rolling: SavedEntry | null = null;

  /** `onSaved` is called with each state that is stored. */
  constructor(context: RunContext, onSaved: (state: RunState) => Promise<void> = async () => {}) {
    this.#context = context;
    this.#onSaved = onSaved;
  }

  /**
   * Submits a save of the weights after `step` completed steps, ordered after earlier requests, and waits only for the previous save. It
   * is confirmed while rollouts continue, and recorded when the snapshot is available.
   * @throws AppError the previous save's error
   */
  async begin(
    kind: SaveKind,
    step: number,
    snapshot: RunSnapshot | Promise<RunSnapshot>,
  ): Promise<void> {
    const before = this.#pending;
    void this.#submit(kind, step, snapshot);
    await before;
  }

  /**
   * A permanent save between two steps that does not hold up the run; reuses this step's save if there is one. Call only while the
   * weights match the snapshot. Resolves when confirmed.
   */
  async saveNow(snapshot: RunSnapshot): Promise<SavedEntry> {
    const latest = this.#latest;
    if (latest !== null && latest.step === snapshot.step && latest.kind !== "rolling") {
      const entry = await latest.entry;
      // A checkpoint saved for comparison is deleted when a better one comes; one that a user requested must stay.
      return entry.kind === "best" ? this.#record({ ...entry, kind: "manual" }, snapshot) : entry;
    }
    return this.#submit("manual", snapshot.step, snapshot);
  }

  #submit(
    kind: SaveKind,
    step: number,
    snapshot: RunSnapshot | Promise<RunSnapshot>,
  ): Promise<SavedEntry> {
    const entry = this.#save(kind, step, snapshot, this.#pending);
    entry.catch(() => undefined);
    this.#pending = entry;
    this.#latest = { step, kind, entry };
    return entry;
  }

  /** True when the last save is a rolling one past half of its lifetime. */
  get isAgeing(): boolean {
    const created = this.#last?.kind === "rolling" ? Date.parse(this.#last.created_at) : null;
    return created !== null && this.#context.ports.clock.now() - created > RENEW_AFTER_S * 1000;
  }

  /** Waits until the last save is confirmed and recorded; null if there was none. */
  async settle(): Promise<SavedEntry | null> {
    const pending = this.#pending;
    this.#pending = null;
    return (await pending) ?? this.#last;
  }

  /** A permanent save of the current weights: reuses the last save if it is of this step and permanent, else makes one. */
  async saveLasting(kind: "final" | "interrupt", snapshot: RunSnapshot): Promise<SavedEntry> {
    const last = await this.settle();
    if (last === null || last.step !== snapshot.step || last.kind === "rolling") {
      return this.#save(kind, snapshot.step, snapshot, null);
    }
    return last.kind === kind ? last : this.#record({ ...last, kind }, snapshot);
  }

  async #save(
    kind: SaveKind,
    step: number,
    given: RunSnapshot | Promise<RunSnapshot>,
    before: Promise<unknown> | null,
  ): Promise<SavedEntry> {
    const { client, chat } = this.#context.services;
    const { clock } = this.#context.ports;
    const name = checkpointName(kind, step);
    const ttl = kind === "rolling" ? { ttlSeconds: ROLLING_TTL_S } : {};
    const userMetadata = { step: String(step) };
    const state = client.saveState(name, { ...ttl, userMetadata });
    const sampler = kind === "rolling" ? null : client.saveSampler(name, { userMetadata });
    const state_path = (await state).path;
    const sampler_path = sampler === null ? null : (await sampler).path;
    const snapshot = await given;
    const saved: SavedEntry = {
      name,
      step,
      epoch: snapshot.epoch,
      position: snapshot.position,
      kind,
      state_path,
      sampler_path,
      expires_at:
        kind === "rolling" ? new Date(clock.now() + ROLLING_TTL_S * 1000).toISOString() : null,
      metrics: snapshot.metrics,
      renderer: chat.renderer.id,
      created_at: new Date(clock.now()).toISOString(),
    };
    await before;
    const entry = await this.#record(saved, snapshot);
    await this.#dropOldRolling(entry);
    return entry;
  }

  async #record(saved: SavedEntry, snapshot: RunSnapshot): Promise<SavedEntry> {
    const { fileSystem, folder } = this.#context.storage;
    const { step, state_path, sampler_path, expires_at, name, kind } = saved;
    const state = snapshot.state({ step, state_path, sampler_path, expires_at });
    const entry = kind === "rolling" ? saved : { ...saved, state };
    await appendCheckpoint(fileSystem, folder, entry);
    await writeState(fileSystem, folder, state);
    const { watch } = this.#context.reporting;
    watch({ kind: "checkpoint", name, step, checkpointKind: kind, statePath: state_path });
    this.#last = entry;
    await this.#onSaved(state);
    return entry;
  }

  /** The previous rolling save is not needed once a newer save is in `state.json`. */
  async #dropOldRolling(entry: SavedEntry): Promise<void> {
    const old = this.#rolling;
    this.#rolling = entry.kind === "rolling" ? entry : null;
    if (old === null) return;
    const why = "a newer save replaces this rolling one";
    await deleteCheckpoint(this.#context, old, { step: entry.step, why });
  }
}

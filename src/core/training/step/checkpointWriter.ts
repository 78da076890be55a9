/** Saves weights between steps, and flips `state.json` only when the service has confirmed a save. */

import { rollingSaveEvery } from "../../config/fields/presets.ts";
import type { Config } from "../../config/fields/schema.ts";
import { appendCheckpoint, type CheckpointEntry } from "../../runFolder/checkpointLog.ts";
import { type RunState, writeState } from "../../runFolder/state.ts";
import type { RunContext } from "../run/context.ts";
import { deleteCheckpoint } from "../run/deleteSaved.ts";

export type SaveKind = "periodic" | "rolling" | "final" | "interrupt" | "manual" | "best";

export interface RunSnapshot {
  /** Completed steps; the checkpoint's number. */
  readonly step: number;
  readonly epoch: number;
  /** Position in the list of tasks. */
  readonly position: number;
  readonly state: (last: NonNullable<RunState["last_checkpoint"]>) => RunState;
  readonly metrics: Readonly<Record<string, number | null>>;
}

const ROLLING_TTL_S = 24 * 3600;
/** A rolling save as old as this is made again: the next one may be far away. */
const RENEW_AFTER_S = ROLLING_TTL_S / 2;

const PREFIXES: Readonly<Record<SaveKind, string>> = {
  periodic: "checkpoint",
  rolling: "rolling",
  final: "final",
  interrupt: "interrupt",
  manual: "manual",
  best: "best",
};

/** The kind of save due after `step` completed steps, or null; `isEvaluated` says whether their weights are about to be evaluated. */
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

/** `checkpoint_000010` for the tenth completed step. */
function checkpointName(kind: SaveKind, step: number): string {
  return `${PREFIXES[kind]}_${String(step).padStart(6, "0")}`;
}

/** Completed steps that a checkpoint's name states; null when it states none. */
export function stepOfCheckpoint(path: string): number | null {
  const digits = /(?:^|\/)(?:checkpoint|rolling|final|interrupt|manual|best)_(\d{6,})$/.exec(
    path,
  )?.[1];
  return digits === undefined ? null : Number(digits);
}

/** What the service has confirmed. */
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
  /** The one submitted last, until someone has waited for it. */
  #pending: Promise<SavedEntry> | null = null;
  #latest: Submitted | null = null;
  #last: SavedEntry | null = null;
  #rolling: SavedEntry | null = null;

  /** `onSaved` is called with each state that was written down. */
  constructor(context: RunContext, onSaved: (state: RunState) => Promise<void> = async () => {}) {
    this.#context = context;
    this.#onSaved = onSaved;
  }

  /**
   * Submits a save of the weights after `step` completed steps, in order behind what was submitted before, and returns; it is confirmed
   * while rollouts continue, and written down when the snapshot is there. Waits for an earlier one first.
   * @throws AppError what the earlier save failed with
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
   * A lasting save between two steps, without holding the run up; the one of this step when there is one. Call it only while the
   * weights are those of the snapshot. Resolves when it is confirmed.
   */
  async saveNow(snapshot: RunSnapshot): Promise<SavedEntry> {
    const latest = this.#latest;
    if (latest !== null && latest.step === snapshot.step && latest.kind !== "rolling") {
      const entry = await latest.entry;
      // One that was saved to be compared goes once another one is better; what a user asked for stays.
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

  /** True when a rolling save is the last one and has lived through half of its time. */
  get isAgeing(): boolean {
    const created = this.#last?.kind === "rolling" ? Date.parse(this.#last.created_at) : null;
    return created !== null && this.#context.ports.clock.now() - created > RENEW_AFTER_S * 1000;
  }

  /** Waits until the last save is confirmed and written down; null when there was none. */
  async settle(): Promise<SavedEntry | null> {
    const pending = this.#pending;
    this.#pending = null;
    return (await pending) ?? this.#last;
  }

  /**
   * A lasting save of the weights as they are: uses the last one when it is of this step and lasts, else makes one.
   */
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

  /** The rolling save before is not needed once a newer save is in `state.json`. */
  async #dropOldRolling(entry: SavedEntry): Promise<void> {
    const old = this.#rolling;
    this.#rolling = entry.kind === "rolling" ? entry : null;
    if (old === null) return;
    const why = "a newer save replaces this rolling one";
    await deleteCheckpoint(this.#context, old, { step: entry.step, why });
  }
}

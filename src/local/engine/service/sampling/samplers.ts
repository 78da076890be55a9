/** Sampling sessions, each of which refers to frozen weights. */

import { refusal } from "../../../http/refusal.ts";
import type { Engine, Snapshot } from "../../engine.ts";
import type { CheckpointStore } from "../checkpoints/checkpointStore.ts";
import { parseTinkerPath } from "../checkpoints/tinkerPath.ts";
import { userFault } from "../http/faults.ts";
import type { Sessions } from "../models/sessions.ts";
import type { SnapshotCache } from "./snapshotCache.ts";

/** `base`: the model without an adapter; `saved`: a sampler checkpoint; `unnamed`: a snapshot in memory only. */
export type SamplerWeights =
  | { readonly kind: "base" }
  | SavedWeights
  | { readonly kind: "unnamed" };

interface SavedWeights {
  readonly kind: "saved";
  readonly path: string;
  /** Distinguishes two saves under the same path. */
  readonly file: string;
}

export interface Sampler {
  readonly id: string;
  readonly sessionId: string;
  readonly weights: SamplerWeights;
}

export interface SamplersOptions {
  readonly engine: Engine;
  readonly sessions: Sessions;
  readonly store: CheckpointStore;
  readonly snapshots: SnapshotCache;
}

export class Samplers {
  readonly #options: SamplersOptions;
  readonly #samplers = new Map<string, Sampler>();

  constructor(options: SamplersOptions) {
    this.#options = options;
  }

  /** Adding the same sampler again is allowed, because requests are retried after a lost reply. */
  add(sessionId: string, sequence: number, weights: SamplerWeights): Sampler {
    const sampler = { id: `${sessionId}:sample:${sequence}`, sessionId, weights };
    this.#samplers.set(sampler.id, sampler);
    this.#options.sessions.addSampler(sessionId, sampler.id);
    return sampler;
  }

  addUnnamed(sessionId: string, sequence: number, snapshot: Snapshot): Sampler {
    const sampler = this.add(sessionId, sequence, { kind: "unnamed" });
    this.#options.snapshots.put(sampler.id, snapshot);
    return sampler;
  }

  /** @throws AppError `http-refused` 404 */
  get(id: string): Sampler {
    const sampler = this.#samplers.get(id);
    if (sampler === undefined) throw refusal(404, `There is no sampler ${id}.`);
    return sampler;
  }

  /**
   * Runs `task` with the sampler's weights in memory; null = the base model.
   * @throws AppError `invalid-request` if they no longer exist, `checkpoint-invalid` if they do not fit the model
   */
  withWeights<T>(sampler: Sampler, task: (weights: Snapshot | null) => Promise<T>): Promise<T> {
    const { snapshots } = this.#options;
    const { weights } = sampler;
    switch (weights.kind) {
      case "base":
        return task(null);
      case "unnamed":
        return snapshots.use(sampler.id, null, task);
      case "saved":
        return snapshots.use(weights.file, () => this.#load(weights), task);
    }
  }

  /** Frees the sampler's unnamed snapshot, if it has one. */
  release(id: string): void {
    this.#options.snapshots.drop(id);
  }

  async #load({ path, file }: SavedWeights): Promise<Snapshot> {
    const { engine, store } = this.#options;
    const { record, bytes } = await store.read(parseTinkerPath(path));
    if (record.file !== file) {
      throw userFault(
        `${path} was saved again since this sampler was created. Create another one.`,
      );
    }
    if (record.base_model !== engine.model.name) {
      throw userFault(
        `${path} belongs to the base model ${record.base_model}; this server runs ${engine.model.name}.`,
      );
    }
    return engine.importSnapshot(bytes);
  }
}

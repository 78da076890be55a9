/** A model under training: its adapter, its queue, and what the listings say about it. */

import { AppError } from "../../../../core/errors.ts";
import type { Clock } from "../../../../core/ports.ts";
import type { Adapter, Engine } from "../../engine.ts";
import type { LoraRecord, UserMetadata } from "../checkpoints/checkpointRecord.ts";
import { ModelQueue } from "./modelQueue.ts";

export interface TrainedModelOptions {
  readonly id: string;
  readonly sessionId: string;
  readonly userMetadata: UserMetadata;
  readonly engine: Engine;
  readonly clock: Clock;
}

/** Exists from the submit that creates it; the adapter follows when that submit has its turn. */
export class TrainedModel {
  readonly id: string;
  readonly sessionId: string;
  readonly userMetadata: UserMetadata;
  readonly queue = new ModelQueue();
  readonly #engine: Engine;
  readonly #clock: Clock;
  #lastRequestMs: number;
  #adapter: Adapter | null = null;

  constructor({ id, sessionId, userMetadata, engine, clock }: TrainedModelOptions) {
    this.id = id;
    this.sessionId = sessionId;
    this.userMetadata = userMetadata;
    this.#engine = engine;
    this.#clock = clock;
    this.#lastRequestMs = clock.now();
  }

  get lastRequestMs(): number {
    return this.#lastRequestMs;
  }

  touch(): void {
    this.#lastRequestMs = this.#clock.now();
  }

  get isReady(): boolean {
    return this.#adapter !== null;
  }

  /** @throws AppError `invalid-request` when the model could not be created */
  get adapter(): Adapter {
    if (this.#adapter === null) {
      throw new AppError(
        "invalid-request",
        `The model ${this.id} has no weights, since its creation failed. Create another model.`,
      );
    }
    return this.#adapter;
  }

  /** The unembedding is the tied embedding of the base model: its flag is accepted and trains nothing. */
  get lora(): LoraRecord {
    const { rank, trainAttn, trainMlp } = this.adapter;
    return { rank, train_attn: trainAttn, train_mlp: trainMlp, train_unembed: false };
  }

  /** Takes over the adapter and releases the one before it. */
  adopt(adapter: Adapter): void {
    this.#release();
    this.#adapter = adapter;
  }

  /** Finishes what it has accepted and gives its adapter back. */
  async close(): Promise<void> {
    await this.queue.close(
      new AppError("invalid-request", `The model ${this.id} was unloaded. Create another model.`),
    );
    this.#release();
  }

  #release(): void {
    if (this.#adapter !== null) this.#engine.releaseAdapter(this.#adapter);
    this.#adapter = null;
  }
}

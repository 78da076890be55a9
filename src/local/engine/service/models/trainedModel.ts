/** A model being trained: its adapter, its queue, and its data for listings. */

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

/** Exists from the request that creates it; the adapter is added when that request's turn comes. */
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

  /** @throws AppError `invalid-request` if the model's creation failed */
  get adapter(): Adapter {
    if (this.#adapter === null) {
      throw new AppError(
        "invalid-request",
        `The model ${this.id} has no weights, since its creation failed. Create another model.`,
      );
    }
    return this.#adapter;
  }

  /** The unembedding is tied to the base model's embedding; its flag is accepted but has no effect. */
  get lora(): LoraRecord {
    const { rank, trainAttn, trainMlp } = this.adapter;
    return { rank, train_attn: trainAttn, train_mlp: trainMlp, train_unembed: false };
  }

  /** Takes ownership of the adapter and releases the previous one. */
  adopt(adapter: Adapter): void {
    this.#release();
    this.#adapter = adapter;
  }

  /** Finishes accepted work and releases the adapter. */
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

/** Interface of the embedded engine, without a wire protocol; used by the Tinker service in `service/` and by benchmarks. */

import type { AdamParams } from "../../core/tinker/wire/wire.ts";

export interface EngineModel {
  readonly name: string;
  readonly vocabSize: number;
  /** Maximum length of a sequence, prompt and completion together. */
  readonly maxContext: number;
  /** Token ids that end a sample if the request has no stop sequences. */
  readonly eosIds: readonly number[];
  /** Token ids that represent an image file as that many tokens; absent = the model reads text only. */
  readonly imageIds?: (image: Uint8Array, tokens: number) => Int32Array;
}

/** Which projections an adapter trains. */
export interface TrainedProjections {
  readonly trainAttn: boolean;
  readonly trainMlp: boolean;
}

/** Handle of a trainable LoRA adapter. */
export interface Adapter extends TrainedProjections {
  readonly id: number;
  readonly rank: number;
}

/** Handle of frozen sampler weights, which later steps of the adapter do not change. */
export interface Snapshot {
  readonly id: number;
}

export type EngineLoss = "cross_entropy" | "importance_sampling" | "ppo" | "cispo" | "dro" | "gspo";

/** One training sequence; every array has one entry per position, and position i predicts `targets[i]`. */
export interface EngineDatum {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
  /** Token weights for cross_entropy; advantages for other losses. */
  readonly weights: Float32Array;
  /** Sampling log-probs q; null for cross_entropy. */
  readonly logprobs: Float32Array | null;
  /** Per-token clip bounds, if given. */
  readonly clipLow?: Float32Array | undefined;
  readonly clipHigh?: Float32Array | undefined;
  /** gspo: nonzero for tokens that count toward the sequence ratio. */
  readonly ratioMask?: Float32Array | undefined;
}

export interface LossSpec {
  readonly name: EngineLoss;
  /** Ratio bounds of ppo, cispo, and gspo. */
  readonly clipLow: number;
  readonly clipHigh: number;
  /** Quadratic coefficient of dro. */
  readonly beta: number;
}

export interface ForwardBackwardOutcome {
  /** Per datum, the log-prob of each target under the current weights. */
  readonly logprobs: readonly Float32Array[];
  /** Metric names end with a colon and their reduction, for example `loss:sum`. */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface TopToken {
  readonly id: number;
  readonly logprob: number;
}

export interface EngineSampleRequest {
  readonly prompt: Int32Array;
  readonly maxTokens: number;
  /** 0 = greedy. Log-probs always refer to temperature 1. */
  readonly temperature: number;
  /** -1 = off. */
  readonly topK: number;
  readonly topP: number;
  /** 32-bit seed of this sequence. */
  readonly seed: number;
  /** Token ids that end the sample; the sample includes them. */
  readonly stopIds: readonly number[];
  /** Strings that end the sample once its decoded text contains one. */
  readonly stopStrings: readonly string[];
  readonly topSampleLogprobs: number;
}

export interface SampledSequence {
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  readonly stopReason: "stop" | "length";
  /** The most likely tokens per sampled token; absent unless requested. */
  readonly topLogprobs?: readonly (readonly TopToken[])[] | undefined;
  /** Number of prompt tokens already in the KV cache. */
  readonly cachedPromptTokens: number;
}

export interface PromptScoreRequest {
  readonly prompt: Int32Array;
  /** Number of most likely tokens to return per position; 0 = none. */
  readonly top: number;
  /** Ids to score at prompt positions from 1 (row-major, `targetsPerPosition` per row, -1 = none), or null. */
  readonly targets: Int32Array | null;
  readonly targetsPerPosition: number;
}

export interface PromptScores {
  /** One per prompt token; the first is NaN. */
  readonly logprobs: Float32Array;
  /** One row per prompt token; the first is null. Null unless requested. */
  readonly top: readonly (readonly TopToken[] | null)[] | null;
  /** Same layout as the request's targets; 0 where the target was -1. */
  readonly targetLogprobs: Float32Array | null;
}

export interface AdapterOptions extends TrainedProjections {
  /** Positive integer, at most 64. */
  readonly rank: number;
  readonly seed: number;
}

/**
 * Calls on one adapter take effect in call order; calls on different handles are independent. Requests are queued, never rejected
 * as busy. Rejections are AppErrors.
 */
export interface Engine {
  readonly model: EngineModel;
  createAdapter(options: AdapterOptions): Adapter;
  /** Adds to the adapter's gradient unless `forwardOnly`. */
  forwardBackward(
    adapter: Adapter,
    data: readonly EngineDatum[],
    loss: LossSpec,
    forwardOnly: boolean,
  ): Promise<ForwardBackwardOutcome>;
  /** Applies AdamW to the accumulated gradient and clears it. Resolves with metrics such as `grad_norm:mean`. */
  optimStep(adapter: Adapter, params: AdamParams): Promise<Readonly<Record<string, number>>>;
  /** A frozen copy of the adapter after all earlier calls. */
  snapshot(adapter: Adapter): Promise<Snapshot>;
  /** Safetensors bytes of the weights, with the optimizer state if requested. */
  exportAdapter(source: Adapter | Snapshot, withOptimizer: boolean): Promise<Uint8Array>;
  /** @throws AppError `checkpoint-invalid` if the bytes are not an adapter of this model */
  importAdapter(bytes: Uint8Array, withOptimizer: boolean): Adapter;
  importSnapshot(bytes: Uint8Array): Snapshot;
  /** Samples with frozen weights, or with the base model if `weights` is null. */
  sample(
    weights: Snapshot | null,
    request: EngineSampleRequest,
    signal?: AbortSignal,
  ): Promise<SampledSequence>;
  scorePrompt(weights: Snapshot | null, request: PromptScoreRequest): Promise<PromptScores>;
  releaseAdapter(adapter: Adapter): void;
  releaseSnapshot(snapshot: Snapshot): void;
  close(): Promise<void>;
}

/** What the embedded engine computes, without any wire: the Tinker service in `service/` is one caller, benches are another. */

import type { AdamParams } from "../../core/tinker/wire/wire.ts";

export interface EngineModel {
  readonly name: string;
  readonly vocabSize: number;
  /** Most tokens of one sequence, prompt and sampled together. */
  readonly maxContext: number;
  /** Ids that end a sample when the request names no stops. */
  readonly eosIds: readonly number[];
  /** Ids that stand for an image file of that many tokens; absent = the model reads text only. */
  readonly imageIds?: (image: Uint8Array, tokens: number) => Int32Array;
}

/** Which projections an adapter trains. */
export interface TrainedProjections {
  readonly trainAttn: boolean;
  readonly trainMlp: boolean;
}

/** Handle of a LoRA adapter that can be trained. */
export interface Adapter extends TrainedProjections {
  readonly id: number;
  readonly rank: number;
}

/** Handle of frozen sampler weights: later steps of the adapter do not change it. */
export interface Snapshot {
  readonly id: number;
}

export type EngineLoss = "cross_entropy" | "importance_sampling" | "ppo" | "cispo" | "dro" | "gspo";

/** One training sequence; every array has one entry per position, and position i predicts `targets[i]`. */
export interface EngineDatum {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
  /** cross_entropy: the token weights; other losses: the advantages. */
  readonly weights: Float32Array;
  /** Sampling log-probs q; null for cross_entropy. */
  readonly logprobs: Float32Array | null;
  /** Per-token clip bounds, where the request gave them. */
  readonly clipLow?: Float32Array | undefined;
  readonly clipHigh?: Float32Array | undefined;
  /** gspo: not 0 where a token counts in the ratio of the sequence. */
  readonly ratioMask?: Float32Array | undefined;
}

export interface LossSpec {
  readonly name: EngineLoss;
  /** Ratio bounds for ppo, cispo and gspo. */
  readonly clipLow: number;
  readonly clipHigh: number;
  /** Quadratic coefficient of dro. */
  readonly beta: number;
}

export interface ForwardBackwardOutcome {
  /** Per datum, the log-prob that the current weights give to each target. */
  readonly logprobs: readonly Float32Array[];
  /** Metric names carry their reduction after one colon, as `loss:sum`. */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface TopToken {
  readonly id: number;
  readonly logprob: number;
}

export interface EngineSampleRequest {
  readonly prompt: Int32Array;
  readonly maxTokens: number;
  /** 0 = greedy. Log-probs are always those of the untempered model. */
  readonly temperature: number;
  /** -1 = off. */
  readonly topK: number;
  readonly topP: number;
  /** 32-bit seed of this one sequence. */
  readonly seed: number;
  /** Token ids that end the sample; they stay at its end. */
  readonly stopIds: readonly number[];
  /** Strings that end the sample once its decoded text contains one. */
  readonly stopStrings: readonly string[];
  readonly topSampleLogprobs: number;
}

export interface SampledSequence {
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  readonly stopReason: "stop" | "length";
  /** Per sampled token, the most likely ones; absent unless asked for. */
  readonly topLogprobs?: readonly (readonly TopToken[])[] | undefined;
  /** Prompt tokens whose keys and values were already cached. */
  readonly cachedPromptTokens: number;
}

export interface PromptScoreRequest {
  readonly prompt: Int32Array;
  /** Most likely tokens to return per position; 0 = none. */
  readonly top: number;
  /** Ids to score at prompt positions 1.. (row-major, `targetsPerPosition` a row, -1 = none), or null. */
  readonly targets: Int32Array | null;
  readonly targetsPerPosition: number;
}

export interface PromptScores {
  /** One per prompt token; the first is NaN. */
  readonly logprobs: Float32Array;
  /** One row per prompt token; the first is null. Null unless asked for. */
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
 * Calls on one adapter take effect in the order in which they are made; calls on different handles are independent.
 * Rejections are AppErrors; `engine-busy` does not exist: everything queues.
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
  /** Frozen copy of the adapter as it stands after all earlier calls. */
  snapshot(adapter: Adapter): Promise<Snapshot>;
  /** Safetensors bytes: weights, and the optimizer's state when asked. */
  exportAdapter(source: Adapter | Snapshot, withOptimizer: boolean): Promise<Uint8Array>;
  /** @throws AppError `checkpoint-invalid` when the bytes are not an adapter of this model. */
  importAdapter(bytes: Uint8Array, withOptimizer: boolean): Adapter;
  importSnapshot(bytes: Uint8Array): Snapshot;
  /** Samples with frozen weights, or with the base model when `weights` is null. */
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

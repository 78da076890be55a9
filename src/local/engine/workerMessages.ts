/** Messages between the engine's main thread and its workers. */

import type { ByteTable } from "../../node/tokenizer/byteTable.ts";
import type { Architecture } from "./architecture.ts";
import type {
  EngineDatum,
  EngineSampleRequest,
  LossSpec,
  PromptScoreRequest,
  PromptScores,
  SampledSequence,
} from "./engine.ts";

export interface WorkerSetup {
  readonly wasmPath: string;
  readonly arch: Architecture;
  readonly base: Float32Array;
  /** Byte table for stop strings. */
  readonly tokens: ByteTable;
  /** Largest LoRA rank, padded. */
  readonly maxRank: number;
  readonly maxRows: number;
  /** Number of sampler weight sets kept at once. */
  readonly sets: number;
  /** True to train every base weight instead of an adapter (to create the base model). */
  readonly full: boolean;
}

/** Parameters to train with; `parameters` is sent only if the worker has another version. */
export interface TrainWeights {
  readonly version: number;
  /** LoRA rank; ignored in full training. */
  readonly rank: number;
  readonly parameters: Float32Array | null;
}

/** Sampler parameters; null instead = the base model. */
export interface FrozenAdapter {
  readonly rank: number;
  readonly parameters: Float32Array;
}

export interface BatchOutcome {
  readonly loss: number;
  readonly logprobs: readonly Float32Array[];
  /** Sum over the batch; null if forward only. */
  readonly gradient: Float32Array | null;
}

export type ToWorker =
  | {
      readonly kind: "train";
      readonly job: number;
      readonly weights: TrainWeights;
      readonly data: readonly EngineDatum[];
      readonly loss: LossSpec;
      readonly forwardOnly: boolean;
    }
  | {
      readonly kind: "load";
      readonly set: number;
      readonly adapter: FrozenAdapter | null;
    }
  | {
      readonly kind: "sample";
      readonly job: number;
      readonly set: number;
      readonly slot: number;
      /** Number of leading prompt tokens already in the slot for this set. */
      readonly cached: number;
      readonly request: EngineSampleRequest;
    }
  | {
      readonly kind: "score";
      readonly job: number;
      readonly set: number;
      readonly slot: number;
      readonly request: PromptScoreRequest;
    }
  | { readonly kind: "cancel"; readonly job: number };

export type FromWorker =
  | { readonly kind: "ready" }
  | ({ readonly kind: "trained"; readonly job: number } & BatchOutcome)
  | {
      readonly kind: "sampled";
      readonly job: number;
      readonly sequence: Omit<SampledSequence, "cachedPromptTokens">;
    }
  | { readonly kind: "scored"; readonly job: number; readonly scores: PromptScores }
  | { readonly kind: "failed"; readonly job: number; readonly message: string };

/** Messages between the coordinator and its workers. */

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
  /** For stop strings. */
  readonly tokens: ByteTable;
  /** Largest LoRA rank, padded. */
  readonly maxRank: number;
  readonly maxRows: number;
  /** Sampler weight sets kept at the same time. */
  readonly sets: number;
  /** True trains every base weight instead of an adapter (for making the base model). */
  readonly full: boolean;
}

/** Parameters to train with; sent along only when the worker has another version. */
export interface TrainWeights {
  readonly version: number;
  /** LoRA rank; ignored in full training. */
  readonly rank: number;
  readonly parameters: Float32Array | null;
}

/** Parameters that samplers use; null in its place = the base model. */
export interface FrozenAdapter {
  readonly rank: number;
  readonly parameters: Float32Array;
}

export interface BatchOutcome {
  readonly loss: number;
  readonly logprobs: readonly Float32Array[];
  /** Sum over the batch; null when forward only. */
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
      /** Leading prompt tokens that the slot already holds for this set. */
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

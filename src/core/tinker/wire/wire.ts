/** JSON bodies of the Tinker wire: requests, and schemas of answers (unknown keys are ignored). */

import {
  array,
  boolean,
  literal,
  number,
  object,
  type output,
  record,
  string,
  union,
  unknown,
  type ZodType,
} from "zod";

function withDefault<Value>(schema: ZodType<Value>, fallback: Value) {
  return schema.nullish().transform((value) => value ?? fallback);
}

const orNull = <Value>(schema: ZodType<Value>) =>
  schema.nullish().transform((value) => value ?? null);

const wholeNumber = number().int();

/** Keeps only numbers: servers choose the names, and may send null for a missing value. */
const metrics = record(string(), unknown()).transform((values) => {
  const numbers: Record<string, number> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "number") numbers[name] = value;
  }
  return numbers;
});

/** Flags and limits that this client follows: `docs/protocols/tinker.md#flags`. */
export const clientConfigSchema = object({
  pjwt_auth_enabled: withDefault(boolean(), false),
  parallel_fwdbwd_chunks: withDefault(boolean(), true),
  fwdbwd_max_chunk_len: withDefault(wholeNumber.positive(), 1024),
  fwdbwd_max_chunk_bytes_count: withDefault(number().positive(), 5_000_000),
  billing_exception_max_pause_duration_sec: withDefault(number(), 3600),
  sample_dispatch_bytes_semaphore_size: withDefault(number().positive(), 10 * 1024 ** 2),
  inflight_response_bytes_semaphore_size: withDefault(number().positive(), 50 * 1024 ** 2),
  sample_no_retries: withDefault(boolean(), false),
});
export type ClientConfig = output<typeof clientConfigSchema>;

/** Flags that may change during a session. */
export const dynamicConfigSchema = object({
  refresh_interval_sec: withDefault(number(), 300),
  sample_cancel_enabled: withDefault(boolean(), false),
  sample_cancel_max_batch_size: withDefault(wholeNumber.positive(), 64),
});
export type DynamicConfig = output<typeof dynamicConfigSchema>;

export const capabilitiesSchema = object({
  supported_models: array(
    object({
      model_name: orNull(string()),
      max_context_length: orNull(wholeNumber),
      trainable: orNull(boolean()),
    }),
  ),
});

export const createSessionSchema = object({
  session_id: string().min(1),
  info_message: orNull(string()),
  warning_message: orNull(string()),
  error_message: orNull(string()),
});

export const pendingFutureSchema = object({
  request_id: string().min(1),
  /** One per sequence; only of samples, and not from all servers. */
  sample_sequence_ids: orNull(array(string())),
});
export type PendingFuture = output<typeof pendingFutureSchema>;

export const createModelResultSchema = object({ model_id: string().min(1) });
export const loadWeightsResultSchema = object({ model_id: orNull(string().min(1)) });
export const savedPathSchema = object({ path: string().min(1) });
export const ephemeralSamplerSchema = object({ sampling_session_id: string().min(1) });
export const optimStepResultSchema = object({ metrics: withDefault(metrics, {}) });

/** Values that a server omits are unknown. */
export const modelInfoSchema = object({
  lora_rank: orNull(wholeNumber),
  model_name: orNull(string()),
  model_data: orNull(object({ model_name: orNull(string()) })),
});

export const weightsInfoSchema = object({
  base_model: string(),
  lora_rank: orNull(wholeNumber),
  train_unembed: orNull(boolean()),
  train_mlp: orNull(boolean()),
  train_attn: orNull(boolean()),
});

export const samplingSessionSchema = object({ sampling_session_id: string().min(1) });
export const samplerSchema = object({ base_model: orNull(string()) });

export const checkpointListSchema = object({
  checkpoints: array(
    object({
      tinker_path: string(),
      time: orNull(string()),
      size_bytes: orNull(number()),
      public: orNull(boolean()),
      expires_at: orNull(string()),
      user_metadata: orNull(record(string(), unknown())),
    }),
  ),
});

export type CheckpointList = output<typeof checkpointListSchema>;

/** A signed address per file, by its path in the folder. */
export const exportedFilesSchema = object({
  urls: record(string(), string()),
  expires: orNull(string()),
});

export const billedEventsSchema = object({
  data: array(
    object({
      session_id: orNull(string()),
      event_info: object({
        type: string(),
        token_count: orNull(wholeNumber),
        cached: orNull(boolean()),
      }),
      estimated_cost_usd: orNull(number()),
    }),
  ),
  cost_data_through: orNull(string()),
});

export type BilledEvent = output<typeof billedEventsSchema>["data"][number];

export const trainingRunListSchema = object({
  training_runs: array(
    object({
      training_run_id: string(),
      base_model: orNull(string()),
      lora_rank: orNull(wholeNumber),
      user_metadata: orNull(record(string(), unknown())),
    }),
  ),
});

const tensorSchema = object({ data: array(number()) });

/** JSON form of a forward_backward result, as older servers send it. */
export const forwardBackwardResultSchema = object({
  loss_fn_outputs: array(
    object({ logprobs: tensorSchema, elementwise_loss: orNull(tensorSchema) }),
  ),
  metrics: withDefault(metrics, {}),
});

/** JSON form of a sample result, as older servers send it. */
export const sampleResultSchema = object({
  sequences: array(
    object({
      stop_reason: union([literal("stop"), literal("length")]),
      tokens: array(wholeNumber),
      logprobs: orNull(array(number())),
    }),
  ),
  prompt_logprobs: orNull(array(number().nullable())),
  prompt_cache_hit_tokens: withDefault(wholeNumber, 0),
});

export interface AdamParams {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
  /** 0 = no clipping. */
  readonly grad_clip_norm: number;
}

/** JSON request bodies of the Tinker API; unknown keys are ignored. */

import * as z from "zod";

const id = z.string().min(1);
const sequence = z.number().int().min(0);
const flag = z.boolean().nullish();
/** Ten years, the maximum lifetime of a checkpoint. */
const MAX_TTL_SECONDS = 315_360_000;
const ttlSeconds = z.number().int().min(1).max(MAX_TTL_SECONDS).nullish();
const userMetadata = z.record(z.string(), z.json()).nullish();
const optimizerConfig = z.object({ type: z.string() }).nullish();

/** Fields of every ordered request to a model. */
export const modelRequest = z.object({ model_id: id, seq_id: sequence.min(1) });

/** Fields of every request that creates a model. */
export const creationRequest = z.object({
  session_id: id,
  model_seq_id: sequence,
  user_metadata: userMetadata,
});

export const createSession = z.object({
  user_metadata: userMetadata,
  display_name: z.string().nullish(),
});

export const sessionHeartbeat = z.object({ session_id: id });
export const modelReference = z.object({ model_id: id });
export const futureReference = z.object({ request_id: id });

export const createModel = z.object({
  base_model: z.string(),
  lora_config: z
    .object({
      rank: z.number().int().default(32),
      seed: z.number().nullish(),
      train_attn: flag,
      train_mlp: flag,
      train_unembed: flag,
    })
    .nullish(),
  optimizer_config: optimizerConfig,
});

export const loadWeights = z.object({
  path: z.string(),
  optimizer: z.boolean().default(false),
  base_model: z.string().nullish(),
  optimizer_config: optimizerConfig,
});

export const saveWeights = z.object({
  path: z.string(),
  ttl_seconds: ttlSeconds,
  overwrite: z.boolean().nullish(),
  user_metadata: userMetadata,
});

export const saveWeightsExternal = z.object({
  path: z.string(),
  ttl_seconds: ttlSeconds,
  age_encryption_recipients: z.array(z.string()).nullish(),
});

export const saveWeightsForSampler = z.object({
  path: z.string().nullish(),
  sampling_session_seq_id: sequence.nullish(),
  ttl_seconds: ttlSeconds,
  user_metadata: userMetadata,
});

const finite = z.number();

export const adamParams = z.object({
  learning_rate: finite.min(0).default(1e-4),
  beta1: finite.min(0).lt(1).default(0.9),
  beta2: finite.min(0).lt(1).default(0.95),
  eps: finite.min(0).default(1e-12),
  weight_decay: finite.min(0).default(0),
  grad_clip_norm: finite.min(0).default(0),
});

export const optimStep = z.object({
  adam_params: adamParams.nullish(),
  optimizer_params: z.object({ type: z.string() }).nullish(),
});

export const checkpointTtl = z.object({ ttl_seconds: ttlSeconds });
export const weightsInfo = z.object({ tinker_path: z.string() });

export const createSamplingSession = z.object({
  session_id: id,
  sampling_session_seq_id: sequence,
  base_model: z.string().nullish(),
  model_path: z.string().nullish(),
});

/** The ids of a sample request; the rest is checked when it runs. */
export const sampleRequest = z.object({
  sampling_session_id: id,
  seq_id: sequence,
  num_samples: sequence.min(1).max(1024).default(1),
});

const modelInput = z.object({ chunks: z.array(z.looseObject({ type: z.string() })) });

/** A chunk of type `image`, with its fields named as in protobuf. */
export const imageChunk = z
  .object({ data: z.base64(), format: z.string(), expected_tokens: z.number().nullish() })
  .transform(({ data, format, expected_tokens }) => ({
    data: new Uint8Array(Buffer.from(data, "base64")),
    format,
    expectedTokens: typeof expected_tokens === "number" ? expected_tokens : undefined,
  }));

const tensorData = z.object({
  data: z.array(z.number()),
  dtype: z.enum(["float32", "int64"]),
  shape: z.array(sequence).nullish(),
  sparse_crow_indices: z.array(z.number()).nullish(),
});

export const sample = z.object({
  prompt: modelInput,
  sampling_params: z.object({
    max_tokens: sequence.min(1).nullish(),
    seed: z.number().nullish(),
    stop: z.union([z.string(), z.array(z.string()), z.array(z.number().int())]).nullish(),
    temperature: finite.min(0).default(1),
    top_k: z.number().int().default(-1),
    top_p: finite.gt(0).max(1).default(1),
  }),
  prompt_logprobs: flag,
  prompt_logprobs_last_n: sequence.min(1).nullish(),
  topk_prompt_logprobs: sequence.nullish(),
  topk_sample_logprobs: sequence.nullish(),
  target_prompt_logprobs: tensorData.nullish(),
  prompt_alt_tokens_k: sequence.nullish(),
  record_stability_info: flag,
});

const forwardBackwardInput = z.object({
  data: z.array(
    z.object({
      model_input: modelInput,
      loss_fn_inputs: z.record(z.string(), tensorData),
    }),
  ),
  loss_fn: z.string(),
  loss_fn_config: z.record(z.string(), z.union([z.number(), z.string()])).nullish(),
});

/** JSON form of the official client 0.24 and older: `docs/protocols/tinker.md#forward_backward`. */
export const forwardBackwardJson = z
  .object({ forward_backward_input: forwardBackwardInput })
  .transform((body) => body.forward_backward_input);
export const forwardJson = z
  .object({ forward_input: forwardBackwardInput })
  .transform((body) => body.forward_input);

export type ModelInputJson = z.infer<typeof modelInput>;
export type TensorDataJson = z.infer<typeof tensorData>;
export type ForwardBackwardInputJson = z.infer<typeof forwardBackwardInput>;
export type SampleJson = z.infer<typeof sample>;

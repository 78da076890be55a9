/** Records that the store writes next to the weights: one per run and one per checkpoint. */

import * as z from "zod";
import { CHECKPOINT_KINDS } from "../../../../core/tinker/paths.ts";
import { isCheckpointName, isRunId } from "./tinkerPath.ts";

const loraSchema = z.object({
  rank: z.number(),
  train_attn: z.boolean(),
  train_mlp: z.boolean(),
  train_unembed: z.boolean(),
});

const userMetadataSchema = z.record(z.string(), z.json()).nullable();

export const runRecordSchema = z.object({
  format: z.literal(1),
  run_id: z.string().refine(isRunId),
  base_model: z.string(),
  lora: loraSchema,
  user_metadata: userMetadataSchema,
  /** Process that trains the run; its checkpoints are not removed while it lives. */
  pid: z.number(),
  last_request_time: z.string(),
});

export const checkpointRecordSchema = z.object({
  format: z.literal(1),
  run_id: z.string().refine(isRunId),
  kind: z.enum(CHECKPOINT_KINDS),
  name: z.string().refine(isCheckpointName),
  /** Name of the weights file in the record's folder. */
  file: z.string().regex(/^[a-z0-9_-]+\.[0-9a-f-]+\.safetensors$/),
  base_model: z.string(),
  lora: loraSchema,
  created_at: z.string(),
  expires_at: z.string().nullable(),
  public: z.boolean(),
  user_metadata: userMetadataSchema,
  size_bytes: z.number(),
});

export type LoraRecord = z.infer<typeof loraSchema>;
export type UserMetadata = z.infer<typeof userMetadataSchema>;
export type TrainingRunRecord = z.infer<typeof runRecordSchema>;
export type CheckpointRecord = z.infer<typeof checkpointRecordSchema>;

export function isExpired(record: CheckpointRecord, nowMs: number): boolean {
  return record.expires_at !== null && Date.parse(record.expires_at) <= nowMs;
}

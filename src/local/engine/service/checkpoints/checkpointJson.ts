/** A checkpoint in the format of listings: `docs/protocols/tinker.md#checkpoints`. */

import type { JsonObject } from "../../../../core/json.ts";
import type { CheckpointRecord } from "./checkpointRecord.ts";
import { tinkerPath } from "./tinkerPath.ts";

const TYPES = {
  weights: "training",
  sampler_weights: "sampler",
  external_weights: "external",
} as const;

export function checkpointJson(record: CheckpointRecord): JsonObject {
  return {
    checkpoint_id: `${record.kind}/${record.name}`,
    checkpoint_type: TYPES[record.kind],
    time: record.created_at,
    tinker_path: tinkerPath({ runId: record.run_id, kind: record.kind, name: record.name }),
    size_bytes: record.size_bytes,
    public: record.public,
    expires_at: record.expires_at,
    user_metadata: record.user_metadata,
  };
}

/** Decides which checkpoints to remove from a full store. */

import { type CheckpointRecord, isExpired } from "./checkpointRecord.ts";

export interface StoreBound {
  readonly nowMs: number;
  /** Size limit for all sampler checkpoints together. */
  readonly maxBytes: number;
  /** True if no living process trains the run. */
  readonly isIdle: (runId: string) => boolean;
}

/** A checkpoint's bytes toward the limit. */
export function samplerBytes({ kind, size_bytes }: CheckpointRecord): number {
  return kind === "sampler_weights" ? size_bytes : 0;
}

/**
 * All expired checkpoints, plus the oldest sampler checkpoints of idle runs while the rest exceeds the limit. Training states are
 * never removed before they expire and do not count toward the limit, because they would displace all samplers.
 */
export function checkpointsToRemove(
  records: readonly CheckpointRecord[],
  { nowMs, maxBytes, isIdle }: StoreBound,
): readonly CheckpointRecord[] {
  const expired = records.filter((record) => isExpired(record, nowMs));
  const kept = records.filter((record) => !isExpired(record, nowMs));
  let bytes = kept.reduce((sum, record) => sum + samplerBytes(record), 0);
  const samplers = kept
    .filter((record) => record.kind === "sampler_weights" && isIdle(record.run_id))
    .toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  const surplus: CheckpointRecord[] = [];
  for (const record of samplers) {
    if (bytes <= maxBytes) break;
    surplus.push(record);
    bytes -= record.size_bytes;
  }
  return [...expired, ...surplus];
}

/** Decides which checkpoints a full store removes. */

import { type CheckpointRecord, isExpired } from "./checkpointRecord.ts";

export interface StoreBound {
  readonly nowMs: number;
  /** Of all sampler checkpoints together. */
  readonly maxBytes: number;
  /** True for a run that no living process trains. */
  readonly isIdle: (runId: string) => boolean;
}

/** What a checkpoint counts for the bound. */
export function samplerBytes({ kind, size_bytes }: CheckpointRecord): number {
  return kind === "sampler_weights" ? size_bytes : 0;
}

/**
 * All that expired, and while the other sampler checkpoints exceed the bound the oldest of idle runs. Weights from which a run can be
 * resumed are never removed before they expire, and do not count: they would take the place of all samplers.
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

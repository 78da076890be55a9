/** Changes to a stored checkpoint that its owner requests. */

import type { CheckpointClient } from "./checkpoints.ts";

export type CheckpointChange =
  | { readonly action: "delete" | "publish" | "unpublish" }
  /** Seconds from now; null = kept until deleted. */
  | { readonly action: "set-ttl"; readonly ttlSeconds: number | null };

/** When the checkpoint will be gone after the change, in ISO 8601; null = never, undefined = unchanged. */
export function expiryAfter(change: CheckpointChange, nowMs: number): string | null | undefined {
  if (change.action === "delete") return new Date(nowMs).toISOString();
  if (change.action !== "set-ttl") return undefined;
  const { ttlSeconds } = change;
  return ttlSeconds === null ? null : new Date(nowMs + ttlSeconds * 1000).toISOString();
}

/** @throws AppError `tinker-*` */
export function changeStored(
  client: Pick<CheckpointClient, "deleteCheckpoint" | "setCheckpointTtl" | "setCheckpointPublic">,
  path: string,
  change: CheckpointChange,
): Promise<void> {
  switch (change.action) {
    case "delete":
      return client.deleteCheckpoint(path);
    case "set-ttl":
      return client.setCheckpointTtl(path, change.ttlSeconds);
    default:
      return client.setCheckpointPublic(path, change.action === "publish");
  }
}

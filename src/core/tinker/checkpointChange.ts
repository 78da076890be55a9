/** What an owner may change about a stored checkpoint. */

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

/** Stored checkpoints of a run: list, expiry, delete. */

import type { TinkerHttp } from "./http.ts";
import { parseTinkerPath } from "./paths.ts";
import { type CheckpointList, checkpointListSchema } from "./wire.ts";

export interface Checkpoint {
  /** `tinker://RUN/KIND/NAME` */
  readonly path: string;
  /** RFC 3339, null when the server does not say. */
  readonly time: string | null;
  readonly sizeBytes: number | null;
  /** RFC 3339; null = kept for ever. */
  readonly expiresAt: string | null;
  readonly userMetadata: Readonly<Record<string, unknown>>;
}

export interface CheckpointClient {
  /** `run` is a model id. @throws AppError `tinker-*` */
  listCheckpoints(run: string): Promise<readonly Checkpoint[]>;
  /** Null removes the expiry. @throws AppError `tinker-*` */
  setCheckpointTtl(path: string, ttlSeconds: number | null): Promise<void>;
  /** @throws AppError `tinker-*`, `tinker-not-found` when it is gone already */
  deleteCheckpoint(path: string): Promise<void>;
}

/** Lists and changes stored checkpoints: `docs/protocols/tinker.md#checkpoints`. */
export function createCheckpointClient(tinker: TinkerHttp): CheckpointClient {
  return {
    listCheckpoints: async (run) => {
      const list = await tinker.call(
        { method: "GET", path: `training_runs/${run}/checkpoints` },
        checkpointListSchema,
      );
      return checkpointsOf(list);
    },
    setCheckpointTtl: (path, ttlSeconds) =>
      tinker.run({
        method: "PUT",
        path: `${resourceOf(path)}/ttl`,
        body: { ttl_seconds: ttlSeconds },
      }),
    deleteCheckpoint: (path) => tinker.run({ method: "DELETE", path: resourceOf(path) }),
  };
}

export function checkpointsOf({ checkpoints }: CheckpointList): readonly Checkpoint[] {
  return checkpoints.map((checkpoint) => ({
    path: checkpoint.tinker_path,
    time: checkpoint.time,
    sizeBytes: checkpoint.size_bytes,
    expiresAt: checkpoint.expires_at,
    userMetadata: checkpoint.user_metadata ?? {},
  }));
}

function resourceOf(path: string): string {
  const { run, kind, name } = parseTinkerPath(path);
  return `training_runs/${run}/checkpoints/${kind}/${name}`;
}

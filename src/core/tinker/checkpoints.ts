/** Stored checkpoints of a run: list, set expiry, delete. */

import { isAppError } from "../errors.ts";
import { parseTinkerPath } from "./paths.ts";
import { tinkerError } from "./transport/errors.ts";
import type { TinkerHttp } from "./transport/http.ts";
import {
  type CheckpointList,
  checkpointListSchema,
  exportedFilesSchema,
  weightsInfoSchema,
} from "./wire/wire.ts";

export interface Checkpoint {
  /** `tinker://RUN/KIND/NAME` */
  readonly path: string;
  /** RFC 3339; null if the server does not say. */
  readonly time: string | null;
  readonly sizeBytes: number | null;
  /** True if anyone who knows the path may use it; null if the server does not say. */
  readonly isPublic: boolean | null;
  /** RFC 3339; null = kept until deleted. */
  readonly expiresAt: string | null;
  readonly userMetadata: Readonly<Record<string, unknown>>;
}

/** What weights were trained on. */
export interface WeightsFacts {
  readonly baseModel: string;
  /** Null = not LoRA, or not reported. */
  readonly loraRank: number | null;
}

/** Addresses for fetching the files of exported weights without a key. */
export interface ExportedFiles {
  /** Signed addresses by path in the folder. The paths are as the server sends them and unchecked; the addresses are secrets. */
  readonly urls: ReadonlyMap<string, string>;
  /** Milliseconds since the Unix epoch; null if the server does not say. */
  readonly expiresAtMs: number | null;
}

export interface CheckpointClient {
  /** `run` is a model id. @throws AppError `tinker-*` */
  listCheckpoints(run: string): Promise<readonly Checkpoint[]>;
  /** Null removes the expiry. @throws AppError `tinker-*` */
  setCheckpointTtl(path: string, ttlSeconds: number | null): Promise<void>;
  /** @throws AppError `tinker-*`, `tinker-not-found` if it does not exist */
  deleteCheckpoint(path: string): Promise<void>;
  /** True lets anyone who knows the path use the weights; false restricts them to the owner. @throws AppError `tinker-*` */
  setCheckpointPublic(path: string, isPublic: boolean): Promise<void>;
  /** @throws AppError `tinker-*` */
  weightsFacts(path: string): Promise<WeightsFacts>;
  /** `path` must be of kind `external_weights`. Each call creates new signatures. @throws AppError `tinker-*` */
  exportedFiles(path: string): Promise<ExportedFiles>;
}

/** Lists and changes stored checkpoints: `docs/protocols/tinker.md#checkpoints`. */
export function createCheckpointClient(tinker: TinkerHttp): CheckpointClient {
  return {
    listCheckpoints: async (run) => {
      const list = await tinker.call(
        { method: "GET", path: `training_runs/${encodePart(run)}/checkpoints` },
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
    setCheckpointPublic: async (path, isPublic) => {
      const resource = `${resourceOf(path)}/publish`;
      try {
        await tinker.run({ method: isPublic ? "POST" : "DELETE", path: resource });
      } catch (error) {
        // It already has this visibility.
        if (!isAppError(error, "tinker-conflict")) throw error;
      }
    },
    weightsFacts: async (path) => {
      const body = { tinker_path: path };
      const request = { method: "POST", path: "weights_info", body } as const;
      const { base_model: baseModel, lora_rank } = await tinker.call(request, weightsInfoSchema);
      return { baseModel, loraRank: lora_rank };
    },
    exportedFiles: async (path) => {
      const request = { method: "GET", path: `${resourceOf(path)}/external_weights_urls` } as const;
      const { urls, expires } = await tinker.call(request, exportedFilesSchema);
      const expiresAtMs = expires === null ? Number.NaN : Date.parse(expires);
      return {
        urls: new Map(Object.entries(urls)),
        expiresAtMs: Number.isNaN(expiresAtMs) ? null : expiresAtMs,
      };
    },
  };
}

export function checkpointsOf({ checkpoints }: CheckpointList): readonly Checkpoint[] {
  return checkpoints.map((checkpoint) => ({
    path: checkpoint.tinker_path,
    time: checkpoint.time,
    sizeBytes: checkpoint.size_bytes,
    isPublic: checkpoint.public,
    expiresAt: checkpoint.expires_at,
    userMetadata: checkpoint.user_metadata ?? {},
  }));
}

function resourceOf(path: string): string {
  const { run, kind, name } = parseTinkerPath(path);
  return `training_runs/${encodePart(run)}/checkpoints/${kind}/${encodePart(name)}`;
}

/** Keeps the colons of a run's id, because some servers do not decode them. @throws AppError `tinker-invalid-input` for `.` and `..` */
function encodePart(part: string): string {
  if (/^\.{1,2}$/.test(part)) {
    throw tinkerError(
      "tinker-invalid-input",
      `"${part}" is not a valid part of a checkpoint's address`,
    );
  }
  return encodeURIComponent(part).replaceAll("%3A", ":");
}

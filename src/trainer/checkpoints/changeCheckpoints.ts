/** Changes stored checkpoints one after the other: deletes them for good, shares them, sets how long they are kept. */

import type { FileSystem } from "../../core/ports.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import {
  type AtTinker,
  CheckpointPlaces,
  type OnThisComputer,
  type PlacesRequest,
} from "./places.ts";

export type CheckpointChange =
  | { readonly action: "delete" | "publish" | "unpublish" }
  /** Seconds from now; null = kept until deleted. */
  | { readonly action: "set-ttl"; readonly ttlSeconds: number | null };

export interface ChangeRequest extends PlacesRequest {
  /** `tinker://RUN/KIND/NAME` each. */
  readonly paths: readonly string[];
  readonly change: CheckpointChange;
}

export interface ChangedCheckpoint {
  readonly path: string;
  /** Null = it was not there: with `isLocalOnly` no more can be said. */
  readonly place: "this computer" | "Tinker" | null;
}

/**
 * Reports each change once it is made. Nothing is changed when a path is malformed.
 * @throws AppError `tinker-invalid-input`, `key-missing`, `key-host-not-allowed`, `key-not-encrypted`, `tinker-*`
 */
export async function* changeCheckpoints(
  fileSystem: FileSystem,
  request: ChangeRequest,
): AsyncGenerator<ChangedCheckpoint> {
  for (const path of request.paths) parseTinkerPath(path);
  const cleanup = new CleanupStack();
  const places = new CheckpointPlaces(fileSystem, request, cleanup);
  try {
    for (const path of request.paths) {
      const place = await places.placeOf(path);
      if (place?.kind === "this computer") await changeHere(place, request.change);
      if (place?.kind === "Tinker") await changeThere(place, path, request.change);
      yield { path, place: place?.kind ?? null };
    }
  } finally {
    await cleanup.closeAll();
  }
}

async function changeHere({ store, key }: OnThisComputer, change: CheckpointChange): Promise<void> {
  switch (change.action) {
    case "delete":
      await store.delete(key);
      return;
    case "set-ttl":
      return await store.change(key, { ttlSeconds: change.ttlSeconds });
    default:
      return await store.change(key, { isPublic: change.action === "publish" });
  }
}

async function changeThere(
  { account }: AtTinker,
  path: string,
  change: CheckpointChange,
): Promise<void> {
  switch (change.action) {
    case "delete":
      return await account.deleteCheckpoint(path);
    case "set-ttl":
      return await account.setCheckpointTtl(path, change.ttlSeconds);
    default:
      return await account.setCheckpointPublic(path, change.action === "publish");
  }
}

/** Changes stored checkpoints one after another: deletes them permanently, shares them, or sets their expiry. */

import { AppError, isAppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import type { CheckpointChange } from "../../core/tinker/checkpointChange.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import { answerAbout } from "../models/goneState.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import {
  type AtTinker,
  CheckpointPlaces,
  noCheckpoint,
  type OnThisComputer,
  type PlacesRequest,
} from "./places.ts";

export interface ChangeRequest extends PlacesRequest {
  /** `tinker://RUN/KIND/NAME` each. */
  readonly paths: readonly string[];
  readonly change: CheckpointChange;
  /** True if a missing checkpoint counts as deleted. */
  readonly mayBeGone?: boolean | undefined;
  /** True if this computer saved all of them, so that no service is asked. */
  readonly areOwn?: boolean | undefined;
}

export interface ChangedCheckpoint {
  readonly path: string;
  /** Null = there was nothing to delete. */
  readonly place: "this computer" | "Tinker" | null;
}

/**
 * Yields each change once it is made. Changes nothing if any path is malformed.
 * @throws AppError `no-such-checkpoint`, `bad-arguments`, `key-missing`, `key-host-not-allowed`, `key-not-encrypted`, `tinker-*`
 */
export async function* changeCheckpoints(
  fileSystem: FileSystem,
  request: ChangeRequest,
): AsyncGenerator<ChangedCheckpoint> {
  const { change, mayBeGone = false, areOwn = false } = request;
  for (const path of request.paths) parseTinkerPath(path);
  const cleanup = new CleanupStack();
  const isLocalOnly = request.isLocalOnly || areOwn;
  const places = new CheckpointPlaces(fileSystem, { ...request, isLocalOnly }, cleanup);
  try {
    for (const path of request.paths) {
      const place = await places.placeOf(path);
      if (place === null && change.action !== "delete") throw noCheckpoint(path, request);
      let isGone = place === null;
      if (place?.kind === "this computer") await changeHere(place, path, change);
      if (place?.kind === "Tinker") {
        const changing = answerAbout(path, changeAtTinker(place, path, change));
        await changing.catch((error: unknown) => {
          isGone =
            mayBeGone && change.action === "delete" && isAppError(error, "no-such-checkpoint");
          if (!isGone) throw error;
        });
      }
      yield { path, place: isGone ? null : (place?.kind ?? null) };
    }
  } finally {
    await cleanup.closeAll();
  }
}

function changeAtTinker(
  { account }: AtTinker,
  path: string,
  change: CheckpointChange,
): Promise<void> {
  switch (change.action) {
    case "delete":
      return account.deleteCheckpoint(path);
    case "set-ttl":
      return account.setCheckpointTtl(path, change.ttlSeconds);
    default:
      return account.setCheckpointPublic(path, change.action === "publish");
  }
}

async function changeHere(
  { store, key }: OnThisComputer,
  path: string,
  change: CheckpointChange,
): Promise<void> {
  switch (change.action) {
    case "delete":
      await store.delete(key);
      return;
    case "set-ttl":
      return await store.change(key, { ttlSeconds: change.ttlSeconds });
    default:
      throw new AppError(
        "bad-arguments",
        `${path} is on this computer. Only checkpoints at Tinker can be public.`,
      );
  }
}

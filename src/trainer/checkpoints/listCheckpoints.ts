/** Lists and describes saved checkpoints. */

import type { FileSystem } from "../../core/ports.ts";
import type { Checkpoint } from "../../core/tinker/checkpoints.ts";
import { checkpointPage, parseTinkerPath } from "../../core/tinker/paths.ts";
import type { CheckpointRecord } from "../../local/engine/service/checkpoints/checkpointRecord.ts";
import { tinkerPath } from "../../local/engine/service/checkpoints/tinkerPath.ts";
import { answerAbout } from "../models/goneState.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { CheckpointPlaces, noCheckpoint, type PlacesRequest } from "./places.ts";

export interface StoredCheckpoint extends Omit<Checkpoint, "userMetadata"> {
  readonly place: "this computer" | "Tinker";
}

export interface DescribedCheckpoint extends StoredCheckpoint {
  readonly baseModel: string;
  readonly loraRank: number | null;
  /** Page in the hosted service's console; null for other checkpoints. */
  readonly consoleUrl: string | null;
}

/** Limit for hosted checkpoints: more than fit on a screen, fewer than pile up over the years. */
const MAX_HOSTED = 1000;

/**
 * All local checkpoints, then the account's newest, each newest first. @throws AppError `key-host-not-allowed`, `key-not-encrypted`,
 * `tinker-*`
 */
export async function listCheckpoints(
  fileSystem: FileSystem,
  request: PlacesRequest,
): Promise<readonly StoredCheckpoint[]> {
  return withPlaces(fileSystem, request, async (places) => {
    const [local, tinker] = await Promise.all([places.store.allCheckpoints(), places.tinker()]);
    const hosted = (await tinker?.account.checkpoints(MAX_HOSTED)) ?? [];
    return [...local.map(fromRecord), ...hosted.map(fromTinker)];
  });
}

/** @throws AppError `no-such-checkpoint`, and as {@link CheckpointPlaces.placeOf} */
export async function describeCheckpoint(
  fileSystem: FileSystem,
  request: PlacesRequest & { readonly path: string },
): Promise<DescribedCheckpoint> {
  const { path } = request;
  return withPlaces(fileSystem, request, async (places) => {
    const place = await places.placeOf(path);
    if (place?.kind === "this computer") {
      const { base_model: baseModel, lora } = place.record;
      const facts = { baseModel, loraRank: lora.rank, consoleUrl: null };
      return { ...fromRecord(place.record), ...facts };
    }
    const { run } = parseTinkerPath(path);
    if (place === null) throw noCheckpoint(path, request);
    const listed = await answerAbout(path, place.account.listCheckpoints(run));
    const stored = listed.find((each) => each.path === path);
    if (stored === undefined) throw noCheckpoint(path, request);
    const consoleUrl = checkpointPage(path, place.connection.baseUrl);
    return { ...fromTinker(stored), ...(await place.account.weightsFacts(path)), consoleUrl };
  });
}

async function withPlaces<Result>(
  fileSystem: FileSystem,
  request: PlacesRequest,
  use: (places: CheckpointPlaces) => Promise<Result>,
): Promise<Result> {
  const cleanup = new CleanupStack();
  try {
    return await use(new CheckpointPlaces(fileSystem, request, cleanup));
  } finally {
    await cleanup.closeAll();
  }
}

function fromRecord(record: CheckpointRecord): StoredCheckpoint {
  return {
    place: "this computer",
    path: tinkerPath({ runId: record.run_id, kind: record.kind, name: record.name }),
    time: record.created_at,
    sizeBytes: record.size_bytes,
    isPublic: record.public,
    expiresAt: record.expires_at,
  };
}

function fromTinker({ userMetadata: _, ...checkpoint }: Checkpoint): StoredCheckpoint {
  return { place: "Tinker", ...checkpoint };
}

/** Deletes checkpoints for good: those of local runs from the store of this computer, others at the Tinker service. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../core/errors.ts";
import type { FileSystem } from "../core/ports.ts";
import type { TinkerAccount } from "../core/tinker/account.ts";
import { parseTinkerPath, type TinkerPath } from "../core/tinker/paths.ts";
import { CheckpointStore } from "../local/engine/service/checkpoints/checkpointStore.ts";
import {
  type CheckpointKey,
  checkpointKey,
} from "../local/engine/service/checkpoints/tinkerPath.ts";
import { systemClock } from "../node/clock.ts";
import { isProcessAlive } from "../node/processes.ts";
import { debugLog } from "./debugLog.ts";
import { type AccountRequest, openHostedAccount } from "./hostedAccount.ts";
import { CleanupStack } from "./services/cleanupStack.ts";
import { checkpointStore } from "./services/localServices.ts";

export interface DeleteRequest extends AccountRequest {
  /** `tinker://RUN/weights/NAME` or `…/sampler_weights/NAME` each. */
  readonly paths: readonly string[];
  /** True to look in the store of this computer only: then no key is looked for and no service asked. */
  readonly isLocalOnly: boolean;
}

export interface DeletedCheckpoint {
  readonly path: string;
  /** Null = it was not there: with `isLocalOnly` no more can be said. */
  readonly place: "this computer" | "Tinker" | null;
}

/**
 * Deletes one after the other and reports each. Nothing is deleted when a path is malformed.
 * @throws AppError `tinker-invalid-input`, `key-missing`, `key-host-not-allowed`, `key-not-encrypted`, `tinker-*`
 */
export async function* deleteCheckpoints(
  fileSystem: FileSystem,
  request: DeleteRequest,
): AsyncGenerator<DeletedCheckpoint> {
  const keys = request.paths.map((path) => ({ path, ...parseTinkerPath(path) }));
  const store = localStore(fileSystem);
  const cleanup = new CleanupStack();
  let account: Promise<TinkerAccount> | null = null;
  try {
    for (const { path, ...parts } of keys) {
      const key = localKey(parts);
      if (key !== null && (await store.delete(key))) {
        yield { path, place: "this computer" };
        continue;
      }
      if (request.isLocalOnly) {
        yield { path, place: null };
        continue;
      }
      account ??= hostedAccount(request, cleanup);
      await (await account).deleteCheckpoint(path);
      yield { path, place: "Tinker" };
    }
  } finally {
    await cleanup.closeAll();
  }
}

/** Null for a name that the store of this computer cannot have. */
function localKey({ run, kind, name }: TinkerPath): CheckpointKey | null {
  try {
    return checkpointKey(run, kind, name);
  } catch {
    return null;
  }
}

/** Opens the store without its usual cleaning: deleting one checkpoint must not remove others. */
function localStore(files: FileSystem): CheckpointStore {
  return new CheckpointStore({
    files,
    isProcessAlive,
    clock: systemClock,
    log: debugLog,
    root: join(checkpointStore(), "runs"),
    uuid: randomUUID,
    pid: process.pid,
  });
}

async function hostedAccount(
  request: DeleteRequest,
  cleanup: CleanupStack,
): Promise<TinkerAccount> {
  const hosted = await openHostedAccount(request, cleanup);
  if (hosted.account !== null) return hosted.account;
  const { keyName } = hosted;
  throw new AppError(
    "key-missing",
    `This computer has no such checkpoint, and asking Tinker for it needs ${keyName}. Set it in the environment or in a .env file in this folder.`,
    { data: { name: keyName } },
  );
}

/** Locates checkpoints: those of local runs in this computer's store, all others at the Tinker service. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import type { TinkerAccount } from "../../core/tinker/account.ts";
import { parseTinkerPath } from "../../core/tinker/paths.ts";
import type { TinkerOptions } from "../../core/tinker/serviceClient.ts";
import type { CheckpointRecord } from "../../local/engine/service/checkpoints/checkpointRecord.ts";
import { CheckpointStore } from "../../local/engine/service/checkpoints/checkpointStore.ts";
import { type CheckpointKey, findKey } from "../../local/engine/service/checkpoints/tinkerPath.ts";
import { checkpointStore } from "../../node/checkpointStore.ts";
import { systemClock } from "../../node/clock.ts";
import { isProcessAlive } from "../../node/processes.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import { debugLog } from "../services/debugLog.ts";
import { type AccountRequest, openHostedAccount } from "../services/hostedAccount.ts";

export interface PlacesRequest extends AccountRequest {
  /** True to search only this computer's store, without looking up a key or asking a service. */
  readonly isLocalOnly: boolean;
}

export interface OnThisComputer {
  readonly kind: "this computer";
  readonly store: CheckpointStore;
  readonly key: CheckpointKey;
  readonly record: CheckpointRecord;
}

export interface AtTinker {
  readonly kind: "Tinker";
  readonly account: TinkerAccount;
  readonly connection: TinkerOptions;
}

export class CheckpointPlaces {
  readonly store: CheckpointStore;
  readonly #request: PlacesRequest;
  readonly #cleanup: CleanupStack;
  #tinker: Promise<AtTinker | null> | null = null;

  constructor(fileSystem: FileSystem, request: PlacesRequest, cleanup: CleanupStack) {
    this.store = localStore(fileSystem);
    this.#request = request;
    this.#cleanup = cleanup;
  }

  /**
   * The location of a checkpoint; null with `isLocalOnly` if this computer does not have it.
   * @throws AppError `bad-arguments`, `key-missing`, `key-host-not-allowed`, `key-not-encrypted`, `tinker-*`
   */
  async placeOf(path: string): Promise<OnThisComputer | AtTinker | null> {
    parseTinkerPath(path);
    const key = findKey(path);
    const record = key === null ? null : await this.store.find(key);
    if (key !== null && record !== null) {
      return { kind: "this computer", store: this.store, key, record };
    }
    if (this.#request.isLocalOnly) return null;
    const tinker = await this.tinker();
    if (tinker !== null) return tinker;
    throw new AppError(
      "key-missing",
      "This computer has no such checkpoint, and looking it up at Tinker needs TINKER_API_KEY. Set it in the environment or in a .env file in this folder.",
      { data: { name: "TINKER_API_KEY" } },
    );
  }

  /** Null without a key or with `isLocalOnly`. @throws AppError `key-host-not-allowed`, `key-not-encrypted`, `tinker-*` */
  tinker(): Promise<AtTinker | null> {
    this.#tinker ??= this.#openTinker();
    return this.#tinker;
  }

  async #openTinker(): Promise<AtTinker | null> {
    if (this.#request.isLocalOnly) return null;
    const { account, connection } = await openHostedAccount(this.#request, this.#cleanup);
    if (account === null || connection === null) return null;
    return { kind: "Tinker", account, connection };
  }
}

/** `isLocalOnly` as requested by the user. */
export function noCheckpoint(
  path: string,
  { isLocalOnly }: Pick<PlacesRequest, "isLocalOnly">,
): AppError {
  const advice = isLocalOnly
    ? "Omit --local to look it up at Tinker."
    : "tinker-rl checkpoints list shows what exists.";
  return new AppError(
    "no-such-checkpoint",
    `There is no checkpoint ${path}. It may have expired or been deleted. ${advice}`,
  );
}

/** Opens the store without its usual cleanup: looking at a checkpoint must not remove others. */
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

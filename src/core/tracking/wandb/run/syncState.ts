/** `wandb.json`: how much of a run has been sent to W&B, so that a later attempt continues exactly there. */

import type { FolderFiles } from "../../../ports.ts";
import { MAX_BYTES } from "../../../runFolder/files/wholeFiles.ts";
import {
  parseWandbState,
  type SyncCursor,
  type WandbState,
  wandbStatePath,
} from "../../../runFolder/wandbState.ts";
import { Limiter } from "../../../util/limiter.ts";

/** Sent immediately, or written to files for `wandb sync`; each mode has its own cursor. */
export type SyncMode = "online" | "offline";

export interface ReportedRun {
  /** Null = any. */
  readonly deployment: string | null;
  readonly entity: string | null;
  readonly project: string;
}

export interface SyncStateOptions {
  readonly fileSystem: FolderFiles;
  /** The run folder. */
  readonly folder: string;
  readonly identity: ReportedRun;
  /** Used for a run that W&B does not know yet. */
  readonly newRunId: string;
  /** The id from an earlier attempt, used if its own file is lost; null if there is none. */
  readonly knownRunId: string | null;
  /** First step of this attempt; rows from there on are new. */
  readonly firstStep: number;
}

/** The cursor when nothing has been sent. */
export const START_CURSOR: SyncCursor = {
  next: 0,
  history: 0,
  log: 0,
  events: 0,
  step: 0,
  runtimeS: 0,
  sent: {},
  file: null,
};
const NOTHING_SENT = { confirmed: START_CURSOR, pending: null };

export class SyncState {
  readonly #fileSystem: FolderFiles;
  readonly #path: string;
  readonly #writing = new Limiter(1);
  #file: WandbState;

  private constructor(fileSystem: FolderFiles, path: string, file: WandbState) {
    this.#fileSystem = fileSystem;
    this.#path = path;
    this.#file = file;
  }

  /** A run with another project, entity or server than before becomes a new W&B run. @throws AppError `disk` */
  static async open(options: SyncStateOptions): Promise<SyncState> {
    const { fileSystem, folder, identity, newRunId, knownRunId, firstStep } = options;
    const path = wandbStatePath(folder);
    const old = await readWandbState(fileSystem, path);
    const runId = old === null ? (knownRunId ?? newRunId) : newRunId;
    const isSame = old !== null && isSameRun(old, identity);
    const file: WandbState = isSame
      ? {
          ...old,
          isEnded: false,
          deployment: identity.deployment ?? old.deployment,
          online: rewound(old.online, firstStep),
          offline: rewound(old.offline, firstStep),
        }
      : {
          schemaVersion: 1,
          runId,
          ...identity,
          isStopHandled: false,
          isEnded: false,
          online: NOTHING_SENT,
          offline: NOTHING_SENT,
        };
    const syncState = new SyncState(fileSystem, path, file);
    await syncState.#save({});
    return syncState;
  }

  get runId(): string {
    return this.#file.runId;
  }

  get isStopHandled(): boolean {
    return this.#file.isStopHandled;
  }

  confirmed(mode: SyncMode): SyncCursor {
    return this.#file[mode].confirmed;
  }

  pending(mode: SyncMode): SyncCursor | null {
    return this.#file[mode].pending;
  }

  /** Call before a delivery, with the cursor that it will reach. @throws AppError `disk` */
  async setPending(mode: SyncMode, pending: SyncCursor): Promise<void> {
    await this.#save({ [mode]: { ...this.#file[mode], pending } });
  }

  /** Call after the delivery. @throws AppError `disk` */
  async confirm(mode: SyncMode, confirmed: SyncCursor): Promise<void> {
    await this.#save({ [mode]: { confirmed, pending: null } });
  }

  /** @throws AppError `disk` */
  async markStopHandled(): Promise<void> {
    await this.#save({ isStopHandled: true });
  }

  /** Records that everything is sent. @throws AppError `disk` */
  async end(): Promise<void> {
    await this.#save({ isEnded: true });
  }

  async #save(change: Partial<WandbState>): Promise<void> {
    this.#file = { ...this.#file, ...change };
    await this.#writing.run(async () => {
      const text = `${JSON.stringify(this.#file, null, 2)}\n`;
      await this.#fileSystem.writeAtomic(this.#path, text);
    });
  }
}

/** A damaged file is ignored; the server's own counts then decide where to continue. */
async function readWandbState(fileSystem: FolderFiles, path: string): Promise<WandbState | null> {
  if ((await fileSystem.size(path)) === null) return null;
  return parseWandbState(await fileSystem.readText(path, MAX_BYTES.wandb));
}

function isSameRun(file: WandbState, { deployment, entity, project }: ReportedRun): boolean {
  const isSameServer =
    deployment === null || file.deployment === null || file.deployment === deployment;
  return isSameServer && file.entity === entity && file.project === project;
}

function rewound({ confirmed, pending }: WandbState["online"], step: number): WandbState["online"] {
  const to = (cursor: SyncCursor): SyncCursor => ({ ...cursor, next: Math.min(cursor.next, step) });
  return { confirmed: to(confirmed), pending: pending === null ? null : to(pending) };
}

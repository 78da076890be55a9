/**
 * Groups that ended before the step that trains them, as files of the run folder: they take no memory while they wait, and a resume
 * neither plays nor pays for them again.
 */

import { errorMessage, isAppError } from "../errors.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";
import { runPaths } from "../runFolder/layout.ts";
import { Limiter } from "../util/limiter.ts";
import type { RunContext } from "./context.ts";
import { decodeGroup, encodeGroup } from "./groupFile.ts";
import { storedRecord, withImages } from "./storedRecord.ts";

/** What decides which tokens a group holds. */
export interface GroupKey {
  /** In the endless list of tasks. */
  readonly position: number;
  /** Of the weights that sampled it. */
  readonly version: number;
  readonly settingsHash: string;
}

type GroupContext = Pick<RunContext, "storage" | "ports" | "reporting">;

const FILE_NAME = /^group-(\d{6,})-v(\d+)-[0-9a-f]{16}\.bin$/;
/** Of settings that are a digest in a file's name. */
const HASH_LENGTH = 16;

export class StoredGroups {
  readonly #context: GroupContext;
  readonly #names: Set<string>;
  /** One at a time: many groups end together, and the bytes of each take several times what it holds. */
  readonly #writing = new Limiter(1);

  private constructor(context: GroupContext, names: Set<string>) {
    this.#context = context;
    this.#names = names;
  }

  /** Finds what earlier attempts have left. @throws AppError `disk` */
  static async open(context: GroupContext): Promise<StoredGroups> {
    const { fileSystem, folder } = context.storage;
    const names = await fileSystem.list(runPaths(folder).pendingFolder);
    return new StoredGroups(context, new Set(names.filter((name) => FILE_NAME.test(name))));
  }

  /** Removes what an attempt has left that sampled ahead. @throws AppError `disk` */
  static remove({ storage }: GroupContext): Promise<void> {
    return storage.fileSystem.remove(runPaths(storage.folder).pendingFolder);
  }

  has(key: GroupKey): boolean {
    return this.#names.has(this.#nameOf(key));
  }

  /** True for a group of whatever settings. */
  holds({ position, version }: Pick<GroupKey, "position" | "version">): boolean {
    return [...this.#names].some((name) => {
      const [, storedPosition, storedVersion] = FILE_NAME.exec(name) ?? [];
      return Number(storedPosition) === position && Number(storedVersion) === version;
    });
  }

  /** @throws AppError `disk` */
  add(key: GroupKey, rollouts: readonly FinishedRollout[]): Promise<void> {
    return this.#writing.run(() => this.#write(key, rollouts));
  }

  async #write(key: GroupKey, rollouts: readonly FinishedRollout[]): Promise<void> {
    const { fileSystem, folder } = this.#context.storage;
    const { redactor } = this.#context.reporting;
    const { pendingFolder } = runPaths(folder);
    await fileSystem.makeDirectory(pendingFolder);
    const cleaned = [];
    for (const rollout of rollouts) {
      const { facts, stack } = rollout;
      const record = await storedRecord(this.#context, rollout);
      // Facts hold the names of tools as the model wrote them.
      cleaned.push({ ...rollout, ...redactor.redactRecord({ record, facts, stack }) });
    }
    const name = this.#nameOf(key);
    await fileSystem.writeAtomic(`${pendingFolder}/${name}`, encodeGroup(cleaned));
    this.#names.add(name);
  }

  /** Null for a group that is not there, or that cannot be read. */
  async read(key: GroupKey): Promise<readonly FinishedRollout[] | null> {
    const { fileSystem, folder } = this.#context.storage;
    const path = `${runPaths(folder).pendingFolder}/${this.#nameOf(key)}`;
    try {
      const rollouts = decodeGroup(await fileSystem.readBytes(path));
      if (rollouts === null) return null;
      return await Promise.all(rollouts.map((rollout) => withImages(this.#context, rollout)));
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.#context.reporting.log.warn("A stored group cannot be read.", {
        path,
        reason: errorMessage(error),
      });
      return null;
    }
  }

  /** Removes the groups before this position: no resume needs them any more. @throws AppError `disk` */
  async removeBefore(position: number): Promise<void> {
    const { fileSystem, folder } = this.#context.storage;
    for (const name of this.#names) {
      if (Number(FILE_NAME.exec(name)?.[1]) >= position) continue;
      this.#names.delete(name);
      await fileSystem.remove(`${runPaths(folder).pendingFolder}/${name}`);
    }
  }

  #nameOf({ position, version, settingsHash }: GroupKey): string {
    const hash = this.#context.ports.sha256(settingsHash).slice(0, HASH_LENGTH);
    return `group-${String(position).padStart(6, "0")}-v${version}-${hash}.bin`;
  }
}

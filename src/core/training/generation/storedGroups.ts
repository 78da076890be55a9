/**
 * Groups that finished before the step that trains them, as files in the run folder. They take no memory while they wait, and a resume
 * does not play or pay for them again. Rollouts of an unfinished group are in a file of the current attempt, which a resume removes.
 */

import { errorMessage, isAppError } from "../../errors.ts";
import type { FinishedRollout } from "../../rollout/rollout.ts";
import { runPaths } from "../../runFolder/files/layout.ts";
import type { RunContext } from "../run/context.ts";
import { decodeGroup, encodeRollout } from "./groupFile.ts";
import { storedRecord, withImages } from "./storedRecord.ts";

/** What determines the tokens of a group. */
export interface GroupKey {
  /** Position in the endless task sequence. */
  readonly position: number;
  /** Version of the weights that sampled it. */
  readonly version: number;
  readonly settingsHash: string;
}

type GroupContext = Pick<RunContext, "config" | "storage" | "ports" | "reporting">;

const FILE_NAME = /^group-(\d{6,})-v(\d+)-[0-9a-f]{16}\.bin$/;
/** Length of the settings digest in a file name. */
const HASH_LENGTH = 16;

export class StoredGroups {
  readonly #context: GroupContext;
  readonly #names: Set<string>;

  /** Number of groups that earlier attempts stored and this one cannot train on. */
  readonly discarded: number;

  private constructor(context: GroupContext, names: Set<string>, discarded: number) {
    this.#context = context;
    this.#names = names;
    this.discarded = discarded;
  }

  /**
   * Finds the groups that earlier attempts stored. With `stable_reinforce` it removes them, because their sequences ended with their
   * session. @throws AppError `disk`
   */
  static async open(context: GroupContext): Promise<StoredGroups> {
    const { fileSystem, folder } = context.storage;
    const { pendingFolder } = runPaths(folder);
    const names = new Set(await fileSystem.list(pendingFolder));
    const isUsable = context.config.loss_fn !== "stable_reinforce";
    let discarded = 0;
    for (const name of names) {
      const isGroup = FILE_NAME.test(name);
      if (isGroup && isUsable) continue;
      if (isGroup) discarded += 1;
      names.delete(name);
      await fileSystem.remove(`${pendingFolder}/${name}`);
    }
    return new StoredGroups(context, names, discarded);
  }

  /** Removes groups stored by an attempt that sampled ahead. @throws AppError `disk` */
  static remove({ storage }: GroupContext): Promise<void> {
    return storage.fileSystem.remove(runPaths(storage.folder).pendingFolder);
  }

  has(key: GroupKey): boolean {
    return this.#names.has(this.#nameOf(key));
  }

  /** True if the group is stored with any settings. */
  holds({ position, version }: Pick<GroupKey, "position" | "version">): boolean {
    return [...this.#names].some((name) => {
      const [, storedPosition, storedVersion] = FILE_NAME.exec(name) ?? [];
      return Number(storedPosition) === position && Number(storedVersion) === version;
    });
  }

  /** Stores a rollout of a group that has not finished. @throws AppError `disk` */
  async add(key: GroupKey, rollout: FinishedRollout): Promise<void> {
    const { fileSystem, folder } = this.#context.storage;
    await fileSystem.makeDirectory(runPaths(folder).pendingFolder);
    const { facts, stack } = rollout;
    const record = await storedRecord(this.#context, rollout);
    // Facts contain tool names as the model wrote them.
    const { redactor } = this.#context.reporting;
    const cleaned = { ...rollout, ...redactor.redactRecord({ record, facts, stack }) };
    await fileSystem.append(this.#openPathOf(key), encodeRollout(cleaned));
  }

  /** Completes a group whose rollouts are all stored. @throws AppError `disk` */
  async complete(key: GroupKey): Promise<void> {
    const { fileSystem } = this.#context.storage;
    await fileSystem.rename(this.#openPathOf(key), this.#pathOf(key));
    this.#names.add(this.#nameOf(key));
  }

  /** Null for a group that is missing or unreadable. */
  async read(key: GroupKey): Promise<readonly FinishedRollout[] | null> {
    const { fileSystem } = this.#context.storage;
    const path = this.#pathOf(key);
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

  /** Removes groups before `position`, which no resume needs anymore. @throws AppError `disk` */
  async removeBefore(position: number): Promise<void> {
    const { fileSystem, folder } = this.#context.storage;
    for (const name of this.#names) {
      if (Number(FILE_NAME.exec(name)?.[1]) >= position) continue;
      this.#names.delete(name);
      await fileSystem.remove(`${runPaths(folder).pendingFolder}/${name}`);
    }
  }

  /** File for the rollouts of an unfinished group. */
  #openPathOf(key: GroupKey): string {
    return `${this.#pathOf(key)}.attempt-${this.#context.storage.attempt}`;
  }

  #pathOf(key: GroupKey): string {
    return `${runPaths(this.#context.storage.folder).pendingFolder}/${this.#nameOf(key)}`;
  }

  #nameOf({ position, version, settingsHash }: GroupKey): string {
    const hash = this.#context.ports.sha256(settingsHash).slice(0, HASH_LENGTH);
    return `group-${String(position).padStart(6, "0")}-v${version}-${hash}.bin`;
  }
}

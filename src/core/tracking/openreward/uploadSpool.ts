/**
 * Uploads the rollouts of a run while it is running. The rollouts are already on disk, so the spool logs which were sent and
 * keeps only those in progress in memory. It never stops or fails the run.
 */

import { errorMessage } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { EvaluationEntry } from "../../runFolder/evaluationLog.ts";
import { readBody } from "../../runFolder/reader.ts";
import type { RolloutRecord } from "../../runFolder/rollouts/rolloutRecord.ts";
import type { RolloutUse } from "./describeRollout.ts";
import { type BacklogOptions, findBacklog, type UploadJob } from "./uploadBacklog.ts";
import type { Delivered, DeliveryOptions } from "./uploadDelivery.ts";
import type { RolloutUpload } from "./uploadEvents.ts";
import {
  appendUploadLine,
  applyUploadLine,
  readUploadLog,
  repairUploadLog,
  rolloutKey,
  type SentRollout,
  type UploadLine,
  type UploadLogState,
} from "./uploadLog.ts";
import {
  evaluationSet,
  setKey,
  type UploadableRollout,
  type UploadSet,
  uploadableRollouts,
} from "./uploadSet.ts";

export interface UploadSpoolOptions extends BacklogOptions {
  readonly clock: Clock;
  readonly describe: (record: RolloutRecord, use: RolloutUse, nameSuffix: string) => RolloutUpload;
  readonly deliver: (rollout: RolloutUpload, options: DeliveryOptions) => Promise<Delivered>;
  /** Called when some or all rollouts cannot be uploaded by this attempt, once per reason. */
  readonly onOutage: (problem: UploadProblem) => void;
}

export interface UploadProblem {
  /** `refused` = individual rollouts were refused, the others continue; `failed` = nothing more can be uploaded from this computer. */
  readonly kind: "refused" | "failed";
  readonly reason: string;
}

export interface DrainOptions {
  readonly limitMs: number;
  /** Ends the wait early. */
  readonly shouldGiveUp: () => boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called while waiting: immediately, then periodically. */
  readonly onProgress: (waiting: number) => void;
}

/** Rollouts uploaded concurrently. */
const MAX_CONCURRENT = 8;
const PROGRESS_MS = 5_000;
const CHECK_MS = 1_000;

export class UploadSpool {
  readonly #options: UploadSpoolOptions;
  readonly #jobs: UploadJob[] = [];
  readonly #closing = new AbortController();
  #log: UploadLogState = { complete: new Set(), sets: new Map() };
  /** Keys of the evaluations that were found or queued. */
  #evaluated = new Set<string>();
  /** Resolves once the leftovers of earlier attempts are known; await it before anything is played. */
  readonly opened: Promise<void>;
  #working: Promise<void>;
  /** True once nothing more is sent. */
  #isOver = false;
  /** Rollouts that the service refused; the run's next attempt tries them again. */
  #refused = 0;
  #isReported = false;

  /** Starts with what earlier attempts at the run left behind. */
  constructor(options: UploadSpoolOptions) {
    this.#options = options;
    this.opened = this.#withFallback(() => this.#open());
    this.#working = this.opened;
    this.#work();
  }

  /** Scored rollouts that have not been accepted yet. */
  get waiting(): number {
    return this.#refused + this.#jobs.reduce((sum, job) => sum + job.waiting, 0);
  }

  /** Call when a step of this attempt is complete, with its number of rollouts. */
  stepScored(step: number, rollouts: number): void {
    if (this.#options.sources.training) this.#queue({ step }, rollouts);
  }

  /** Call when an evaluation is complete. Ignores evaluations that an earlier attempt completed. */
  evaluationEnded(entry: Pick<EvaluationEntry, "step" | "purpose" | "model" | "results">): void {
    if (!this.#options.sources.evaluations) return;
    const set = evaluationSet(entry);
    const rollouts = entry.results.reduce((sum, result) => sum + result.rollouts, 0);
    void this.opened.then(() => {
      if (this.#evaluated.has(setKey(set))) return;
      this.#evaluated.add(setKey(set));
      this.#queue(set, rollouts);
    });
  }

  #queue(set: UploadSet, rollouts: number): void {
    const { folder: root, attempt } = this.#options;
    const queue = (): Promise<void> =>
      this.#note({ kind: "queued", attempt, ...set, waiting: this.waiting });
    const logged = this.opened.then(() => this.#withFallback(queue));
    this.#jobs.push({ root, set, attempt, ids: null, logged, waiting: rollouts });
    this.#work();
  }

  /** Waits until everything possible has been sent, and returns how many rollouts are left for the next attempt. */
  async drain({ limitMs, shouldGiveUp, signal, onProgress }: DrainOptions): Promise<number> {
    const { clock } = this.#options;
    const endMs = clock.monotonic() + limitMs;
    await this.opened;
    let isDone = false;
    const done = this.#working.then(() => {
      isDone = true;
    });
    const mayWait = (): boolean =>
      !isDone && !shouldGiveUp() && signal?.aborted !== true && clock.monotonic() < endMs;
    // Report no progress if everything is settled already.
    await Promise.race([done, clock.sleep(0)]);
    let progressMs = clock.monotonic();
    while (mayWait()) {
      if (clock.monotonic() >= progressMs) {
        onProgress(this.waiting);
        progressMs += PROGRESS_MS;
      }
      await this.#pause(done, Math.min(CHECK_MS, endMs - clock.monotonic()), signal);
    }
    return this.waiting;
  }

  /** Abandons uploads in progress; the next attempt finds out how far they got. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#closing.abort(new Error("closed"));
    await this.#working;
  }

  #work(): void {
    this.#working = this.#working.then(() => this.#withFallback(() => this.#uploadAll()));
  }

  /** Upload errors never end the run. */
  async #withFallback(action: () => Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#fail(errorMessage(error));
    }
  }

  #fail(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onOutage({ kind: "failed", reason });
  }

  async #open(): Promise<void> {
    const { fileSystem, folder, attempt, firstStep } = this.#options;
    await repairUploadLog(fileSystem, folder);
    this.#log = await readUploadLog(fileSystem, folder, firstStep);
    const { jobs, evaluated, toRepeat } = await findBacklog(this.#options, this.#log);
    this.#evaluated = new Set(evaluated);
    this.#jobs.unshift(...jobs);
    await this.#note({ kind: "opened", attempt, waiting: this.waiting });
    // Otherwise a kill right after the repeat would leave it marked as uploaded.
    for (const set of toRepeat) {
      await this.#note({ kind: "queued", attempt, ...set, waiting: this.waiting });
    }
  }

  async #uploadAll(): Promise<void> {
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      if (this.#isOver) return;
      await this.#uploadSet(job);
      if (this.#isOver) return;
      this.#jobs.shift();
    }
  }

  async #uploadSet(job: UploadJob): Promise<void> {
    const { root, set, ids, logged } = job;
    await logged;
    const scored = await uploadableRollouts(this.#options.fileSystem, root, set);
    job.waiting = ids === null ? scored.length : Math.min(scored.length, ids.size);
    const refusedBefore = this.#refused;
    const queue = scored.values();
    const worker = async (): Promise<void> => {
      for (const rollout of queue) {
        if (this.#isOver) return;
        await this.#uploadRollout(job, rollout);
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, () => worker()));
    if (this.#isOver || ids !== null) return;
    this.#log.sets.delete(setKey(set));
    if (this.#refused === refusedBefore) await this.#note({ kind: "complete", ...set });
  }

  async #uploadRollout(
    job: UploadJob,
    { location, use, nameSuffix }: UploadableRollout,
  ): Promise<void> {
    const { fileSystem, describe, deliver } = this.#options;
    const record = await readBody(fileSystem, job.root, location);
    if (record === null) {
      if (job.ids === null) this.#refuse(job, "its record in the run folder cannot be read");
      return;
    }
    const rollout = describe(record, use, nameSuffix);
    if (job.ids !== null && !job.ids.has(rollout.id)) return;
    const known = this.#log.sets.get(setKey(job.set))?.rollouts.get(rolloutKey(location)) ?? [];
    const same = known.find(({ id }) => id === rollout.id);
    const of = { ...job.set, group: location.group, rollout: location.rollout, id: rollout.id };
    if (same?.isWhole === true) {
      job.waiting -= 1;
      return;
    }
    const fresh = marked(rollout, job.attempt, known);
    const name = same?.name ?? fresh.rolloutName;
    const named = { ...fresh, rolloutName: name };
    if (same === undefined) {
      await this.#note({ kind: "sending", attempt: job.attempt, ...of, name });
    }
    const delivered = await deliver(named, {
      mayHaveArrived: same !== undefined,
      signal: this.#closing.signal,
    });
    if (delivered.kind === "refused") return this.#refuse(job, delivered.reason);
    job.waiting -= 1;
    await this.#note({ kind: "sent", ...of, waiting: this.waiting });
  }

  #refuse(job: UploadJob, reason: string): void {
    job.waiting -= 1;
    this.#refused += 1;
    if (this.#isReported) return;
    this.#isReported = true;
    this.#options.onOutage({ kind: "refused", reason });
  }

  async #note(line: UploadLine): Promise<void> {
    const { fileSystem, folder } = this.#options;
    await appendUploadLine(fileSystem, folder, line);
    applyUploadLine(this.#log, line);
  }

  async #pause(done: Promise<void>, ms: number, signal: AbortSignal | undefined): Promise<void> {
    const over = new AbortController();
    const end = (): void => over.abort();
    signal?.addEventListener("abort", end, { once: true });
    try {
      await Promise.race([done, this.#options.clock.sleep(ms, over.signal)]).catch(() => undefined);
    } finally {
      signal?.removeEventListener("abort", end);
      over.abort();
    }
  }
}

/** If a repeat differs from what was sent before, adds its attempt to the name and metadata. */
function marked(
  rollout: RolloutUpload,
  attempt: number,
  known: readonly SentRollout[],
): RolloutUpload {
  if (known.every(({ id }) => id === rollout.id)) return rollout;
  return {
    ...rollout,
    rolloutName: `${rollout.rolloutName}-attempt${attempt}`,
    metadata: { ...rollout.metadata, attempt },
  };
}

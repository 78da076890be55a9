/**
 * Uploads the rollouts of a run during the run. The rollouts are on disk already, so the spool logs which were sent and
 * keeps only those under way in memory. The spool neither stops nor fails a run.
 */

import { errorMessage } from "../../errors.ts";
import type { Clock, FolderFiles } from "../../ports.ts";
import { runPaths, stepOfFileName, supersededFolder } from "../../runFolder/layout.ts";
import { readBody } from "../../runFolder/reader.ts";
import type { RolloutRecord, ScoredLine } from "../../runFolder/rolloutRecord.ts";
import { type ScoredRollout, scoredRollouts } from "../../runFolder/scoredRollouts.ts";
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

export interface UploadSpoolOptions {
  readonly fileSystem: FolderFiles;
  readonly clock: Clock;
  /** The run folder. */
  readonly folder: string;
  readonly attempt: number;
  /** The step that this attempt begins with: what was uploaded for it and later ones is repeated now. */
  readonly firstStep: number;
  readonly describe: (
    record: RolloutRecord,
    score: ScoredLine,
    nameSuffix: string,
  ) => RolloutUpload;
  readonly deliver: (rollout: RolloutUpload, options: DeliveryOptions) => Promise<Delivered>;
  /** Called when rollouts, or all of them, cannot be uploaded by this attempt, once for each reason. */
  readonly onOutage: (problem: UploadProblem) => void;
}

export interface UploadProblem {
  /** `refused` = single rollouts, the others go on; `failed` = none goes any more from this machine. */
  readonly kind: "refused" | "failed";
  readonly reason: string;
}

export interface DrainOptions {
  readonly limitMs: number;
  /** Ends the wait early. */
  readonly shouldGiveUp: () => boolean;
  readonly signal?: AbortSignal;
  /** Called while it waits: at once, and from time to time. */
  readonly onProgress: (waiting: number) => void;
}

interface Job {
  /** The run folder, or one of superseded rollouts. */
  readonly root: string;
  readonly step: number;
  /** The attempt that played it. */
  readonly attempt: number;
  /** Only these; null = all. */
  readonly ids: ReadonlySet<string> | null;
  /** Settled once the log contains the line. */
  readonly logged: Promise<void>;
  waiting: number;
}

/** Rollouts that are sent at the same time. */
const MAX_CONCURRENT = 8;
const PROGRESS_MS = 5_000;
const CHECK_MS = 1_000;
const LOGGED = Promise.resolve();

export class UploadSpool {
  readonly #options: UploadSpoolOptions;
  readonly #jobs: Job[] = [];
  readonly #closing = new AbortController();
  #log: UploadLogState = { complete: new Set(), steps: new Map() };
  /** Settled once the log has been read. */
  readonly #opened: Promise<void>;
  #working: Promise<void>;
  /** Nothing is sent any more. */
  #isOver = false;
  /** Rollouts that the service refused; the next attempt at the run tries again. */
  #refused = 0;
  #isReported = false;

  /** Begins with what earlier attempts at the run left behind. */
  constructor(options: UploadSpoolOptions) {
    this.#options = options;
    this.#opened = this.#withFallback(() => this.#open());
    this.#working = this.#opened;
    this.#work();
  }

  /** Scored rollouts that have not been taken. */
  get waiting(): number {
    return this.#refused + this.#jobs.reduce((sum, job) => sum + job.waiting, 0);
  }

  /** Call when a step of this attempt is complete, with the number of its rollouts. */
  stepScored(step: number, rollouts: number): void {
    const { folder: root, attempt } = this.#options;
    const queue = (): Promise<void> =>
      this.#note({ kind: "queued", attempt, step, waiting: this.waiting });
    const logged = this.#opened.then(() => this.#withFallback(queue));
    this.#jobs.push({ root, step, attempt, ids: null, logged, waiting: rollouts });
    this.#work();
  }

  /** Waits until all has been sent that can be, and returns how many rollouts wait for the next attempt. */
  async drain({ limitMs, shouldGiveUp, signal, onProgress }: DrainOptions): Promise<number> {
    const { clock } = this.#options;
    const endMs = clock.monotonic() + limitMs;
    let isDone = false;
    const done = this.#working.then(() => {
      isDone = true;
    });
    const mayWait = (): boolean =>
      !isDone && !shouldGiveUp() && signal?.aborted !== true && clock.monotonic() < endMs;
    await this.#opened;
    // What is settled already needs no line.
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

  /** Gives up what is under way; the next attempt finds out how far it came. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#closing.abort(new Error("closed"));
    await this.#working;
  }

  #work(): void {
    this.#working = this.#working.then(() => this.#withFallback(() => this.#uploadAll()));
  }

  /** An error of the upload never ends the run. */
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
    const names = await fileSystem.list(runPaths(folder).rolloutFolder);
    const steps = new Set(names.flatMap((name) => stepOfFileName(name) ?? []));
    const backlog: Job[] = [];
    for (const step of [...steps].sort((a, b) => a - b)) {
      if (step >= firstStep || this.#log.complete.has(step)) continue;
      const known = this.#log.steps.get(step);
      const scored = await scoredRollouts(fileSystem, folder, step);
      const sent = [...(known?.rollouts.values() ?? [])].filter((each) => each.at(-1)?.isWhole);
      const waiting = Math.max(0, scored.length - sent.length);
      const playedBy = known?.attempt ?? Math.max(1, attempt - 1);
      backlog.push({ root: folder, step, attempt: playedBy, ids: null, logged: LOGGED, waiting });
    }
    this.#jobs.unshift(...this.#partialUploads(), ...backlog);
    await this.#note({ kind: "opened", attempt, waiting: this.waiting });
  }

  /** Superseded rollouts that may have arrived in part: their upload is completed, so that the service keeps no partial rollout. */
  #partialUploads(): readonly Job[] {
    const { folder, firstStep } = this.#options;
    const jobs: Job[] = [];
    for (const [step, { attempt, rollouts }] of this.#log.steps) {
      const isOld = (sent: SentRollout): boolean =>
        !sent.isWhole && (step >= firstStep || sent.attempt < (attempt ?? 0));
      for (const sent of [...rollouts.values()].flat().filter(isOld)) {
        const root = supersededFolder(folder, sent.attempt);
        const ids = new Set([sent.id]);
        jobs.push({ root, step, attempt: sent.attempt, ids, logged: LOGGED, waiting: 1 });
      }
    }
    return jobs;
  }

  async #uploadAll(): Promise<void> {
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      if (this.#isOver) return;
      await this.#uploadStep(job);
      if (this.#isOver) return;
      this.#jobs.shift();
    }
  }

  async #uploadStep(job: Job): Promise<void> {
    const { root, step, ids, logged } = job;
    await logged;
    const scored = await scoredRollouts(this.#options.fileSystem, root, step);
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
    this.#log.steps.delete(step);
    if (this.#refused === refusedBefore) await this.#note({ kind: "complete", step });
  }

  async #uploadRollout(job: Job, { ended, score, sameTaskBefore }: ScoredRollout): Promise<void> {
    const { fileSystem, describe, deliver } = this.#options;
    const record = await readBody(fileSystem, job.root, ended);
    if (record === null) {
      if (job.ids === null) this.#refuse(job, "its record in the run folder cannot be read");
      return;
    }
    const suffix = sameTaskBefore === 0 ? "" : `-g${ended.group}`;
    const rollout = describe(record, score, suffix);
    if (job.ids !== null && !job.ids.has(rollout.id)) return;
    const known = this.#log.steps.get(job.step)?.rollouts.get(rolloutKey(ended)) ?? [];
    const same = known.find(({ id }) => id === rollout.id);
    const of = { step: job.step, group: ended.group, rollout: ended.rollout, id: rollout.id };
    if (same?.isWhole === true) {
      job.waiting -= 1;
      return;
    }
    const named = {
      ...marked(rollout, job.attempt, known),
      ...(same && { rolloutName: same.name }),
    };
    const name = named.rolloutName;
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

  #refuse(job: Job, reason: string): void {
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

/** A repeat that differs from what was sent before says which attempt at the run it is of. */
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

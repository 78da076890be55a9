/** Records all requests about a run. The loop acts on them between steps; a stop aborts the rollouts. */

import type { Config } from "../../config/fields/schema.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { CheckpointEntry } from "../../runFolder/checkpointLog.ts";
import { linkSignals } from "../../util/abort.ts";
import { WakeableSleep } from "../../util/wakeableSleep.ts";

/** New values for tunable keys, checked already. */
export interface SettingsChange {
  readonly config: Config;
  readonly configHash: string;
  /** Dotted paths of the keys that differ. */
  readonly keys: readonly string[];
  /** Writes the configuration down with the run; called when it comes into force. */
  readonly record: () => Promise<void>;
  /** Called instead when it cannot come into force after all. */
  readonly dropped: () => void;
}

type Save = () => Promise<CheckpointEntry>;

interface WaitingSave {
  readonly resolve: (entry: Promise<CheckpointEntry>) => void;
  readonly reject: (reason: unknown) => void;
}

export class RunControl {
  #stopping = new AbortController();
  #stop: AppError | null = null;
  readonly #sleep = new WakeableSleep();
  #isPausing = false;
  #failure: AppError | null = null;
  #settingsChange: SettingsChange | null = null;
  #save: Save | null = null;
  #waitingSaves: WaitingSave[] = [];
  #isOver = false;

  /** Aborted once a stop is asked for, or with what makes it impossible to continue. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** True when a stop was requested; false when the run ends because it cannot continue. */
  get isStopping(): boolean {
    return this.signal.aborted && this.#failure === null;
  }

  /** True when a stop was requested, also after a failure. */
  get isStopRequested(): boolean {
    return this.#stop !== null;
  }

  /** The error of a lost service without which the attempt cannot continue; null while nothing is lost. */
  get failure(): AppError | null {
    return this.#failure;
  }

  /** True from the command to pause until the command to continue. */
  get isPausing(): boolean {
    return this.#isPausing;
  }

  /** Asks the run to give up its unfinished step, save the last completed one, and end. Repeats change nothing. */
  stop(reason = "The run was asked to stop."): void {
    this.#stop ??= new AppError("stopped", reason);
    this.#stopping.abort(this.#stop);
  }

  /** Ends the attempt with this error at once, wherever it stands; after a command to stop it changes nothing. */
  fail(error: AppError): void {
    if (this.signal.aborted) return;
    this.#failure = error;
    this.#stopping.abort(error);
  }

  /** For another attempt at the run: leaves a failure behind, with a new {@link signal}; a stop that came after it holds. */
  recover(): void {
    this.withdrawSave();
    if (this.#failure === null) return;
    this.#failure = null;
    this.#stopping = new AbortController();
    if (this.#stop !== null) this.#stopping.abort(this.#stop);
  }

  /** Asks the run to wait after the step in progress, or for as long where it waits already. */
  pause(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    this.#sleep.wake();
  }

  /** Takes a command to pause back, or ends the pause or the rest. */
  continue(): void {
    this.#isPausing = false;
    this.#sleep.wake();
  }

  /** Replaces settings before the next step; each command builds on the one before it. */
  changeSettings(change: SettingsChange): void {
    const keys = new Set([...(this.#settingsChange?.keys ?? []), ...change.keys]);
    this.#settingsChange = { ...change, keys: [...keys] };
  }

  /** True while a command waits for the end of the step in progress: to stop, to pause or to save, or with other settings. */
  get hasRequest(): boolean {
    const isWaiting = this.#settingsChange !== null || this.#waitingSaves.length > 0;
    return this.signal.aborted || this.#isPausing || isWaiting;
  }

  /** True while a save needs not wait for an update. */
  get canSave(): boolean {
    return this.#save !== null;
  }

  /**
   * Saves the last completed step: at once while rollouts are in progress, after the update when one is being made. Resolves with the
   * confirmed checkpoint. @throws AppError `run-ended` when the run ends before
   */
  saveNow(): Promise<CheckpointEntry> {
    if (this.#isOver) return Promise.reject(over());
    if (this.#save !== null) return this.#save();
    return new Promise((resolve, reject) => this.#waitingSaves.push({ resolve, reject }));
  }

  /** For the loop: `save` may be called until {@link withdrawSave}; whoever waited is served now. */
  offerSave(save: Save): void {
    this.#save = save;
    for (const { resolve } of this.#waitingSaves.splice(0)) resolve(save());
  }

  /** For the loop: the weights are about to change. */
  withdrawSave(): void {
    this.#save = null;
  }

  /** For the loop: hands the waiting settings over, once. */
  takeSettingsChange(): SettingsChange | null {
    const change = this.#settingsChange;
    this.#settingsChange = null;
    return change;
  }

  /** For the loop: resolves when the pause ends. Rejects with the reason of a stop. */
  async pauseOver(): Promise<void> {
    if (this.#isPausing) await this.#sleep.untilWoken(this.signal);
  }

  /**
   * For the loop: resolves with false after `ms`, with true as soon as there is a command to pause or to continue. Rejects with the
   * reason of a stop or of `signal`.
   */
  async waitForRequest(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
    const ending = linkSignals([this.signal, signal]);
    try {
      return await this.#sleep.sleep(clock, ms, ending.signal);
    } finally {
      ending.clear();
    }
  }

  /** Refuses the save that is waited for, and later ones: the run is over. */
  end(): void {
    this.withdrawSave();
    this.#isOver = true;
    for (const { reject } of this.#waitingSaves.splice(0)) reject(over());
  }
}

function over(): AppError {
  return new AppError("run-ended", "The run ended before it could be saved once more.");
}

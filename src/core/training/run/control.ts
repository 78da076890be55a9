/** Collects all requests to a run. The loop handles them between steps; a stop aborts rollouts. */

import type { Config } from "../../config/fields/schema.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports.ts";
import type { CheckpointEntry } from "../../runFolder/checkpointLog.ts";
import { linkSignals } from "../../util/abort.ts";
import { WakeableSleep } from "../../util/wakeableSleep.ts";

/** Validated new values for tunable keys. */
export interface SettingsChange {
  readonly config: Config;
  readonly configHash: string;
  /** Dotted paths of the changed keys. */
  readonly keys: readonly string[];
  /** Stores the configuration with the run; called when the change of all `keys` takes effect, after `step` completed steps. */
  readonly record: (change: {
    readonly keys: readonly string[];
    readonly step: number;
  }) => Promise<void>;
  /** Called instead when the change cannot take effect after all. */
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
  #hasStepsLeft = true;
  #isOver = false;

  /** Aborted when a stop is requested, or with the failure that ends the attempt. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** True when a stop was requested; false when the run ends because of a failure. */
  get isStopping(): boolean {
    return this.signal.aborted && this.#failure === null;
  }

  /** True when a stop was requested, even after a failure. */
  get isStopRequested(): boolean {
    return this.#stop !== null;
  }

  /** The failure of a service that ends the attempt; null if there is none. */
  get failure(): AppError | null {
    return this.#failure;
  }

  /** True between the commands to pause and to continue. */
  get isPausing(): boolean {
    return this.#isPausing;
  }

  /** Asks the run to discard its unfinished step, save the last completed one, and end. Repeated calls have no effect. */
  stop(reason = "The run was asked to stop."): void {
    this.#stop ??= new AppError("stopped", reason);
    this.#stopping.abort(this.#stop);
  }

  /** Ends the attempt with `error` immediately; no effect once a stop was requested. */
  fail(error: AppError): void {
    if (this.signal.aborted) return;
    this.#failure = error;
    this.#stopping.abort(error);
  }

  /** Prepares another attempt after a failure, with a new {@link signal}. A stop requested after the failure stays in effect. */
  recover(): void {
    this.withdrawSave();
    this.#hasStepsLeft = true;
    if (this.#failure === null) return;
    this.#failure = null;
    this.#stopping = new AbortController();
    if (this.#stop !== null) this.#stopping.abort(this.#stop);
  }

  /** Asks the run to pause after the current step, or to keep waiting if it already waits for an environment. */
  pause(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    this.#sleep.wake();
  }

  /** Cancels a pause, pending or in progress, or wakes the current wait. */
  continue(): void {
    this.#isPausing = false;
    this.#sleep.wake();
  }

  /** Replaces settings before the next step; each change builds on the one before. */
  changeSettings(change: SettingsChange): void {
    const keys = new Set([...(this.#settingsChange?.keys ?? []), ...change.keys]);
    this.#settingsChange = { ...change, keys: [...keys] };
  }

  /** True while a stop, pause, save or settings change waits for the end of the current step. */
  get hasRequest(): boolean {
    const isWaiting = this.#settingsChange !== null || this.#waitingSaves.length > 0;
    return this.signal.aborted || this.#isPausing || isWaiting;
  }

  /** True while a save need not wait for an update. */
  get canSave(): boolean {
    return this.#save !== null;
  }

  /**
   * Saves the last completed step: immediately while rollouts are playing, otherwise after the current update. Resolves with the
   * confirmed checkpoint. @throws AppError `run-ended` when the run ends first
   */
  saveNow(): Promise<CheckpointEntry> {
    if (this.#isOver) return Promise.reject(over());
    if (this.#save !== null) return this.#save();
    return new Promise((resolve, reject) => this.#waitingSaves.push({ resolve, reject }));
  }

  /** For the loop: `save` may be called until {@link withdrawSave}; waiting saves are made now. */
  offerSave(save: Save): void {
    this.#save = save;
    for (const { resolve } of this.#waitingSaves.splice(0)) resolve(save());
  }

  /** For the loop: the weights are about to change. */
  withdrawSave(): void {
    this.#save = null;
  }

  /** For the loop: returns the waiting settings change once. */
  takeSettingsChange(): SettingsChange | null {
    const change = this.#settingsChange;
    this.#settingsChange = null;
    return change;
  }

  /** False once no step follows that could wait or have other settings. */
  get hasStepsLeft(): boolean {
    return this.#hasStepsLeft;
  }

  /** For the loop: no step follows. */
  endSteps(): void {
    this.#hasStepsLeft = false;
  }

  /** For the loop: resolves when the pause ends; rejects with the reason of a stop. */
  async pauseOver(): Promise<void> {
    if (this.#isPausing) await this.#sleep.untilWoken(this.signal);
  }

  /**
   * For the loop: resolves with false after `ms`, or with true on a command to pause or continue. Rejects with the reason of a stop or of
   * `signal`.
   */
  async waitForRequest(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
    const ending = linkSignals([this.signal, signal]);
    try {
      return await this.#sleep.sleep(clock, ms, ending.signal);
    } finally {
      ending.clear();
    }
  }

  /** Rejects waiting and later saves because the run is over. */
  end(): void {
    this.withdrawSave();
    this.#isOver = true;
    for (const { reject } of this.#waitingSaves.splice(0)) reject(over());
  }
}

function over(): AppError {
  return new AppError("run-ended", "The run ended before it could be saved once more.");
}

/** Pauses the run while no rollout can be played because of its environments: saves the last step, waits, and gives up in the end. */

import { type AppError, errorMessage } from "../errors.ts";
import type { Unavailability } from "../rollout/environmentGate.ts";
import { raceAbort, tookTooLong, withLimit } from "../util/abort.ts";
import { WakeableSleep } from "../util/wakeableSleep.ts";
import {
  GIVE_UP_AFTER_MS,
  giveUpError,
  PAUSE_AFTER_MS,
  reportCapacityPause,
  reportGateEvent,
  type UnavailableEnvironment,
} from "./availabilityMessages.ts";
import type { RunContext } from "./context.ts";

/** Time that the Tinker service has to show that it can be reached. */
const SIGN_OF_LIFE_MS = 10_000;

/** Does work that waits for environments; the work must obey the signal. @throws AppError as `giveUpError` says */
export async function pauseUntilAvailable<T>(
  context: RunContext,
  step: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const outage = new OutageMonitor(context, step);
  try {
    return await work(AbortSignal.any([context.control.signal, outage.signal]));
  } finally {
    await outage.end();
  }
}

/** Follows the environments during one piece of work of a step, or of an evaluation after so many steps. */
export class OutageMonitor {
  readonly #context: RunContext;
  readonly #step: number;
  readonly changed = new WakeableSleep();
  readonly #ending = new AbortController();
  readonly #failing = new AbortController();
  readonly #following: Promise<void>;
  #waitedMs = 0;
  #hasSaved = false;

  constructor(context: RunContext, step: number) {
    this.#context = context;
    this.#step = step;
    const stopListening = [...context.environments].map(([name, { gate }]) =>
      gate.onEvent((news) => {
        reportGateEvent(context, { name, step }, news);
        this.check();
      }),
    );
    this.#following = this.#follow()
      .catch((error: unknown) => {
        if (!this.#ending.signal.aborted) this.#failing.abort(error);
      })
      .finally(() => {
        for (const stop of stopListening) stop();
      });
  }

  /** Aborted with the error for which the run gives up, or with the reason of a stop that came during a pause. */
  get signal(): AbortSignal {
    return this.#failing.signal;
  }

  /** In all pauses together. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** To be called when a rollout has given its place back, so that nothing may be playing. */
  check(): void {
    this.changed.wake();
  }

  /** The work is over. */
  async end(): Promise<void> {
    this.#ending.abort();
    this.changed.wake();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { clock, limits } = this.#context;
    while (!this.#ending.signal.aborted) {
      const blocked = this.#blocked();
      const isStill = blocked.length > 0 && limits.rollouts.active === 0;
      const restMs = this.#earliest(blocked, PAUSE_AFTER_MS);
      if (!isStill) await this.changed.untilWoken();
      else if (restMs > 0) await this.changed.sleep(clock, restMs);
      else await this.#pauseRun(blocked);
    }
  }

  #blocked(): readonly UnavailableEnvironment[] {
    return [...this.#context.environments].flatMap(([name, { gate }]) => {
      const { unavailability: blockage } = gate;
      return blockage === null ? [] : [{ name, gate, blockage }];
    });
  }

  /** Time until the first of them is blocked for as long as its kind may be. */
  #earliest(
    blocked: readonly UnavailableEnvironment[],
    mayMs: Readonly<Record<Unavailability["why"], number>>,
  ): number {
    const nowMs = this.#context.clock.monotonic();
    return Math.min(
      ...blocked.map(({ blockage: { why, sinceMs } }) => sinceMs + mayMs[why] - nowMs),
    );
  }

  /** Pauses the run until one of these environments is free. @throws AppError as {@link giveUpError}; the reason of a stop */
  async #pauseRun(blocked: readonly UnavailableEnvironment[]): Promise<void> {
    const { clock, control, watch, enterPhase } = this.#context;
    control.signal.throwIfAborted();
    const step = this.#step;
    const startedMs = clock.monotonic();
    await enterPhase("paused");
    watch({ kind: "paused", step });
    try {
      await reportCapacityPause(this.#context, step, blocked);
      await this.#save();
      while (this.#isHeldUpBy(blocked)) await this.waitForChange(blocked);
    } finally {
      this.#waitedMs += clock.monotonic() - startedMs;
    }
    await enterPhase("running");
    watch({ kind: "continued", step });
  }

  #isHeldUpBy(blocked: readonly UnavailableEnvironment[]): boolean {
    return (
      !this.#ending.signal.aborted && blocked.every(({ gate }) => gate.unavailability !== null)
    );
  }

  /** Until there is an event, or a command. */
  async waitForChange(blocked: readonly UnavailableEnvironment[]): Promise<void> {
    const { clock, control } = this.#context;
    if (control.isPausing) {
      for (const { gate } of blocked) gate.holdTrials();
      await control.pauseOver();
      for (const { gate } of blocked) gate.retryNow();
    }
    const leftMs = this.#earliest(this.#blocked(), GIVE_UP_AFTER_MS);
    if (leftMs <= 0) throw giveUpError(this.#context, blocked);
    let isRequested = false;
    await this.changed.during(async (woken) => {
      isRequested = await control.waitForRequest(clock, leftMs, woken);
    });
    if (!isRequested || control.isPausing) return;
    for (const { gate } of blocked) gate.retryNow();
  }

  /**
   * Saves only when the Tinker service answers: a save that does not get through would lose the model, while waiting loses
   * nothing.
   */
  async #save(): Promise<void> {
    const { clock, control, log, service } = this.#context;
    if (this.#hasSaved || this.#step === 0 || !control.canSave) return;
    this.#hasSaved = true;
    const limitMs = SIGN_OF_LIFE_MS;
    const onLimit = (): AppError => tookTooLong("The service's answer", limitMs);
    try {
      await withLimit({ clock, limitMs, onLimit }, ({ signal }) =>
        raceAbort(service.capabilities(), signal),
      );
    } catch (error) {
      log.warn("The last step is not saved now.", { reason: errorMessage(error) });
      return;
    }
    await control.saveNow();
  }
}

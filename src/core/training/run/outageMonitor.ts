/** Pauses the run while its environments let it play no rollout: saves the last step, waits, and gives up in the end. */

import { type AppError, errorMessage } from "../../errors.ts";
import type { Unavailability } from "../../rollout/gateEvents.ts";
import { raceAbort, timeoutError, withLimit } from "../../util/abort.ts";
import { WakeableSleep } from "../../util/wakeableSleep.ts";
import {
  GIVE_UP_AFTER_MS,
  giveUpError,
  PAUSE_AFTER_MS,
  reportCapacityPause,
  reportGateEvent,
  type UnavailableEnvironment,
} from "./availabilityMessages.ts";
import type { PlayContext } from "./context.ts";

/** Time in which a Tinker service that can be reached answers. */
const ANSWER_LIMIT_MS = 10_000;

/** Does work that waits for environments; the work must obey the signal. @throws AppError as {@link giveUpError} */
export async function pauseUntilAvailable<T>(
  context: PlayContext,
  step: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const outage = new OutageMonitor(context, { step, isAwaited: true });
  try {
    return await work(AbortSignal.any([context.control.signal, outage.signal]));
  } finally {
    await outage.end();
  }
}

/** What the monitored work is for. */
export interface OutageScope {
  /** The step under way, or the completed ones before an evaluation. */
  readonly step: number;
  /** False while nobody waits for the work: then the run does not pause. */
  readonly isAwaited: boolean;
}

/** Follows the environments during the work of a step, or of an evaluation. */
export class OutageMonitor {
  readonly #context: PlayContext;
  readonly #scope: OutageScope;
  readonly #changed = new WakeableSleep();
  readonly #ending = new AbortController();
  readonly #failing = new AbortController();
  readonly #following: Promise<void>;
  #waitedMs = 0;
  /** The step in which it saved last. */
  #savedStep: number | null = null;

  constructor(context: PlayContext, scope: OutageScope) {
    this.#context = context;
    this.#scope = scope;
    const stopListening = [...context.services.environments].map(([name, { gate }]) =>
      gate.onEvent((event) => {
        reportGateEvent(context, { name, step: scope.step }, event);
        this.#changed.wake();
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

  /** To be called when a rollout has released its slot, so that none may be playing. */
  check(): void {
    // A sleep that is ended costs as much as a request, and this comes with every rollout.
    if (this.#unavailable().length > 0) this.#changed.wake();
  }

  /** The work is over. */
  async end(): Promise<void> {
    this.#ending.abort();
    this.#changed.wake();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { limits, ports } = this.#context;
    const { clock } = ports;
    while (!this.#ending.signal.aborted) {
      const unavailable = this.#unavailable();
      const isIdle =
        unavailable.length > 0 && limits.rollouts.active === 0 && this.#scope.isAwaited;
      const leftMs = this.#leftMs(unavailable, PAUSE_AFTER_MS);
      if (!isIdle) await this.#changed.untilWoken();
      else if (leftMs > 0) await this.#changed.sleep(clock, leftMs);
      else await this.#pauseRun(unavailable);
    }
  }

  #unavailable(): readonly UnavailableEnvironment[] {
    return [...this.#context.services.environments].flatMap(([name, { gate }]) => {
      const { unavailability } = gate;
      return unavailability === null ? [] : [{ name, gate, unavailability }];
    });
  }

  /** Time until the first of them has been unavailable for as long as its kind may be. */
  #leftMs(
    unavailable: readonly UnavailableEnvironment[],
    limitMs: Readonly<Record<Unavailability["why"], number>>,
  ): number {
    const nowMs = this.#context.ports.clock.monotonic();
    const endsMs = unavailable.map(
      ({ unavailability: { why, sinceMs } }) => sinceMs + limitMs[why],
    );
    return Math.min(...endsMs) - nowMs;
  }

  /** Pauses the run until one of these environments is available. @throws AppError as {@link giveUpError}; the reason of a stop */
  async #pauseRun(unavailable: readonly UnavailableEnvironment[]): Promise<void> {
    const { control, ports, reporting } = this.#context;
    const { clock } = ports;
    const { watch, enterPhase } = reporting;
    control.signal.throwIfAborted();
    const { step } = this.#scope;
    const startedMs = clock.monotonic();
    await enterPhase("paused");
    watch({ kind: "paused", step });
    try {
      await reportCapacityPause(this.#context, step, unavailable);
      await this.#save();
      while (this.#mustWaitFor(unavailable)) await this.#waitForChange(unavailable);
    } finally {
      this.#waitedMs += clock.monotonic() - startedMs;
    }
    await enterPhase("running");
    watch({ kind: "continued", step });
  }

  #mustWaitFor(unavailable: readonly UnavailableEnvironment[]): boolean {
    const isOver = this.#ending.signal.aborted;
    return !isOver && unavailable.every(({ gate }) => gate.unavailability !== null);
  }

  /** Until an environment changes, or a command to pause or continue comes. */
  async #waitForChange(unavailable: readonly UnavailableEnvironment[]): Promise<void> {
    const { control, ports } = this.#context;
    if (control.isPausing) {
      for (const { gate } of unavailable) gate.pauseProbes();
      await control.pauseOver();
      for (const { gate } of unavailable) gate.retryNow();
    }
    const leftMs = this.#leftMs(this.#unavailable(), GIVE_UP_AFTER_MS);
    if (leftMs <= 0) throw giveUpError(this.#context, unavailable);
    let isRequested = false;
    await this.#changed.during(async (woken) => {
      isRequested = await control.waitForRequest(ports.clock, leftMs, woken);
    });
    if (!isRequested || control.isPausing) return;
    for (const { gate } of unavailable) gate.retryNow();
  }

  /**
   * Saves only when the Tinker service answers: a save that does not get through would lose the model, while waiting loses
   * nothing.
   */
  async #save(): Promise<void> {
    const { control, ports, reporting, services } = this.#context;
    const { step } = this.#scope;
    if (this.#savedStep === step || step === 0 || !control.canSave) return;
    this.#savedStep = step;
    const limitMs = ANSWER_LIMIT_MS;
    const onLimit = (): AppError => timeoutError("The service's answer", limitMs);
    try {
      await withLimit({ clock: ports.clock, limitMs, onLimit }, ({ signal }) =>
        raceAbort(services.service.capabilities(), signal),
      );
    } catch (error) {
      reporting.log.warn("The last step is not saved now.", { reason: errorMessage(error) });
      return;
    }
    await control.saveNow();
  }
}

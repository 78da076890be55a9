/** Rollouts whose failure may be their own or the environment's: they wait until other rollouts show which. */

import type { AppError } from "../errors.ts";
import { raceAbort } from "../util/abort.ts";

export class FaultAttribution {
  readonly #waiting = new Map<(blamesEnvironment: boolean) => void, AppError>();

  /** The fault of the first rollout that waits; null = none waits. */
  get fault(): AppError | null {
    const [fault = null] = this.#waiting.values();
    return fault;
  }

  /** Resolves with whether the environment is to blame for the fault. */
  wait(fault: AppError, signal: AbortSignal): Promise<boolean> {
    const answer = new Promise<boolean>((resolve) => this.#waiting.set(resolve, fault));
    return raceAbort(answer, signal);
  }

  settle(blamesEnvironment: boolean): void {
    for (const answer of this.#waiting.keys()) answer(blamesEnvironment);
    this.#waiting.clear();
  }
}

/** The one place where a request to stop is recorded; the loop reads it at its borders, rollouts feel it as an abort. */

import { AppError } from "../errors.ts";

export class RunControl {
  readonly #stopping = new AbortController();

  /** Aborted once a stop is asked for. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Asks the run to give up its unfinished step, save the last completed one, and end. Repeats change nothing. */
  stop(): void {
    this.#stopping.abort(new AppError("stopped", "The run was asked to stop."));
  }
}

/** When results of the fake Tinker server are ready, in terms of `Date.now()`. */

import { nextCycleMs, sampleMs, TOKENS_PER_SECOND, TRAINING_MS } from "./fakeTimes.ts";

type Moment = number | Promise<number>;

export interface FakePace {
  /** When a `forward_backward` request is done. */
  training(): Moment;
  /** When the `optim_step` that ends an update is done. */
  update(): Moment;
  sample(tokens: number, seed: number): Moment;
}

/** Every sample takes its own time, regardless of load; updates run one after another. */
export class SteadyPace implements FakePace {
  #trainedAtMs = 0;

  training(): Moment {
    this.#trainedAtMs = Math.max(this.#trainedAtMs, Date.now()) + TRAINING_MS;
    return this.#trainedAtMs;
  }

  update(): Moment {
    return this.#trainedAtMs;
  }

  sample(_tokens: number, seed: number): Moment {
    return Date.now() + sampleMs(seed);
  }
}

/**
 * Updates run in fixed cycles, one per cycle, in the first cycle that starts after the whole update has arrived; all samples share a
 * bounded throughput.
 */
export class CyclePace implements FakePace {
  #lastStartMs = Number.NEGATIVE_INFINITY;
  #finish: (readyAtMs: number) => void = () => undefined;
  #update = this.#nextUpdate();
  #sampledAtMs = 0;

  training(): Moment {
    return this.#update;
  }

  update(): Moment {
    this.#lastStartMs = nextCycleMs(Date.now(), this.#lastStartMs);
    const update = this.#update;
    this.#finish(nextCycleMs(this.#lastStartMs, this.#lastStartMs));
    this.#update = this.#nextUpdate();
    return update;
  }

  sample(tokens: number, seed: number): Moment {
    const takesMs = (tokens / TOKENS_PER_SECOND) * 1000;
    this.#sampledAtMs = Math.max(this.#sampledAtMs, Date.now()) + takesMs;
    return Math.max(this.#sampledAtMs, Date.now() + sampleMs(seed));
  }

  #nextUpdate(): Promise<number> {
    return new Promise((resolve) => {
      this.#finish = resolve;
    });
  }
}

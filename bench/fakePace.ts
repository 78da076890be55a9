/** When a fake Tinker server has its results, by `Date.now()`. */

import { nextCycleMs, sampleMs, TOKENS_PER_SECOND, TRAINING_MS } from "./fakeTimes.ts";

type Moment = number | Promise<number>;

export interface FakePace {
  /** The time of a `forward_backward` request. */
  training(): Moment;
  /** The time of the `optim_step` that ends an update. */
  update(): Moment;
  sample(tokens: number, seed: number): Moment;
}

/** Every sample takes its own time, however many are asked for; one update follows the other. */
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
 * Weights are updated in fixed cycles, one update a cycle, in the first that begins after all of it has arrived; all samples together
 * have a bounded throughput.
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

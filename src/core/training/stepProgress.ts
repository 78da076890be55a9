/** Reports the rollouts of a step to watchers; those that ended before the step began, when it begins. */

import type { FinishedRollout } from "../rollout/rollout.ts";
import type { ProgressEvent, Watcher } from "./progress.ts";

export class StepProgress {
  readonly #watch: Watcher;
  readonly #step: number;
  readonly #rollouts: number;
  #done = 0;
  /** Null since the step began. */
  #early: ProgressEvent[] | null = [];

  constructor(watch: Watcher, step: number, rollouts: number) {
    this.#watch = watch;
    this.#step = step;
    this.#rollouts = rollouts;
  }

  begin(): void {
    this.#watch({ kind: "step-started", step: this.#step, rollouts: this.#rollouts });
    const early = this.#early ?? [];
    this.#early = null;
    for (const event of early) this.#watch(event);
  }

  add(rollout: FinishedRollout): void {
    this.#done += 1;
    const event: ProgressEvent = {
      kind: "rollout-finished",
      step: this.#step,
      done: this.#done,
      rollouts: this.#rollouts,
      reward: rollout.reward,
      sampledTokens: sampledTokens(rollout),
    };
    if (this.#early === null) this.#watch(event);
    else this.#early.push(event);
  }
}

/** Tokens that the model wrote in a rollout. */
export function sampledTokens({ facts }: FinishedRollout): number {
  return facts.turns.reduce((sum, turn) => sum + turn.sampledTokens, 0);
}

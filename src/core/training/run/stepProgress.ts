/** Reports the rollouts of a step to watchers; those that ended before the step are reported when it starts. */

import type { FinishedRollout } from "../../rollout/rollout.ts";
import type { Watcher } from "./progress.ts";

interface EndedRollout {
  readonly reward: number | null;
  readonly sampledTokens: number;
}

/** Rollouts of a group, reported once a step takes the group. */
export class GroupProgress {
  readonly #early: EndedRollout[] = [];
  #step: StepProgress | null = null;

  add(rollout: FinishedRollout): void {
    const ended = { reward: rollout.record.reward, sampledTokens: sampledTokens(rollout) };
    if (this.#step === null) this.#early.push(ended);
    else this.#step.add(ended);
  }

  join(step: StepProgress): void {
    this.#step = step;
    for (const ended of this.#early.splice(0)) step.add(ended);
  }
}

export class StepProgress {
  readonly #watch: Watcher;
  readonly #step: number;
  #rollouts = 0;
  #done = 0;

  constructor(watch: Watcher, step: number) {
    this.#watch = watch;
    this.#step = step;
  }

  /** Takes groups with `rollouts` rollouts in total: the step's first ones, or further ones. */
  take(groups: readonly GroupProgress[], rollouts: number): void {
    const isFirst = this.#rollouts === 0;
    this.#rollouts += rollouts;
    if (isFirst) this.#watch({ kind: "step-started", step: this.#step, rollouts: this.#rollouts });
    for (const group of groups) group.join(this);
  }

  add(rollout: EndedRollout): void {
    this.#done += 1;
    this.#watch({
      kind: "rollout-finished",
      step: this.#step,
      done: this.#done,
      rollouts: this.#rollouts,
      ...rollout,
    });
  }
}

/** Tokens that the model wrote in a rollout. */
export function sampledTokens({ facts }: FinishedRollout): number {
  return facts.turns.reduce((sum, turn) => sum + turn.sampledTokens, 0);
}

/** The attempts of one run: a trainer, and another one that resumes after it ended. */

import type { Stage } from "./stage.ts";
import { startTrainer, type Trainer } from "./trainer.ts";

export class Attempts {
  readonly #stage: Stage;
  readonly #run: string;
  #trainer: Trainer;

  /** Starts the run. */
  constructor(stage: Stage, configPath: string, run: string) {
    this.#stage = stage;
    this.#run = run;
    this.#trainer = startTrainer(["train", "-c", configPath], stage.variables, run);
  }

  /** The current attempt, or the last. */
  get trainer(): Trainer {
    return this.#trainer;
  }

  /** Call it after the end of the trainer. */
  resume(): void {
    this.#stage.training.endAttempt();
    this.#trainer = startTrainer(["resume", this.#run], this.#stage.variables, this.#run);
  }
}

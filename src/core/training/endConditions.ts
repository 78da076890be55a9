/** Time and rewards of a run, and whether they or its tokens end it before its plan does, or let it sample ahead. */

import type { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { MetricsRow } from "../runFolder/metrics/metricsTree.ts";
import type { TokenUsage } from "../usage/tokenUsage.ts";
import { readResults, resultOf, type StepResult } from "./readResults.ts";
import { earlyEnd, stepsWithinBudget, waitsForRow } from "./run/budgets.ts";
import { pricesOf, type RunContext } from "./run/context.ts";
import type { LoopPosition } from "./step/loopPosition.ts";

export class EndConditions {
  readonly #clock: Clock;
  readonly #results: StepResult[];
  /** Until when `counters.seconds` counts the time of the run, on the monotonic clock; pauses are skipped. */
  #countedUntilMs: number;

  private constructor(clock: Clock, results: readonly StepResult[]) {
    this.#clock = clock;
    this.#results = [...results];
    this.#countedUntilMs = clock.monotonic();
  }

  /** Time counts from now on. @throws AppError `file-unreadable` */
  static async open(context: Pick<RunContext, "ports" | "storage">): Promise<EndConditions> {
    return new EndConditions(context.ports.clock, await readResults(context));
  }

  /** A step is completed, and its position counts the time until now. */
  addStep(row: MetricsRow): void {
    this.#results.push(resultOf(row));
    this.#countedUntilMs = this.#clock.monotonic();
  }

  /** Waits without counting the time. */
  async skip(pause: Promise<void>): Promise<void> {
    const fromMs = this.#clock.monotonic();
    await pause;
    this.#countedUntilMs += this.#clock.monotonic() - fromMs;
  }

  /** The time of the run until now, minus a pause of so many milliseconds since the last step. */
  secondsUntilNow({ counters }: Pick<LoopPosition, "counters">, pausedMs: number): number {
    const takenMs = this.#clock.monotonic() - this.#countedUntilMs - pausedMs;
    return counters.seconds + Math.max(0, takenMs) / 1000;
  }

  /** What ends the run at this border although its plan continues; null without. */
  earlyEnd(context: RunContext, position: Pick<LoopPosition, "counters">): AppError | null {
    return this.#earlyEndAt(context, this.secondsUntilNow(position, 0));
  }

  /**
   * Whether the update of another step may be submitted while one trains whose rollouts ended after `pausedMs` of a pause: not where
   * the row of the step decides, nor where time may be over with it, in which case the border between the two decides.
   */
  mayTrainAhead(context: RunContext, position: LoopPosition, pausedMs: number): boolean {
    const { counters, step } = position;
    if (waitsForRow(context.config)) return false;
    const secondsOfStep = step === 0 ? 0 : counters.seconds / step;
    const seconds = this.secondsUntilNow(position, pausedMs) + secondsOfStep;
    return this.#earlyEndAt(context, seconds) === null;
  }

  /** As {@link stepsWithinBudget}, once the steps before `step` are completed. */
  stepsAhead(context: RunContext, steps: number, tokens: TokenUsage): number {
    const { config, storage } = context;
    const spent = { usage: storage.usage, prices: pricesOf(context) };
    return stepsWithinBudget(config, spent, { steps, tokens });
  }

  #earlyEndAt(context: RunContext, seconds: number): AppError | null {
    const spent = { usage: context.storage.usage, prices: pricesOf(context), seconds };
    return earlyEnd(context.config, spent, {
      rewards: this.#results.map(({ reward }) => reward),
      heldOutLosses: this.#results.map(({ heldOutLoss }) => heldOutLoss),
    });
  }
}

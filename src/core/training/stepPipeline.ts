/**
 * The steps of a run, one after the other. Where the groups of the next step have ended while a step trains, the next one begins: its
 * update waits in the service's queue, because a service that updates weights in cycles skips one when it has nothing to do.
 */

import type { RunState } from "../runFolder/state.ts";
import type { TokenUsage } from "../usage/tokenUsage.ts";
import type { Generator } from "./generator.ts";
import { waitsForRow } from "./run/budgets.ts";
import type { RunContext } from "./run/context.ts";
import { HeldEvents } from "./run/heldEvents.ts";
import type { StepAlarms } from "./step/alarms.ts";
import type { RunSnapshot } from "./step/checkpointWriter.ts";
import { type StepBeginning, type StepInput, usageAfter } from "./step/gatherStepFacts.ts";
import { headlineMetrics, type LoopPosition, positionAfter } from "./step/loopPosition.ts";
import { type BegunStep, beginStep, recordStep, type StepOutput } from "./step/step.ts";

export interface StepOrder {
  readonly context: RunContext;
  readonly position: LoopPosition;
  readonly settingsHash: RunState["config_hash"];
  readonly secondsUntilNow: StepInput["secondsUntilNow"];
  /** Metrics that go into the row. */
  readonly extra: StepBeginning["extra"];
  /**
   * Asked when the next step could begin while this one trains. False = something must come between the two; true = what must be of the
   * weights in between was submitted.
   */
  readonly mayFollow: (begun: BegunStep, completed: Promise<CompletedStep>) => boolean;
  /** How many further steps may be sampled once so many are completed with these tokens, for the budgets' sake. */
  readonly stepsAhead: (steps: number, tokens: TokenUsage) => number;
}

export interface CompletedStep {
  readonly output: StepOutput;
  readonly position: LoopPosition;
  /** Metrics of the checkpoint after it. */
  readonly metrics: RunSnapshot["metrics"];
}

/** A step that began while the one before trained. */
interface NextStep {
  readonly begun: Promise<BegunStep>;
  /** Reported once the step before is completed. */
  readonly events: HeldEvents;
}

type NextPosition = Pick<LoopPosition, "step" | "cursor">;

/** Recent steps that the estimate of the remaining time rests on. */
const ETA_STEPS = 9;

export class StepPipeline {
  readonly #generator: Generator;
  readonly #alarms: StepAlarms;
  #elapsedS: readonly number[] = [];
  /** The step that trains. */
  #present: BegunStep | null = null;
  #next: NextStep | null = null;
  /** Ends when it is known whether a next step begins while the present one trains. */
  #beginningNext: Promise<void> = Promise.resolve();

  constructor(generator: Generator, alarms: StepAlarms) {
    this.#generator = generator;
    this.#alarms = alarms;
  }

  /** True when the next step is in progress, so that nothing can come before it. */
  get hasBegunNext(): boolean {
    return this.#next !== null;
  }

  /** Runs the step at a position to its end. @throws as {@link beginStep} */
  async run(order: StepOrder): Promise<CompletedStep> {
    const { context, position, settingsHash } = order;
    const fromMs = context.ports.clock.monotonic();
    const next = this.#next;
    this.#next = null;
    next?.events.release(context.reporting.watch);
    this.#generator.issue(context, position, settingsHash);
    // The groups of a step that has begun already wait for none.
    const first = next === null ? 0 : 1;
    const steps = order.stepsAhead(position.step, position.counters.tokens.cumulative);
    this.#generator.play(context, steps - first);
    const begun = await (next?.begun ?? this.#begin(order, position));
    this.#present = begun;
    this.#playAhead(order, begun);
    const completed = this.#complete(order, begun, fromMs);
    this.#beginningNext = this.#beginNext(order, begun, completed).catch(() => undefined);
    return completed;
  }

  /** Waits for what was begun, after its rollouts were ended. */
  async close(): Promise<void> {
    await this.#beginningNext;
    await Promise.allSettled([this.#next?.begun]);
  }

  #begin(
    { context, settingsHash, extra }: Pick<StepOrder, "context" | "settingsHash" | "extra">,
    at: NextPosition,
  ): Promise<BegunStep> {
    const generator = this.#generator;
    const { step } = at;
    return beginStep(context, {
      step,
      extra,
      take: () => generator.take(context, at, settingsHash),
      saveSampler: () => generator.saveSampler(step + 1),
    });
  }

  async #complete(order: StepOrder, begun: BegunStep, fromMs: number): Promise<CompletedStep> {
    const { context, position } = order;
    const { step, cursor, optimizerUpdates, counters } = position;
    try {
      await this.#useWeights(order, begun);
      const output = await recordStep(
        context,
        {
          step,
          fromMs,
          cursor,
          optimizerUpdates,
          usage: counters.tokens,
          secondsUntilNow: order.secondsUntilNow,
          elapsedS: this.#elapsedS,
          alarms: this.#alarms,
        },
        begun,
      );
      this.#elapsedS = [...this.#elapsedS, output.totalS].slice(-ETA_STEPS);
      this.#generator.release(step);
      const metrics = headlineMetrics(output);
      return { output, position: positionAfter(position, output), metrics };
    } finally {
      this.#present = null;
    }
  }

  /** Samples with the weights after an update as soon as they are there. */
  async #useWeights(order: StepOrder, begun: BegunStep): Promise<void> {
    const { context, position, settingsHash } = order;
    if (begun.update === null) return;
    const { trained } = await begun.update.results;
    const next = nextPosition(position, begun);
    const optimizerUpdates = position.optimizerUpdates + trained.substeps;
    this.#generator.setWeights(trained.sampler, { step: next.step, optimizerUpdates });
    const mustWait = context.control.hasRequest || waitsForRow(context.config);
    const isFree = this.hasBegunNext || !mustWait;
    if (context.config.max_steps_off_policy > 0 && isFree) {
      this.#generator.issue(context, next, settingsHash);
      this.#playAhead(order, begun);
    }
  }

  /** Plays the groups of steps after one whose update is submitted. */
  #playAhead({ context, position, stepsAhead }: StepOrder, begun: BegunStep): void {
    const { cumulative } = usageAfter(position.counters.tokens, begun);
    this.#generator.play(context, stepsAhead(position.step + 1, cumulative));
  }

  async #beginNext(
    order: StepOrder,
    begun: BegunStep,
    completed: Promise<CompletedStep>,
  ): Promise<void> {
    const { context, position } = order;
    const at = nextPosition(position, begun);
    if (begun.update === null || !(await this.#generator.read(at.step))) return;
    if (this.#present !== begun || !order.mayFollow(begun, completed)) return;
    const events = new HeldEvents();
    const reporting = { ...context.reporting, watch: events.watch };
    const next = this.#begin({ ...order, context: { ...context, reporting }, extra: {} }, at);
    // Awaited when its turn comes; until then a failure must not count as one that no one handles.
    next.catch(() => undefined);
    this.#next = { begun: next, events };
  }
}

function nextPosition({ step, cursor }: LoopPosition, { batch }: BegunStep): NextPosition {
  return { step: step + 1, cursor: cursor + batch.policies.length };
}

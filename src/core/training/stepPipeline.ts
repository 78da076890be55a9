/**
 * Runs the steps of a run one after another. If the next step's groups are ready while a step trains, the next one starts early: its
 * update waits in the service's queue, because a service that updates weights in cycles skips a cycle when it has nothing to do.
 */

import { mergeMetrics } from "../runFolder/metrics/metricsTree.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { Generator } from "./generator.ts";
import { waitsForRow } from "./run/budgets.ts";
import type { RunContext } from "./run/context.ts";
import type { ProgressEvent, Watcher } from "./run/progress.ts";
import { StepAlarms } from "./step/alarms.ts";
import { usageAfter } from "./step/gatherStepFacts.ts";
import { headlineMetrics, type LoopPosition, positionAfter } from "./step/loopPosition.ts";
import { type BegunStep, beginStep, recordStep, type StepOutput } from "./step/step.ts";
import type { CompletedStep, IssuedAhead, StepOrder, StepSource } from "./step/stepSource.ts";

/** A step that started while the previous one trained. */
interface NextStep {
  readonly begun: Promise<BegunStep>;
  /** Held until the previous step is completed. */
  readonly events: HeldEvents;
}

type NextPosition = Pick<LoopPosition, "step" | "cursor">;

/** Number of recent steps behind the estimate of the remaining time. */
const ETA_STEPS = 9;

export class StepPipeline implements StepSource {
  readonly #generator: Generator;
  readonly #alarms = new StepAlarms();
  #elapsedS: readonly number[] = [];
  /** The step in training. */
  #present: BegunStep | null = null;
  #next: NextStep | null = null;
  /** Resolves when it is known whether a next step starts while the current one trains. */
  #beginningNext: Promise<void> = Promise.resolve();

  private constructor(generator: Generator) {
    this.#generator = generator;
  }

  /** @throws AppError `disk` */
  static async open(context: RunContext): Promise<StepPipeline> {
    return new StepPipeline(await Generator.open(context));
  }

  start(context: RunContext, position: LoopPosition): Promise<void> {
    return this.#generator.start(context, position);
  }

  async sampler(): Promise<SamplingClient> {
    return this.#generator.policy.sampler;
  }

  issued(step: number): IssuedAhead {
    return this.#generator.issued(step);
  }

  isWaiting(...group: Parameters<StepSource["isWaiting"]>): boolean {
    return this.#generator.isWaiting(...group);
  }

  tidy(...state: Parameters<StepSource["tidy"]>): Promise<void> {
    return this.#generator.tidy(...state);
  }

  get hasBegunNext(): boolean {
    return this.#next !== null;
  }

  /** @throws as {@link beginStep} */
  async run(order: StepOrder): Promise<CompletedStep<StepOutput>> {
    const { context, position, settingsHash } = order;
    const fromMs = context.ports.clock.monotonic();
    const next = this.#next;
    this.#next = null;
    next?.events.release(context.reporting.watch);
    this.#generator.issue(context, position, settingsHash);
    // The groups of a step that has already begun are done.
    const first = next === null ? 0 : 1;
    const steps = order.stepsAhead(position.step, position.counters.tokens.cumulative);
    this.#generator.play(context, steps - first);
    const begun = this.#observed(order, await (next?.begun ?? this.#begin(order, position)));
    this.#present = begun;
    this.#playAhead(order, begun);
    const completed = this.#complete(order, begun, fromMs);
    this.#beginningNext = this.#beginNext(order, begun, completed).catch(() => undefined);
    return completed;
  }

  /** Ends all rollouts, then waits for everything that was started. */
  async close(): Promise<void> {
    await this.#generator.close();
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

  async #complete(
    order: StepOrder,
    begun: BegunStep,
    fromMs: number,
  ): Promise<CompletedStep<StepOutput>> {
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

  /** Passes the step's results to the curriculum before anything is issued with the weights after it. */
  #observed({ context, position }: StepOrder, begun: BegunStep): BegunStep {
    this.#generator.observe(context, nextPosition(position, begun), begun.groups);
    const { pools } = this.#generator;
    if (pools === null) return begun;
    return { ...begun, extra: mergeMetrics(begun.extra, { curriculum: { ...pools } }) };
  }

  /** Samples with the updated weights as soon as they are available. */
  async #useWeights(order: StepOrder, begun: BegunStep): Promise<void> {
    const { context, position, settingsHash } = order;
    if (begun.update === null) return;
    const trained = await begun.update.trained;
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

  /** Plays groups of later steps once this step's update is submitted. */
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
    if (this.#present !== begun || !order.mayFollow(completed)) return;
    const events = new HeldEvents();
    const reporting = { ...context.reporting, watch: events.watch };
    const next = this.#begin({ ...order, context: { ...context, reporting }, extra: {} }, at);
    // Awaited when its turn comes; until then a failure must not count as an unhandled rejection.
    next.catch(() => undefined);
    this.#next = { begun: next, events };
  }
}

function nextPosition({ step, cursor }: LoopPosition, { batch }: BegunStep): NextPosition {
  return { step: step + 1, cursor: cursor + batch.policies.length };
}

class HeldEvents {
  #held: ProgressEvent[] = [];
  #watch: Watcher | null = null;

  /** Holds events until {@link release}, then passes them on. */
  readonly watch: Watcher = (event) => {
    if (this.#watch === null) this.#held.push(event);
    else this.#watch(event);
  };

  release(watch: Watcher): void {
    this.#watch = watch;
    for (const event of this.#held.splice(0)) watch(event);
  }
}

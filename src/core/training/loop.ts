/**
 * The training loop: one step after another, with evaluations and saves in between. A step is one of GRPO (arXiv:2402.03300), which
 * trains the groups that the generator issued for it, or one of supervised fine-tuning.
 */

import { formatQuantity } from "../../shared/format.ts";
import { AppError, errorMessage, isAppError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { MetricsTree } from "../runFolder/metrics/metricsTree.ts";
import { mergeMetrics } from "../runFolder/metrics/metricsTree.ts";
import { BestCheckpoint } from "./bestCheckpoint.ts";
import { changeSettings } from "./changeSettings.ts";
import { ServerCheck } from "./checks/serverCheck.ts";
import { type EmptyStep, EndConditions, emptySteps } from "./endConditions.ts";
import { dueEvaluation, evaluateBesideSteps } from "./evaluation/evaluate.ts";
import { evaluationMetrics } from "./evaluation/evaluation.ts";
import { DONE_EARLY } from "./run/budgets.ts";
import type { RunContext } from "./run/context.ts";
import { reportCapacity } from "./run/outages.ts";
import { CheckpointWriter, dueCheckpoint, type RunSnapshot } from "./step/checkpointWriter.ts";
import {
  type LoopPosition,
  type RunIdentity,
  snapshotAt,
  withServerCheck,
  withUsage,
} from "./step/loopPosition.ts";
import type { StepEnd } from "./step/step.ts";
import type { CompletedStep, StepSource, UsedGroup } from "./step/stepSource.ts";
import { StepPipeline } from "./stepPipeline.ts";
import { SupervisedSteps } from "./supervised/supervisedSteps.ts";
import { doneFractionOf } from "./tasks/dataset.ts";

export interface LoopEnd {
  readonly outcome: "done" | "stopped";
  readonly step: number;
  readonly samplerPath: string | null;
  /** What ended the run early, such as a budget or target; otherwise null. */
  readonly ending: AppError | null;
  /** With the settings at the end of the run. */
  readonly context: RunContext;
  /** Remembers which checkpoints it has reported as kept. */
  readonly best: BestCheckpoint;
}

/**
 * Runs from `start` until the plan ends or a stop is requested, and saves a permanent checkpoint in either case.
 * @throws AppError `loss-not-offered`, `loss-differs`, `config-invalid` before anything is trained; `empty-steps` after
 * `max_consecutive_empty_steps` steps without anything to train on, or a plan without any other step; `tinker-*`, `environment-*`, `disk`
 */
export async function runLoop(
  context: RunContext,
  start: LoopPosition,
  identity: RunIdentity,
): Promise<LoopEnd> {
  const { method } = context.config;
  const steps = method === "sft" ? new SupervisedSteps() : await StepPipeline.open(context);
  const isWaiting = (group: UsedGroup) => steps.isWaiting(group, start);
  const position = await withUsage(context, start, isWaiting);
  const endConditions = await EndConditions.open(context, start);
  return new Loop({ context, start: position, identity, steps, endConditions }).run();
}

interface LoopOptions {
  readonly context: RunContext;
  readonly start: LoopPosition;
  readonly identity: RunIdentity;
  readonly steps: StepSource;
  readonly endConditions: EndConditions;
}

class Loop {
  #context: RunContext;
  #identity: RunIdentity;
  readonly #checkpoints: CheckpointWriter;
  readonly #best = new BestCheckpoint();
  readonly #steps: StepSource;
  readonly #endConditions: EndConditions;
  #position: LoopPosition;
  /** Extra metrics for the next step's row. */
  #extra: Promise<MetricsTree> = Promise.resolve({});
  /** The last step that trained nothing. */
  #lastEmpty: EmptyStep = { rollouts: [], isMasked: false, row: null };
  #lastMetrics: RunSnapshot["metrics"] = {};
  #hasReportedCapacity = false;
  #playEnd: Promise<void> | null = null;
  /** Resolves when the save before the last one is confirmed. */
  #earlierSave: Promise<void> = Promise.resolve();

  constructor({ context, start, identity, steps, endConditions }: LoopOptions) {
    this.#context = context;
    this.#position = start;
    this.#identity = identity;
    this.#endConditions = endConditions;
    this.#steps = steps;
    this.#checkpoints = new CheckpointWriter(context, async (state) => {
      await steps.tidy(context.reporting, state);
      await this.#best.update(this.#context);
    });
  }

  async run(): Promise<LoopEnd> {
    const { config, control } = this.#context;
    this.#requireStepsLeft();
    // Supervised fine-tuning needs no check, because every server has its loss.
    const check =
      config.method === "rl" ? new ServerCheck(this.#context, this.#position.step) : null;
    await check?.loss();
    try {
      await this.#steps.start(this.#context, this.#position);
      if (check !== null) {
        this.#extra = Promise.resolve(
          await check.sampling(await this.#steps.sampler(this.#context)),
        );
        this.#position = withServerCheck(this.#context, this.#position, check.tokens);
      }
      this.#offerSave();
      this.#evaluateIfDue();
      while (this.#steps.hasBegunNext || (await this.#betweenSteps())) {
        await this.#afterStep(await this.#step());
      }
      this.#requireTrained();
    } catch (error) {
      await this.#endPlay();
      // A stop discards the step in progress; the weights are still those of the last completed step.
      if (!control.isStopping || error !== control.signal.reason) {
        await this.#saveBeforeFailing(error);
        throw error;
      }
    }
    return this.#end();
  }

  /** A checkpoint from another run folder may already have all planned steps. */
  #requireStepsLeft(): void {
    const { step, optimizerUpdates, counters } = this.#position;
    const isOfPath = step > 0 && optimizerUpdates === 0 && counters.consecutive_empty_steps === 0;
    if (!isOfPath || !this.#isDone()) return;
    throw new AppError(
      "config-invalid",
      `The checkpoint of resume_from already has ${formatQuantity(step, "step")}, and no more are planned. Raise max_steps or num_epochs.`,
      { configPath: "max_steps" },
    );
  }

  #isDone(): boolean {
    const done = doneFractionOf(this.#context, this.#position);
    return done !== null && done >= 1;
  }

  /** Between two steps: applies new settings and waits through a pause. False when no step follows. */
  async #betweenSteps(): Promise<boolean> {
    const { control } = this.#context;
    if (control.isStopping) return false;
    // Apply settings first, because they may change the number of steps.
    await this.#applyPendingSettings();
    do {
      if (control.isPausing && !this.#isDone()) await this.#pause();
      const { max_cost_usd: usd, max_tokens_total: tokens } = this.#context.config;
      // The evaluation's tokens count toward these budgets, and settings that arrive during it may move the end of the run. If it failed,
      // the next step fails.
      if (usd !== null || tokens !== null || this.#isOver()) {
        await Promise.allSettled([this.#extra]);
      }
    } while (await this.#applyPendingSettings());
    if (!this.#isOver()) return true;
    control.endSteps();
    return false;
  }

  #isOver(): boolean {
    return this.#isDone() || this.#earlyEnd() !== null;
  }

  #earlyEnd(): AppError | null {
    return this.#endConditions.earlyEnd(this.#context, this.#position);
  }

  async #pause(): Promise<void> {
    const { control, pauses, reporting } = this.#context;
    const { watch, enterPhase } = reporting;
    const { step } = this.#position;
    // Finish the evaluation first, because the services get no requests during a pause.
    await this.#extra;
    // A pause may outlive a rolling save.
    const last = await this.#checkpoints.settle();
    if (last?.kind === "rolling")
      await this.#checkpoints.saveLasting("interrupt", this.#snapshot());
    await enterPhase("paused");
    watch({ kind: "paused", step });
    await this.#event("run-paused", `The run waits before step ${step + 1}.`);
    await pauses.during(() => control.pauseOver());
    await enterPhase("running");
    watch({ kind: "continued", step });
    await this.#event("run-continued", `The run continues with step ${step + 1}.`);
  }

  /** True if there were any. */
  async #applyPendingSettings(): Promise<boolean> {
    const change = this.#context.control.takeSettingsChange();
    if (change === null) return false;
    const { step } = this.#position;
    const hasOlder = this.#steps.issued(step).pending.length > 0;
    const inForce = { context: this.#context, identity: this.#identity };
    const changed = changeSettings(inForce, change, { step, hasOlder });
    this.#context = changed.context;
    this.#identity = changed.identity;
    await changed.recorded;
    return true;
  }

  #offerSave(): void {
    this.#context.control.offerSave(() => this.#checkpoints.saveNow(this.#snapshot()));
  }

  async #event(kind: string, message: string, data: JsonObject = {}): Promise<void> {
    const { step } = this.#position;
    await this.#context.reporting.events.record({ step, level: "info", kind, message, data });
  }

  async #step(): Promise<StepEnd> {
    const { output, position, metrics } = await this.#steps.run({
      context: this.#context,
      position: this.#position,
      settingsHash: this.#identity.configHash,
      extra: this.#extra,
      secondsUntilNow: () => this.#endConditions.secondsUntilNow(this.#position),
      mayFollow: (completed) => this.#mayFollow(completed),
      stepsAhead: (steps, tokens) => this.#endConditions.stepsAhead(this.#context, steps, tokens),
    });
    this.#extra = Promise.resolve({});
    if (output.updates === 0) this.#lastEmpty = output;
    this.#lastMetrics = metrics;
    this.#position = position;
    this.#endConditions.addStep(output.row);
    return output;
  }

  /** Submits the save that is due after the step in progress; false when something must happen before the next step. */
  #mayFollow(completed: Promise<CompletedStep>): boolean {
    const step = this.#position.step + 1;
    const evaluation = dueEvaluation(this.#context, { ...this.#position, step });
    if (this.#context.control.hasRequest || evaluation !== null) return false;
    if (!this.#endConditions.mayTrainAhead(this.#context, this.#position)) return false;
    const snapshot = completed.then(({ position, metrics }) => this.#snapshot(position, metrics));
    snapshot.catch(() => undefined);
    this.#beginDueSave(step, snapshot);
    return true;
  }

  #beginDueSave(step: number, snapshot: RunSnapshot | Promise<RunSnapshot>): void {
    const { config } = this.#context;
    const isEvaluated = dueEvaluation(this.#context, { ...this.#position, step }) !== null;
    const due =
      dueCheckpoint(config, step, isEvaluated) ?? (this.#checkpoints.isAgeing ? "rolling" : null);
    if (due === null) return;
    this.#earlierSave = this.#checkpoints.begin(due, step, snapshot);
    this.#earlierSave.catch(() => undefined);
  }

  /** A run that completed its plan without ever changing the weights has failed. */
  #requireTrained(): void {
    const { step, optimizerUpdates } = this.#position;
    if (step === 0 || optimizerUpdates > 0 || !this.#isDone()) return;
    throw emptySteps(step, this.#lastEmpty);
  }

  async #afterStep(output: StepEnd): Promise<void> {
    const { config } = this.#context;
    const { step, counters } = this.#position;
    if (!this.#steps.hasBegunNext) this.#beginDueSave(step, this.#snapshot());
    await this.#earlierSave;
    if (!this.#hasReportedCapacity) {
      this.#hasReportedCapacity = await reportCapacity(this.#context, step);
    }
    if (this.#steps.hasBegunNext) return;
    this.#offerSave();
    if (counters.consecutive_empty_steps >= config.max_consecutive_empty_steps) {
      throw emptySteps(counters.consecutive_empty_steps, output);
    }
    this.#evaluateIfDue();
  }

  /** Evaluates alongside the next step's rollouts, even after a resume; that step's row holds the results, so its update waits. */
  #evaluateIfDue(): void {
    const { evaluation } = this.#context.config;
    const at = dueEvaluation(this.#context, this.#position);
    if (evaluation === null || at === null) return;
    const end = this.#earlyEnd();
    if (end !== null && end.code !== "stop-at-step") return;
    const before = this.#extra;
    const context = this.#context;
    const results = this.#steps
      .sampler(context)
      .then((sampler) => evaluateBesideSteps(context, evaluation, sampler, at));
    this.#extra = results.then(async (each) => {
      await this.#best.update(this.#context);
      return mergeMetrics(await before, evaluationMetrics(each));
    });
    // Awaited before the next step's update; until then a failure must not count as an unhandled rejection.
    this.#extra.catch(() => undefined);
  }

  /** Ends all rollouts; weights and issued groups stay as they are. Later calls wait for the first. */
  #endPlay(): Promise<void> {
    this.#playEnd ??= this.#closePlay();
    return this.#playEnd;
  }

  async #closePlay(): Promise<void> {
    await this.#steps.close();
    await Promise.allSettled([this.#extra]);
    const seconds = this.#endConditions.secondsUntilNow(this.#position);
    this.#context.storage.usage.add({ for: "stop", seconds });
  }

  async #end(): Promise<LoopEnd> {
    const { control } = this.#context;
    control.withdrawSave();
    await this.#endPlay();
    await this.#context.storage.usage.flush();
    // These settings were sent before the stop, so they apply to the step that a resume starts with.
    while (await this.#applyPendingSettings());
    control.endSteps();
    const ending = this.#isDone() || control.isStopping ? null : this.#earlyEnd();
    const isDoneEarly = ending !== null && DONE_EARLY.has(ending.code);
    const isComplete = this.#isDone() || !control.isStopping;
    const isDone = isDoneEarly || (isComplete && ending === null);
    if (ending !== null) await this.#event(ending.code, ending.message);
    await reportCapacity(this.#context, this.#position.step);
    const entry = await this.#checkpoints.saveLasting(
      isDone ? "final" : "interrupt",
      this.#snapshot(),
    );
    control.offerSave(async () => entry);
    return {
      outcome: isDone ? "done" : "stopped",
      step: this.#position.step,
      samplerPath: entry.sampler_path,
      ending,
      context: this.#context,
      best: this.#best,
    };
  }

  /**
   * Saves the last completed step when something other than training failed. Not when the weights already include a later update, which a
   * resume would apply twice.
   */
  async #saveBeforeFailing(error: unknown): Promise<void> {
    if (this.#position.step === 0 || !this.#context.control.canSave) return;
    if (!isAppError(error) || /^(tinker-|run-taken-over$)/.test(error.code)) return;
    try {
      await this.#checkpoints.saveLasting("interrupt", this.#snapshot());
    } catch (saving) {
      this.#context.reporting.log.warn("The last step could not be saved.", {
        reason: errorMessage(saving),
      });
    }
  }

  #snapshot(position = this.#position, metrics = this.#lastMetrics): RunSnapshot {
    const issued = this.#steps.issued(position.step);
    return snapshotAt(this.#context, { ...position, issued }, this.#identity, metrics);
  }
}

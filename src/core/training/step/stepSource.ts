/** How a run makes its steps: from rollouts of its policy or from examples. The loop around them is the same. */

import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import type { RunState } from "../../runFolder/state.ts";
import type { UsageLog } from "../../runFolder/usageLog.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { TokenUsage } from "../../usage/tokenUsage.ts";
import type { RunContext } from "../run/context.ts";
import type { RunSnapshot } from "./checkpointWriter.ts";
import type { StepInput } from "./gatherStepFacts.ts";
import type { LoopPosition } from "./loopPosition.ts";
import type { StepEnd } from "./step.ts";

/** A group of rollouts whose tokens were logged. */
export type UsedGroup = Parameters<Parameters<UsageLog["read"]>[0]>[0];

/** What a resume needs to issue the same groups again. */
export type IssuedAhead = Pick<RunState, "pending" | "samplers" | "curriculum">;

export interface StepOrder {
  readonly context: RunContext;
  readonly position: LoopPosition;
  readonly settingsHash: string;
  readonly secondsUntilNow: StepInput["secondsUntilNow"];
  /** Further metrics for the row. */
  readonly extra: MetricsTree | Promise<MetricsTree>;
  /**
   * Called when the next step could begin while this one trains, with this step's pauses in milliseconds. False when something must come
   * in between; true when everything that needs the weights in between has been submitted.
   */
  readonly mayFollow: (completed: Promise<CompletedStep>) => boolean;
  /** How many further steps the budgets allow to be sampled, given the completed steps and their tokens. */
  readonly stepsAhead: (steps: number, tokens: TokenUsage) => number;
}

export interface CompletedStep<Output extends StepEnd = StepEnd> {
  readonly output: Output;
  readonly position: LoopPosition;
  /** Metrics of the checkpoint after the step. */
  readonly metrics: RunSnapshot["metrics"];
}

export interface StepSource {
  /** Prepares the first step. @throws AppError `tinker-*` */
  start(context: RunContext, position: LoopPosition): Promise<void>;
  /** Runs the step at a position to its end. */
  run(order: StepOrder): Promise<CompletedStep>;
  /** True when the next step is in progress, so that nothing can come before it. */
  readonly hasBegunNext: boolean;
  /** A sampler with the weights between two steps. @throws AppError `tinker-*` */
  sampler(context: RunContext): Promise<SamplingClient>;
  /** Groups issued for later steps and the curriculum's state, after `step` completed steps. */
  issued(step: number): IssuedAhead;
  /** True for a finished group that waits for a step at or after the position. */
  isWaiting(group: UsedGroup, at: Pick<LoopPosition, "cursor">): boolean;
  /** Removes what neither this saved state nor later steps need. @throws AppError `disk` */
  tidy(reporting: RunContext["reporting"], state: RunState): Promise<void>;
  /** Ends all work. */
  close(): Promise<void>;
}

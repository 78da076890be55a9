/** How a run makes its steps: from rollouts of its policy, or from examples. The loop around them is the same. */

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

/** A group of rollouts whose tokens were written down. */
export type UsedGroup = Parameters<Parameters<UsageLog["read"]>[0]>[0];

/** What a resume needs to issue the same groups again. */
export type IssuedAhead = Pick<RunState, "pending" | "samplers" | "curriculum">;

export interface StepOrder {
  readonly context: RunContext;
  readonly position: LoopPosition;
  readonly settingsHash: string;
  readonly secondsUntilNow: StepInput["secondsUntilNow"];
  /** Metrics that go into the row. */
  readonly extra: MetricsTree | Promise<MetricsTree>;
  /**
   * Asked when the next step could begin while this one trains, which was paused for so many milliseconds. False = something must come
   * between the two; true = what must be of the weights in between was submitted.
   */
  readonly mayFollow: (pausedMs: number, completed: Promise<CompletedStep>) => boolean;
  /** How many further steps may be sampled once so many are completed with these tokens, for the budgets' sake. */
  readonly stepsAhead: (steps: number, tokens: TokenUsage) => number;
}

export interface CompletedStep<Output extends StepEnd = StepEnd> {
  readonly output: Output;
  readonly position: LoopPosition;
  /** Metrics of the checkpoint after it. */
  readonly metrics: RunSnapshot["metrics"];
}

export interface StepSource {
  /** Prepares the first step. @throws AppError `tinker-*` */
  start(context: RunContext, position: LoopPosition): Promise<void>;
  /** Runs the step at a position to its end. */
  run(order: StepOrder): Promise<CompletedStep>;
  /** True when the next step is in progress, so that nothing can come before it. */
  readonly hasBegunNext: boolean;
  /** Samples with the weights between two steps. @throws AppError `tinker-*` */
  sampler(context: RunContext): Promise<SamplingClient>;
  /** What was sampled for later steps, and what decides which tasks those have, after so many completed ones. */
  issued(step: number): IssuedAhead;
  /** True for a group that has ended and waits for a step from that at a position on. */
  isWaiting(group: UsedGroup, at: Pick<LoopPosition, "cursor">): boolean;
  /** Removes what neither this saved state nor later steps need. @throws AppError `disk` */
  tidy(reporting: RunContext["reporting"], state: RunState): Promise<void>;
  /** Ends all work; returns for how many milliseconds the last of it was paused. */
  close(): Promise<number>;
}

/** Tracks a run's time and rewards, and decides whether they or its token use end it early or limit sampling ahead. */

import { formatQuantity } from "../../shared/format.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { Config } from "../config/fields/schema.ts";
import { AppError } from "../errors.ts";
import { REWARD_AT_END } from "../openreward/faults.ts";
import type { Clock } from "../ports.ts";
import { withoutPrinted } from "../rollout/agentFailure.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readLines } from "../runFolder/files/lineReader.ts";
import { heldOutLoss } from "../runFolder/metrics/fitMetrics.ts";
import { type MetricsRow, metricAt } from "../runFolder/metrics/metricsTree.ts";
import { decidingReward } from "../runFolder/metrics/trendMetrics.ts";
import { isMetricsRow } from "../runFolder/reader.ts";
import type { TokenUsage } from "../usage/tokenUsage.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { earlyEnd, type Spent, stepsWithinBudget, waitsForRow } from "./run/budgets.ts";
import { pricesOf, type RunContext } from "./run/context.ts";
import { failuresOfAll, whoFailed } from "./run/failedRollouts.ts";
import type { PausedTime } from "./run/pausedTime.ts";
import type { LoopPosition } from "./step/loopPosition.ts";
import type { StepEnd } from "./step/step.ts";

export class EndConditions {
  readonly #clock: Clock;
  /** Completed when the attempt began. */
  readonly #stepsBefore: number;
  readonly #results: StepResult[];
  readonly #pauses: PausedTime;
  /** Monotonic time up to which `counters.seconds` counts the run's time, and the pauses until then. */
  #countedUntilMs: number;
  #pausesCountedMs: number;

  private constructor(
    { pauses, ports: { clock } }: Pick<RunContext, "pauses" | "ports">,
    stepsBefore: number,
    results: readonly StepResult[],
  ) {
    this.#clock = clock;
    this.#pauses = pauses;
    this.#stepsBefore = stepsBefore;
    this.#results = [...results];
    this.#countedUntilMs = clock.monotonic();
    this.#pausesCountedMs = pauses.totalMs;
  }

  /** Starts counting time now. @throws AppError `file-unreadable` */
  static async open(
    context: Pick<RunContext, "pauses" | "ports" | "storage">,
    { step }: Pick<LoopPosition, "step">,
  ): Promise<EndConditions> {
    return new EndConditions(context, step, await readResults(context));
  }

  /** Records a completed step whose position counts the time until now. */
  addStep(row: MetricsRow): void {
    this.#results.push(resultOf(row));
    this.#countedUntilMs = this.#clock.monotonic();
    this.#pausesCountedMs = this.#pauses.totalMs;
  }

  /** The run's time until now, without pauses. */
  secondsUntilNow({ counters }: Pick<LoopPosition, "counters">): number {
    const pausedMs = this.#pauses.totalMs - this.#pausesCountedMs;
    const takenMs = this.#clock.monotonic() - this.#countedUntilMs - pausedMs;
    return counters.seconds + Math.max(0, takenMs) / 1000;
  }

  /** Why the run ends here although its plan continues; null if it does not. */
  earlyEnd(
    context: RunContext,
    position: Pick<LoopPosition, "counters" | "step">,
  ): AppError | null {
    const { step: steps } = position;
    return this.#earlyEndAt(context, { steps, seconds: this.secondsUntilNow(position) });
  }

  /**
   * Whether the next step's update may be submitted while this one trains. Not when the step's row decides,
   * nor when time might run out with it: then the decision waits for the end of the step.
   */
  mayTrainAhead(context: RunContext, position: LoopPosition): boolean {
    const { counters, step } = position;
    if (waitsForRow(context.config)) return false;
    const secondsOfStep = step === 0 ? 0 : counters.seconds / step;
    const seconds = this.secondsUntilNow(position) + secondsOfStep;
    return this.#earlyEndAt(context, { steps: step + 1, seconds }) === null;
  }

  /** {@link stepsWithinBudget} once the steps before `step` are completed. */
  stepsAhead(context: RunContext, steps: number, tokens: TokenUsage): number {
    const spent = { usage: context.storage.usage, prices: pricesOf(context) };
    return stepsWithinBudget(this.#limits(context), spent, { steps, tokens });
  }

  /** A resume continues beyond the step at which the run stopped. */
  #limits({ config }: RunContext): Config {
    const { stop_at_step: stop } = config;
    return stop === null || stop > this.#stepsBefore ? config : { ...config, stop_at_step: null };
  }

  #earlyEndAt(context: RunContext, at: Pick<Spent, "steps" | "seconds">): AppError | null {
    const { usage, stage } = context.storage;
    const spent = { ...at, usage, prices: pricesOf(context), stage };
    return earlyEnd(this.#limits(context), spent, {
      rewards: this.#results.map(({ reward }) => reward),
      heldOutLosses: this.#results.map(({ heldOutLoss }) => heldOutLoss),
    });
  }
}

interface StepResult {
  /** Mean reward; null without one, or when fewer than 90% of the rollouts were scored. */
  readonly reward: number | null;
  /** In nats per token; null when not measured. */
  readonly heldOutLoss: number | null;
}

/** Results of all steps in the run folder. @throws AppError `file-unreadable` */
async function readResults({
  storage,
}: Pick<RunContext, "storage">): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  for await (const { value } of readLines(storage.fileSystem, runPaths(storage.folder).metrics)) {
    if (isMetricsRow(value)) results.push(resultOf(value));
  }
  return results;
}

function resultOf(row: MetricsRow): StepResult {
  return { reward: decidingReward(row), heldOutLoss: heldOutLoss(row) };
}

/** A step that trained nothing; `row` is null when it is only known from before a resume. */
export interface EmptyStep extends Pick<StepEnd, "rollouts" | "isMasked"> {
  readonly row: MetricsRow | null;
}

/** The error that ends a run after `count` such steps, of which `last` is the latest. */
export function emptySteps(count: number, { rollouts: last, isMasked, row }: EmptyStep): AppError {
  if (isMasked) return maskedSteps(count);
  if (row !== null && metricAt(row, "teacher/kl") === 0) return taughtNothing(count);
  const [first] = failuresOfAll(last);
  const { why, remedy } =
    first === undefined || last.every(isUnrewarded)
      ? causeOf(last)
      : {
          why: `${whoFailed(last)} failed. The first: ${withoutEnd(withoutPrinted(first), /[.\s]/)}`,
          remedy: FIX,
        };
  const isOfAgent = remedy === FIX && last[0]?.record.agent !== undefined;
  const alone = isOfAgent ? "`tinker-rl env play --agent` runs the agent alone. " : "";
  return new AppError(
    "empty-steps",
    `${nothingIn(count)}: in the last one ${why}. The run is saved. ${alone}${remedy}`,
    { configPath: "max_consecutive_empty_steps" },
  );
}

const FIX = "Fix that cause, then resume the run.";

/** Without a reward although no error ended it. */
function isUnrewarded({ record }: FinishedRollout): boolean {
  return record.reward === null && record.error === null && record.agent === undefined;
}

/** From this share of the rollouts, what the environment did to them is the cause. */
const BROKEN_SHARE = 0.1;

/** Why the rollouts gave no advantage. */
function causeOf(last: readonly FinishedRollout[]): {
  readonly why: string;
  readonly remedy: string;
} {
  const broken = last.filter(({ facts }) => facts.environmentFault !== undefined);
  const [first] = broken;
  if (first !== undefined && broken.length >= last.length * BROKEN_SHARE) {
    const share = `${broken.length} of ${last.length} rollouts ended with ${first.record.stop}`;
    const fault = withoutEnd(first.facts.environmentFault ?? "", /[.\s]/);
    return { why: `${share}. The first: ${fault}`, remedy: FIX };
  }
  const stops = groupBy(last, ({ record }) => record.stop);
  const [stop] = [...stops].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
  const unrewarded = last.filter(isUnrewarded);
  if (unrewarded.length * 2 >= last.length && stop !== undefined) {
    return stop === "reached_terminal_state"
      ? {
          why: `${unrewarded.length} of ${last.length} rollouts ended without a reward`,
          remedy: REWARD_AT_END,
        }
      : {
          why: `${unrewarded.length} of ${last.length} rollouts ended without a reward, most with ${stop}`,
          remedy: "Set `nonterminal_reward: 0`, so that they count as wrong, or raise that limit.",
        };
  }
  // For steps before a resume, the rollouts are unknown.
  if (last.length > 0 && last.every(({ record }) => (record.reward ?? 0) === 0)) {
    if (unrewarded.some(({ record }) => record.stop === "reached_terminal_state")) {
      const share = `${unrewarded.length} of ${last.length} rollouts`;
      const why = `${share} ended without a reward, and the others earned none`;
      return { why, remedy: REWARD_AT_END };
    }
    return {
      why: "no rollout earned a reward",
      remedy:
        "Choose easier tasks or a stronger model, reward parts of a task, or imitate examples first: docs/recipes.md.",
    };
  }
  return {
    why: "the rollouts of each group failed or all had the same reward",
    remedy:
      "Read some rollouts: a higher temperature or num_rollouts, other tasks, or a larger max_failing_rollouts may help.",
  };
}

function nothingIn(steps: number): string {
  const inRow = steps === 1 ? "" : " in a row";
  return `${formatQuantity(steps, "step")}${inRow} gave nothing to train on`;
}

function taughtNothing(count: number): AppError {
  return new AppError(
    "empty-steps",
    `${nothingIn(count)}: the teacher gives each token the same log-probability as the policy, so both have the same weights. The run is saved. Choose another teacher, or begin with other weights (init_from).`,
    { configPath: "teacher" },
  );
}

function maskedSteps(count: number): AppError {
  return new AppError(
    "empty-steps",
    `${nothingIn(count)}: in the last one off_policy_correction left no token, because the policy moved too far from the one that sampled. The run is saved. A lower learning_rate or max_steps_off_policy, or wider bounds in off_policy_correction_config may help.`,
    { configPath: "off_policy_correction" },
  );
}

/** Time and rewards of a run, and whether they or its tokens end it before its plan does, or let it sample ahead. */

import { formatQuantity } from "../../shared/format.ts";
import { REWARD_AT_END } from "../environmentCheck/checks/rewards.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { withoutPrinted } from "../rollout/agentFailure.ts";
import type { FinishedRollout } from "../rollout/rollout.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readLines } from "../runFolder/files/lineReader.ts";
import { heldOutLoss } from "../runFolder/metrics/fitMetrics.ts";
import { type MetricsRow, metricAt } from "../runFolder/metrics/metricsTree.ts";
import type { StopReason } from "../runFolder/metrics/stopReasons.ts";
import { decidingReward } from "../runFolder/metrics/trendMetrics.ts";
import { isMetricsRow } from "../runFolder/reader.ts";
import type { TokenUsage } from "../usage/tokenUsage.ts";
import { groupBy } from "../util/groupBy.ts";
import { withoutEnd } from "../util/textEdges.ts";
import { earlyEnd, stepsWithinBudget, waitsForRow } from "./run/budgets.ts";
import { pricesOf, type RunContext } from "./run/context.ts";
import { failuresOfAll, whoFailed } from "./run/failedRollouts.ts";
import type { LoopPosition } from "./step/loopPosition.ts";
import type { StepEnd } from "./step/step.ts";

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

  /** Waits without counting the time, also where a stop ends the wait. */
  async skip(pause: Promise<void>): Promise<void> {
    const fromMs = this.#clock.monotonic();
    try {
      await pause;
    } finally {
      this.#countedUntilMs += this.#clock.monotonic() - fromMs;
    }
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
    const { usage, stage } = context.storage;
    const spent = { usage, prices: pricesOf(context), seconds, stage };
    return earlyEnd(context.config, spent, {
      rewards: this.#results.map(({ reward }) => reward),
      heldOutLosses: this.#results.map(({ heldOutLoss }) => heldOutLoss),
    });
  }
}

interface StepResult {
  /** The mean; null without one, and where fewer than 90% of the rollouts were scored. */
  readonly reward: number | null;
  /** In nats a token; null where it was not measured. */
  readonly heldOutLoss: number | null;
}

/** Of all steps that the folder has. @throws AppError `file-unreadable` */
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

/** A step that trained nothing; `row` null = only the steps before a resume are known. */
export interface EmptyStep extends Pick<StepEnd, "rollouts" | "isMasked"> {
  readonly row: MetricsRow | null;
}

/** `last` is the last of `count` such steps. */
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

type Played = Pick<FinishedRollout, "record">;

/** Without a reward although no error ended it. */
function isUnrewarded({ record }: Played): boolean {
  return record.reward === null && record.error === null && record.agent === undefined;
}

/** Why rollouts gave no advantage, by what ended most of them. */
function causeOf(last: readonly Played[]): { readonly why: string; readonly remedy: string } {
  const [stop, own = []] =
    [...groupBy(last, ({ record }) => record.stop)].toSorted(
      ([, a], [, b]) => b.length - a.length,
    )[0] ?? [];
  const share = `${own.length} of ${last.length} rollouts ended with ${stop}`;
  // Calls end with the one that ended the rollout.
  const [failed] = own.flatMap(({ record }) => record.turns.at(-1)?.results.at(-1) ?? []);
  if (stop !== undefined && OF_ENVIRONMENT.has(stop) && failed !== undefined) {
    return { why: `${share}. The first: ${withoutEnd(failed.text, /[.\s]/)}`, remedy: FIX };
  }
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
  // Of the steps before a resume, the rollouts are not known.
  if (last.length > 0 && last.every(({ record }) => (record.reward ?? 0) === 0)) {
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

/** Stops that the environment causes; their rollouts count as wrong, and the model cannot learn to avoid them. */
const OF_ENVIRONMENT: ReadonlySet<string> = new Set<StopReason>([
  "tool_crashed",
  "tool_timeout",
  "tool_reply_too_long",
]);

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

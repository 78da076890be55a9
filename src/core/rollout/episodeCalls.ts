/** Runs the tool calls of one episode within the limits of its rollout. */

import type { ToolCall } from "../chat/renderer.ts";
import { isAppError } from "../errors.ts";
import type { ToolCallOutcome } from "../openreward/types.ts";
import type { ToolCallFacts } from "../runFolder/metrics/stepFacts.ts";
import type { StopReason } from "../runFolder/metrics/stopReasons.ts";
import { Limiter } from "../util/limiter.ts";
import { policyOutcome } from "./faults.ts";
import type { RolloutImages } from "./rolloutImages.ts";
import {
  type RunCallOptions,
  refusedAnswer,
  runCall,
  type ToolAnswer,
  toolAnswer,
  unanswered,
} from "./runCalls.ts";
import type { RolloutSettings } from "./settings.ts";

export interface EpisodeCallsOptions extends Omit<RunCallOptions, "settings"> {
  readonly settings: Pick<
    RolloutSettings,
    "maxToolCalls" | "onToolTimeout" | "parallelToolCalls" | "toolTimeoutMs"
  >;
}

/** Maximum number of concurrent calls. */
export const MAX_PARALLEL_CALLS = 8;

/** A call that ran: its outcome, or why there is none. */
type RanCall = { readonly durationS: number } & (
  | { readonly outcome: ToolCallOutcome }
  | { readonly error: unknown }
);

/** The answer to a call, and whether the call ends the rollout. */
interface CallEnd {
  readonly answer: ToolAnswer;
  readonly stop: StopReason | null;
}

export class EpisodeCalls {
  readonly facts: ToolCallFacts[] = [];
  /** All rewards received, in order. */
  readonly rewards: number[] = [];
  readonly #options: EpisodeCallsOptions;
  readonly #images: RolloutImages;
  #count = 0;
  /** Whether the previous call timed out. */
  #timedOut = false;
  /** Whether a call that timed out may have ended the episode. */
  #mayHaveEnded = false;

  /** `images` collects the images in the answers. */
  constructor(options: EpisodeCallsOptions, images: RolloutImages) {
    this.#options = options;
    this.#images = images;
  }

  /**
   * Runs calls in sequence, or concurrently with `parallel_tool_calls`, up to the call limit. Answers and rewards count in call order, up
   * to the call that finished the episode.
   */
  async runAll(calls: readonly ToolCall[], answers: ToolAnswer[]): Promise<StopReason | null> {
    const { maxToolCalls, parallelToolCalls } = this.#options.settings;
    const left = (maxToolCalls ?? Number.POSITIVE_INFINITY) - this.#count;
    const ran = parallelToolCalls ? await this.#runAtOnce(calls.slice(0, left)) : [];
    for (const [position, call] of calls.entries()) {
      this.#count += 1;
      const { answer, stop } = this.#endOf(call, ran[position] ?? (await this.#run(call)), ran);
      answers.push(answer);
      if (stop !== null) return stop;
      if (maxToolCalls !== null && this.#count >= maxToolCalls) return "max_tool_calls";
    }
    return null;
  }

  async #runAtOnce(calls: readonly ToolCall[]): Promise<readonly RanCall[]> {
    const places = new Limiter(MAX_PARALLEL_CALLS);
    return await Promise.all(
      calls.map(async (call) => {
        const release = await places.acquire();
        return await this.#run(call).finally(release);
      }),
    );
  }

  async #run(call: ToolCall): Promise<RanCall> {
    const { clock } = this.#options;
    const started = clock.monotonic();
    const durationS = (): number => (clock.monotonic() - started) / 1000;
    try {
      const outcome = await runCall(call, this.#options);
      return { outcome, durationS: durationS() };
    } catch (error) {
      return { error, durationS: durationS() };
    }
  }

  /** `others` ran at the same time. */
  #endOf(call: ToolCall, ran: RanCall, others: readonly RanCall[]): CallEnd {
    const end =
      "error" in ran
        ? this.#unanswered(call, ran.error)
        : this.#answered(call, ran.outcome, others.some(hasFinished));
    const { isError } = end.answer.record;
    this.facts.push({ name: call.name, isError, durationS: ran.durationS });
    return end;
  }

  #answered(call: ToolCall, outcome: ToolCallOutcome, isOvertaken: boolean): CallEnd {
    this.#timedOut = false;
    const isLate = outcome.kind === "rejected" && outcome.reason === "episode_finished";
    // A concurrent call, or one that timed out earlier, ended the episode, so the environment did not run this one.
    if (isLate && (isOvertaken || this.#mayHaveEnded)) {
      const answer = refusedAnswer(call, outcome.error);
      return { answer, stop: isOvertaken ? null : "tool_timeout" };
    }
    if (outcome.kind === "result" && outcome.reward !== null) this.rewards.push(outcome.reward);
    const answer = toolAnswer(call, outcome, this.#images);
    if (!answer.record.finished) return { answer, stop: null };
    this.#mayHaveEnded = false;
    return { answer, stop: "reached_terminal_state" };
  }

  /** An unanswered call that the policy caused ends the rollout. After a single timeout, the rollout may continue. */
  #unanswered(call: ToolCall, error: unknown): CallEnd {
    const { settings } = this.#options;
    const stop = policyOutcome(error, "call");
    if (stop === null || !isAppError(error)) throw error;
    const answer = unanswered(call, error, settings);
    const mayContinue =
      stop === "tool_timeout" && settings.onToolTimeout === "answer" && !this.#timedOut;
    this.#timedOut = true;
    this.#mayHaveEnded = true;
    return { answer, stop: mayContinue ? null : stop };
  }
}

function hasFinished(ran: RanCall): boolean {
  return "outcome" in ran && ran.outcome.kind === "result" && ran.outcome.finished;
}

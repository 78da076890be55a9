/** The tool calls of one episode, run in its session within the limits of its rollout. */

import type { ToolCall } from "../chat/renderer.ts";
import { isAppError } from "../errors.ts";
import type { ToolCallOutcome } from "../openreward/types.ts";
import type { ToolCallFacts } from "../runFolder/metrics/stepFacts.ts";
import type { StopReason } from "../runFolder/metrics/stopReasons.ts";
import { Limiter } from "../util/limiter.ts";
import { policyOutcome } from "./faults.ts";
import type { RolloutImages } from "./rolloutImages.ts";
import type { RolloutSettings } from "./settings.ts";
import {
  type RunCallOptions,
  refusedAnswer,
  runCall,
  type ToolAnswer,
  toolAnswer,
  unanswered,
} from "./toolCalls.ts";

export interface EpisodeCallsOptions extends Omit<RunCallOptions, "settings"> {
  readonly settings: Pick<
    RolloutSettings,
    "maxToolCalls" | "onToolTimeout" | "parallelToolCalls" | "toolTimeoutMs"
  >;
}

/** Calls that are under way at once. */
export const MAX_PARALLEL_CALLS = 8;

/** A call that was run: what came back, or why nothing did. */
type RanCall = { readonly durationS: number } & (
  | { readonly outcome: ToolCallOutcome }
  | { readonly error: unknown }
);

/** What a call brought, and what ends the rollout with it. */
interface CallEnd {
  readonly answer: ToolAnswer;
  readonly stop: StopReason | null;
}

export class EpisodeCalls {
  readonly facts: ToolCallFacts[] = [];
  /** Every reward received, in order. */
  readonly rewards: number[] = [];
  readonly #options: EpisodeCallsOptions;
  readonly #images: RolloutImages;
  #count = 0;
  /** Whether the call before this one took too long. */
  #timedOut = false;
  /** Whether a call that was given up may have ended the episode. */
  #mayHaveEnded = false;

  /** `images` takes in those of the answers. */
  constructor(options: EpisodeCallsOptions, images: RolloutImages) {
    this.#options = options;
    this.#images = images;
  }

  /**
   * Runs calls one after the other, or at once with `parallel_tool_calls`, none beyond the limit of calls. Answers and rewards count in the
   * order of the calls, up to the one that finished the episode.
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
    // A call beside it, or one that was given up before, has ended the episode, so the environment did not run this one.
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

  /** A call without an answer that the policy caused ends the rollout; after one that took too long it may go on, once. */
  #unanswered(call: ToolCall, error: unknown): CallEnd {
    const { settings } = this.#options;
    const stop = policyOutcome(error, "call");
    if (stop === null || !isAppError(error)) throw error;
    const answer = unanswered(call, error, settings);
    const isTold =
      stop === "tool_timeout" && settings.onToolTimeout === "answer" && !this.#timedOut;
    this.#timedOut = true;
    this.#mayHaveEnded = true;
    return { answer, stop: isTold ? null : stop };
  }
}

function hasFinished(ran: RanCall): boolean {
  return "outcome" in ran && ran.outcome.kind === "result" && ran.outcome.finished;
}

/** Runs the calls of a turn and converts the environment's answers. */

import { type Content, shownContent } from "../chat/content.ts";
import type { ParsedTurn, ToolCall } from "../chat/renderer.ts";
import { AppError, errorMessage } from "../errors.ts";
import type { EnvironmentSession, TerminalTool, ToolCallOutcome } from "../openreward/types.ts";
import type { Clock } from "../ports.ts";
import { type Deadline, type TimeLimit, withLimit } from "../util/abort.ts";
import type { ToolResultRecord } from "./episodeRecord.ts";
import { toolErrorText } from "./feedback.ts";
import type { RolloutImages } from "./rolloutImages.ts";
import type { RolloutSettings } from "./settings.ts";

/** A tool's answer as it is stored and as the model reads it. */
export interface ToolAnswer {
  readonly record: ToolResultRecord;
  readonly said: Content;
}

export interface RunCallOptions {
  readonly session: EnvironmentSession;
  readonly settings: Pick<RolloutSettings, "toolTimeoutMs">;
  readonly clock: Clock;
  /** For messages. */
  readonly environment: string;
  /** The rollout's deadline, paused during waits that neither policy nor environment cause. */
  readonly limit: Pick<Deadline, "signal" | "withTimerPaused">;
}

/** A complete turn without calls is the answer where final messages are graded: `docs/protocols/openreward.md#terminal-tool`. */
export function callsOf(parsed: ParsedTurn, terminal: TerminalTool | null): readonly ToolCall[] {
  const isAnswer = parsed.ended && parsed.calls.length + parsed.errors.length === 0;
  if (terminal === null || !isAnswer) return parsed.calls;
  const args = terminal.arg === null ? {} : { [terminal.arg]: parsed.content };
  return [{ name: terminal.name, args, raw: parsed.content }];
}

/**
 * Runs one call within `tool_timeout`, with its own signal, because the session stays usable after a timeout: the server lets the call
 * finish, and other calls of the same tool wait for it: `docs/protocols/openreward.md#tools`.
 * @throws AppError `tool-timeout`, `environment-*`
 */
export async function runCall(
  { name, args }: ToolCall,
  { session, settings, clock, environment, limit }: RunCallOptions,
): Promise<ToolCallOutcome> {
  const { limitMs, onLimit } = toolLimit(name, environment, settings);
  if (limitMs === null) return await session.callTool(name, args, limit);
  return await withLimit({ clock, limitMs, onLimit, parents: [limit.signal] }, (calling) =>
    session.callTool(name, args, {
      signal: calling.signal,
      withTimerPaused: (wait) => limit.withTimerPaused(() => calling.withTimerPaused(wait)),
    }),
  );
}

/** The time limit of a call by `tool_timeout`. */
export function toolLimit(
  name: string,
  environment: string,
  { toolTimeoutMs: limitMs }: Pick<RolloutSettings, "toolTimeoutMs">,
): TimeLimit {
  const message = `Tool ${name} of ${environment} gave no answer within ${(limitMs ?? 0) / 1000} s (tool_timeout).`;
  return { limitMs, onLimit: () => new AppError("tool-timeout", message) };
}

/** The answer recorded, and read by the model, for a call that ended without one. */
export function unanswered(
  call: ToolCall,
  error: AppError,
  { toolTimeoutMs }: Pick<RolloutSettings, "toolTimeoutMs">,
): ToolAnswer {
  const why =
    error.code === "tool-timeout"
      ? `${call.name} gave no answer within ${(toolTimeoutMs ?? 0) / 1000} s.`
      : errorMessage(error);
  return refusedAnswer(call, why);
}

/** The answer recorded, and read by the model, for a call that only produced an error. */
export function refusedAnswer({ name }: ToolCall, why: string): ToolAnswer {
  const content = toolErrorText(why);
  const record = { name, text: content, isError: true, reward: null, finished: false };
  return { record, said: { content } };
}

/** @throws AppError `rollout-after-end` when the episode was already over; `rollout-image`, `rollout-image-limit`, `image-invalid` */
export function toolAnswer(
  call: ToolCall,
  outcome: ToolCallOutcome,
  images: RolloutImages,
): ToolAnswer {
  if (outcome.kind === "rejected") {
    if (outcome.reason === "episode_finished") {
      throw new AppError(
        "rollout-after-end",
        `${images.environment} had already ended the episode.`,
      );
    }
    return refusedAnswer(call, outcome.error);
  }
  const { reward, finished } = outcome;
  const said = images.read(outcome.blocks);
  const { name } = call;
  return { record: { name, text: shownContent(said), isError: false, reward, finished }, said };
}

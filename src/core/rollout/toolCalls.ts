/** The calls of a turn, and what an environment answers to them. */

import type { ParsedTurn, ToolCall } from "../chat/renderer.ts";
import { AppError } from "../errors.ts";
import type { EnvironmentSession, TerminalTool, ToolCallOutcome } from "../openreward/types.ts";
import { type Deadline, type TimeLimit, timeoutError } from "../util/abort.ts";
import type { ToolResultRecord } from "./episodeRecord.ts";
import { toolErrorText } from "./feedback.ts";
import { type Content, type RolloutImages, shownContent } from "./rolloutImages.ts";
import type { RolloutSettings } from "./settings.ts";

/** What a tool answered: as it is stored, and as the model reads it. */
export interface ToolAnswer {
  readonly record: ToolResultRecord;
  readonly said: Content;
}

export interface RunCallOptions {
  readonly session: EnvironmentSession;
  readonly settings: Pick<RolloutSettings, "toolTimeoutMs">;
  /** Name for messages. */
  readonly environment: string;
  /** Ended by a call that takes too long; a wait that is nobody's fault pauses it. */
  readonly limit: Deadline;
}

/** A whole turn without a call answers an environment that grades final messages: `docs/protocols/openreward.md#terminal-tool`. */
export function callsOf(parsed: ParsedTurn, terminal: TerminalTool | null): readonly ToolCall[] {
  const isAnswer = parsed.ended && parsed.calls.length + parsed.errors.length === 0;
  if (terminal === null || !isAnswer) return parsed.calls;
  const args = terminal.arg === null ? {} : { [terminal.arg]: parsed.content };
  return [{ name: terminal.name, args, raw: parsed.content }];
}

/** Runs one call within `tool_timeout`. @throws AppError `timeout`, `environment-*` */
export async function runCall(
  { name, args }: ToolCall,
  { session, settings, environment, limit }: RunCallOptions,
): Promise<ToolCallOutcome> {
  const callLimit = toolLimit(name, environment, settings);
  return await limit.runPart(callLimit, (withToolTimerPaused) =>
    session.callTool(name, args, {
      signal: limit.signal,
      withTimerPaused: (wait) => limit.withTimerPaused(() => withToolTimerPaused(wait)),
    }),
  );
}

/** What `tool_timeout` leaves a call. */
export function toolLimit(
  name: string,
  environment: string,
  { toolTimeoutMs: limitMs }: Pick<RolloutSettings, "toolTimeoutMs">,
): TimeLimit {
  const what = `Tool ${name} of ${environment} (tool_timeout)`;
  return { limitMs, onLimit: () => timeoutError(what, limitMs) };
}

/** @throws AppError `rollout-after-end` when the episode was over before the call; `rollout-image`, `image-invalid` */
export function toolAnswer(
  { name }: ToolCall,
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
    const content = toolErrorText(outcome.error);
    const record = { name, text: content, isError: true, reward: null, finished: false };
    return { record, said: { content } };
  }
  const { reward, finished } = outcome;
  const said = images.read(outcome.blocks);
  return { record: { name, text: shownContent(said), isError: false, reward, finished }, said };
}

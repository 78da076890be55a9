/** What conversations have in common in many families: a system text in front, reasoning between think tokens, the end of a turn. */

import type { ChatFormat } from "../format.ts";
import type { CallSyntax } from "../parsing/toolCalls.ts";
import { createTurnParser } from "../parsing/turnParser.ts";
import { type Control, control, markersOf } from "../pieces.ts";
import type { InitialMessage } from "../renderer.ts";

export const THINK = { open: control("<think>"), close: control("</think>") };

/** The system text, null when there is none, and the messages behind it. */
export function splitSystem(
  messages: readonly InitialMessage[],
): readonly [system: string | null, rest: readonly InitialMessage[]] {
  const [first, ...others] = messages;
  return first?.role === "system" ? [first.content, others] : [null, messages];
}

/** Where the last message of the user stands: reasoning behind it belongs to the answer that is in progress. */
export function lastUserIndex(messages: readonly InitialMessage[]): number {
  return messages.findLastIndex(({ role }) => role === "user");
}

/** Where the last answer without calls stands: it ends a stretch of work, and reasoning up to it is not shown again. */
export function lastAnswerIndex(messages: readonly InitialMessage[]): number {
  return messages.findLastIndex(
    (message) => message.role === "assistant" && message.calls.length === 0,
  );
}

interface TurnEnd {
  readonly end: Control;
  readonly calls: CallSyntax;
  /** False for models that do not reason. */
  readonly thinks?: boolean;
  /** True when the prompt opened the reasoning. */
  readonly startsThinking: boolean;
}

/** How turns end and are read that one token ends. */
export function turnReading({
  end,
  calls,
  thinks = true,
  startsThinking,
}: TurnEnd): Pick<ChatFormat, "ends" | "closeTurn" | "createParser"> {
  const ends = [end.control];
  const thinking = thinks ? markersOf(THINK) : null;
  return {
    ends,
    closeTurn: ({ unclosedThink }) => (unclosedThink ? [THINK.close, end] : [end]),
    createParser: (tokens) =>
      createTurnParser({ ...tokens, thinking, calls, ends, startsThinking }),
  };
}

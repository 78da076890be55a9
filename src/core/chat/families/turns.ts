/** Helpers shared by many families: a leading system text, reasoning between think tokens, and turns that end with one token. */

import type { ChatFormat } from "../format.ts";
import type { CallSyntax } from "../parsing/callFormats.ts";
import { createTurnParser } from "../parsing/turnParser.ts";
import { type Control, control, markersOf } from "../pieces.ts";
import type { InitialMessage } from "../renderer.ts";

export const THINK = { open: control("<think>"), close: control("</think>") };

/** Splits off the leading system text, null if there is none. */
export function splitSystem(
  messages: readonly InitialMessage[],
): readonly [system: string | null, rest: readonly InitialMessage[]] {
  const [first, ...others] = messages;
  return first?.role === "system" ? [first.content, others] : [null, messages];
}

/** Index of the last user message. Reasoning after it belongs to the answer in progress. */
export function lastUserIndex(messages: readonly InitialMessage[]): number {
  return messages.findLastIndex(({ role }) => role === "user");
}

/** Index of the last answer without calls. Reasoning up to and including it is not shown again. */
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

/** Reads and closes turns that end with a single token. */
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

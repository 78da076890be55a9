/** What the releases of DeepSeek share: tokens, and the end of a turn. */

import type { ChatFormat } from "../format.ts";
import type { CallSyntax } from "../parsing/toolCalls.ts";
import { createTurnParser } from "../parsing/turnParser.ts";
import { control, type Piece } from "../pieces.ts";

export const BEGIN = control("<｜begin▁of▁sentence｜>");
export const END = control("<｜end▁of▁sentence｜>");
export const USER = control("<｜User｜>");
export const ASSISTANT = control("<｜Assistant｜>");
export const THINK = { open: control("<think>"), close: control("</think>") };

/** What opens a turn of the model: its reasoning, or the end of a reasoning that there is not. */
export function turnOpening(thinking: boolean): readonly Piece[] {
  return [ASSISTANT, thinking ? THINK.open : THINK.close];
}

/** How turns end and are read. */
export function turnReading(
  thinking: boolean,
  calls: CallSyntax,
): Pick<ChatFormat, "ends" | "closeTurn" | "createParser"> {
  return {
    ends: [END.control],
    closeTurn: ({ unclosedThink }) => (unclosedThink ? [THINK.close, END] : [END]),
    createParser: (tokens) =>
      createTurnParser({
        ...tokens,
        thinking: { open: THINK.open.control, close: THINK.close.control },
        calls,
        ends: [END.control],
        startsThinking: thinking,
      }),
  };
}

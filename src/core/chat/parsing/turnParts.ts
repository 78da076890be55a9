/** Combines the messages of one turn, for formats whose turns consist of several messages. */

import type { ParsedTurn, ToolCall, ToolCallError } from "../renderer.ts";
import type { ToolCallReading } from "./callFormats.ts";

/** What one message of a turn contains. */
export type TurnPart =
  | { readonly kind: "reasoning"; readonly text: string; readonly tokens: number }
  | { readonly kind: "text"; readonly text: string }
  | ToolCallReading;

export function combineParts(
  parts: readonly TurnPart[],
  state: Pick<ParsedTurn, "unclosedThink" | "ended">,
): ParsedTurn {
  const thoughts = parts.filter((part) => part.kind === "reasoning");
  const reasoning = thoughts
    .map(({ text }) => text)
    .join("\n")
    .trim();
  const firstCall = parts.findIndex(({ kind }) => kind === "call" || kind === "error");
  const lead = firstCall < 0 ? parts : parts.slice(0, firstCall);
  const calls: ToolCall[] = [];
  const errors: ToolCallError[] = [];
  for (const part of parts) {
    if (part.kind === "call") calls.push(part.call);
    if (part.kind === "error") errors.push({ ...part.error, callsBefore: calls.length });
  }
  return {
    reasoning: reasoning === "" ? null : reasoning,
    thinkingTokens: thoughts.reduce((sum, { tokens }) => sum + tokens, 0),
    content: visibleText(parts),
    lead: visibleText(lead).length,
    calls,
    errors,
    ...state,
  };
}

function visibleText(parts: readonly TurnPart[]): string {
  return parts
    .map((part) => (part.kind === "text" ? part.text : ""))
    .join("")
    .trim();
}

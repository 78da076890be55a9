/** Reasoning that a data set writes into the content: `<think>…</think>` before the text. */

import type { AssistantMessage } from "../chat/renderer.ts";

export const REASONING_TAG = "<think>";
const REASONING = /^\s*<think>(?:([\s\S]*?)<\/think>\s*)?/;

/** The turn with such reasoning as its reasoning; the same turn if it has none. Null if the tag is never closed. */
export function withReasoning(message: AssistantMessage): AssistantMessage | null {
  const { content, reasoning } = message;
  if (reasoning !== null && reasoning !== "") return message;
  const [whole, thought] = REASONING.exec(content) ?? [];
  if (whole === undefined) return message;
  if (thought === undefined) return null;
  return { ...message, reasoning: thought.trim() || null, content: content.slice(whole.length) };
}

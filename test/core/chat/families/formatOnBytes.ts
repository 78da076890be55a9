/** A chat format on a byte tokenizer, with prompts shown as text, so that tests read as examples. */

import { createControlTokens } from "../../../../src/core/chat/controlTokens.ts";
import type { ChatFormat, FormatOptions } from "../../../../src/core/chat/format.ts";
import { createNativeRenderer } from "../../../../src/core/chat/nativeRenderer.ts";
import type {
  FollowUp,
  InitialMessage,
  ToolDeclaration,
} from "../../../../src/core/chat/renderer.ts";
import { byteTokenizer } from "../byteTokenizer.ts";

/** What a run asks of a format by default. */
export const OPTIONS: FormatOptions = {
  thinking: true,
  effort: null,
  retention: "template",
  date: "2026-01-02",
};

export const ADD: ToolDeclaration = {
  type: "function",
  function: {
    name: "add",
    description: "Adds.",
    parameters: { type: "object", properties: { a: { type: "number" } } },
  },
};

/** `added` are the tokenizer's added tokens; in a sampled turn they are meant wherever they stand. */
export function formatOnBytes(format: ChatFormat, added: readonly string[]) {
  const tokenizer = byteTokenizer(added);
  const renderer = createNativeRenderer(format, tokenizer);
  const ids = (turn: string): readonly number[] => createControlTokens(tokenizer).encode(turn);
  return {
    renderer,
    stops: tokenizer.decode(renderer.stopIds),
    prompt: (messages: readonly InitialMessage[], tools: readonly ToolDeclaration[] = []): string =>
      tokenizer.decode(renderer.renderInitial(messages, tools)),
    parse: (turn: string, tools: readonly ToolDeclaration[] = [ADD]) =>
      renderer.parse(ids(turn), tools),
    /** What follows the turn, closing included. */
    bridge: (turn: string, ...followUps: readonly FollowUp[]): string => {
      const { closing, delta } = renderer.bridge(ids(turn), followUps);
      return tokenizer.decode([...closing, ...delta]);
    },
    /** Number of added tokens among the ids of what follows the turn. */
    countAdded: (turn: string, ...followUps: readonly FollowUp[]): number =>
      renderer.bridge(ids(turn), followUps).delta.filter((id) => id > 255).length,
  };
}

export function user(content: string): { readonly role: "user"; readonly content: string } {
  return { role: "user", content };
}

export function result(content: string): FollowUp {
  return { role: "tool", name: "add", callId: "call_0", content };
}

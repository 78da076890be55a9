/** A chat format on a byte tokenizer, with prompts shown as text, so that tests read like examples. */

import { createControlTokens } from "../../../../src/core/chat/controlTokens.ts";
import type { ChatFormat, FormatOptions } from "../../../../src/core/chat/format.ts";
import { createNativeRenderer } from "../../../../src/core/chat/nativeRenderer.ts";
import type {
  FollowUp,
  InitialMessage,
  ToolDeclaration,
} from "../../../../src/core/chat/renderer.ts";
import { byteTokenizer } from "../byteTokenizer.ts";

/** The default format options of a run. */
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

/** `added` are the tokenizer's added tokens; in a sampled turn, their text always means the token. */
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
    /** The text after the turn, including what closes it. */
    bridge: (turn: string, ...followUps: readonly FollowUp[]): string => {
      const { closing, delta } = renderer.bridge(ids(turn), followUps);
      return tokenizer.decode([...closing, ...delta]);
    },
    /** Number of added tokens in what follows the turn. */
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

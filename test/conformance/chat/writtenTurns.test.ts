/** Given turns written in each format: they parse back to the same turns, and continue like sampled ones. */

import { describe, expect, it } from "vitest";
import type {
  AssistantMessage,
  Renderer,
  ToolDeclaration,
} from "../../../src/core/chat/renderer.ts";
import { writtenText } from "../../../src/core/chat/writtenTurn.ts";
import { sortKeys, writeExactJson } from "../../../src/core/util/exactJson.ts";
import { CHAT_FAMILIES } from "../peers.ts";
import { hasKitTokenizers, kitTokenizer } from "./kitTokenizers.ts";
import { comparedProfiles, rendererOf } from "./profiles.ts";
import { readFamily } from "./vectors.ts";

const TOOLS: readonly ToolDeclaration[] = [
  {
    type: "function",
    function: {
      name: "multiply",
      description: "Multiplies.",
      parameters: {
        type: "object",
        properties: { a: { type: "integer" }, note: { type: "string" } },
      },
    },
  },
];

const call = {
  id: "functions.multiply:0",
  name: "multiply",
  args: { a: 3, note: 'say "hi" <|im_end|>' },
};

const TURNS: Readonly<Record<string, AssistantMessage>> = {
  "an answer": { role: "assistant", content: "The result is 12.", reasoning: null, calls: [] },
  "an answer with reasoning": {
    role: "assistant",
    content: "12\n\nDone </think> <|im_end|>.",
    reasoning: "3 times 4.",
    calls: [],
  },
  "a call": { role: "assistant", content: "", reasoning: null, calls: [call] },
  "a call with reasoning": {
    role: "assistant",
    content: "",
    reasoning: "I multiply.",
    calls: [call],
  },
};

/** The parsed turn, in the form of {@link given}. */
function read(renderer: Renderer, message: AssistantMessage) {
  const { calls, content, ended, errors, reasoning } = renderer.parse(
    renderer.writeTurn(message),
    TOOLS,
  );
  return {
    content,
    reasoning: reasoning === "" ? null : reasoning,
    calls: textsOf(calls),
    errors,
    // A format that stops at a text may have no token that ends a turn.
    ended: renderer.stopTexts.length === 0 ? ended : true,
  };
}

/** A format without reasoning, by setting or always, leaves reasoning out. */
function given({ content, reasoning, calls }: AssistantMessage, thinks: boolean) {
  const shown = thinks ? reasoning : null;
  return { content, reasoning: shown, calls: textsOf(calls), errors: [], ended: true };
}

function textsOf(calls: readonly Pick<AssistantMessage["calls"][number], "name" | "args">[]) {
  return calls.map(({ name, args }) => [name, writeExactJson(sortKeys(args))]);
}

describe.runIf(hasKitTokenizers)("a written turn", () => {
  it.each(CHAT_FAMILIES)("of %s parses back to the given turn", async (family) => {
    for (const [name, facts] of comparedProfiles(readFamily(family)).compared) {
      const renderer = await rendererOf(name, facts);
      for (const [what, message] of Object.entries(TURNS)) {
        if (message.calls.length > 0 && renderer.callsTools === false) continue;
        const found = read(renderer, message);
        const expected = given(message, found.reasoning !== null);
        expect.soft(found, `${name}: ${what}`).toEqual(expected);
      }
    }
  });

  it.each(CHAT_FAMILIES)("of %s has the text of a player as its content", async (family) => {
    for (const [name, facts] of comparedProfiles(readFamily(family)).compared) {
      const renderer = await rendererOf(name, facts);
      const chat = { renderer, tokenizer: await kitTokenizer(facts.tokenizer) };
      for (const text of ["The answer is 42.", "", "<think>"]) {
        const { content } = renderer.parse(writtenText(chat, text));
        expect.soft(content, `${name}: ${text}`).toBe(text);
      }
    }
  });
});

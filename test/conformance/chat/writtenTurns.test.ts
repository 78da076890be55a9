/** Turns that were given, as each format writes them: they read back as what was given, and continue as sampled ones do. */

import { describe, expect, it } from "vitest";
import type { AssistantMessage, ToolDeclaration } from "../../../src/core/chat/renderer.ts";
import { sortKeys, writeExactJson } from "../../../src/core/util/exactJson.ts";
import { CHAT_FAMILIES } from "../peers.ts";
import { hasKitTokenizers } from "./kitTokenizers.ts";
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

describe.runIf(hasKitTokenizers)("a written turn", () => {
  it.each(CHAT_FAMILIES)("of %s is read as what was given", async (family) => {
    for (const [name, facts] of comparedProfiles(readFamily(family)).compared) {
      const renderer = await rendererOf(name, facts);
      for (const [what, message] of Object.entries(TURNS)) {
        if (message.calls.length > 0 && renderer.callsTools === false) continue;
        const turn = renderer.writeTurn(message);
        const { calls, content, ended, errors, reasoning } = renderer.parse(turn, TOOLS);
        const read = {
          what: `${renderer.id}: ${what}`,
          content,
          reasoning: reasoning === "" ? null : reasoning,
          calls: calls.map((own) => [own.name, writeExactJson(sortKeys(own.args))]),
          errors,
          ended,
        };
        expect.soft(read).toEqual({
          what: `${renderer.id}: ${what}`,
          content: message.content,
          reasoning: reasoning === null || reasoning === "" ? null : message.reasoning,
          calls: message.calls.map((own) => [own.name, writeExactJson(sortKeys(own.args))]),
          errors: [],
          // A format that stops at a text need not have a token that ends a turn.
          ended: renderer.stopTexts.length === 0 ? true : ended,
        });
      }
    }
  });
});

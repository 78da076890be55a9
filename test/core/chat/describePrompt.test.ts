import { describe, expect, it } from "vitest";
import { describePrompt } from "../../../src/core/chat/describePrompt.ts";
import { buildFirstPrompt } from "../../../src/core/chat/firstPrompt.ts";
import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import { NATIVE_FORMATS } from "../../../src/core/chat/setup/nativeFormats.ts";
import { isAppError } from "../../../src/core/errors.ts";
import { FORMATS } from "../../../src/core/models/formats.ts";
import type { ToolSpec } from "../../../src/core/openreward/types.ts";
import { byteTokenizer } from "./byteTokenizer.ts";

const TOOL: ToolSpec = {
  name: "look_up",
  description: "Looks a word up.",
  inputSchema: {
    type: "object",
    properties: {
      word: { type: "string" },
      count: { type: "integer" },
      exact: { type: "boolean" },
    },
    required: ["word", "count", "exact"],
  },
};

/** Describes a prompt of the format, with a tokenizer that has only the tokens that the format requires. */
function describeFormat(name: keyof typeof NATIVE_FORMATS, thinking: boolean) {
  const create = NATIVE_FORMATS[name];
  if (create === undefined) throw new Error(`${name} is native`);
  const format = create({ thinking, effort: null, retention: "all", date: "2026-11-22" });
  const added: string[] = [];
  for (;;) {
    const tokenizer = byteTokenizer(added);
    try {
      const renderer = createNativeRenderer(format, tokenizer);
      const task = [{ role: "user", content: "Look it up." }] as const;
      const first = buildFirstPrompt({ systemPromptTemplate: null, task, tools: [TOOL] });
      const tokens = renderer.renderInitial(first.messages, first.tools);
      const chat = { renderer, tokenizer };
      const described = describePrompt({ chat, first, tokens, tools: [TOOL], thinking });
      const missing = /single token (\S+),/.exec(described.exampleProblem ?? "")?.[1];
      if (missing === undefined) return described;
      added.push(missing);
    } catch (error) {
      if (!isAppError(error, "chat-token-missing")) throw error;
      added.push(String(error.data["token"]));
    }
  }
}

const cases = Object.keys(NATIVE_FORMATS).flatMap((key) => {
  const name = key as keyof typeof NATIVE_FORMATS; // the keys of the table are its formats
  const { thinking, callsTools } = FORMATS[name];
  if (!callsTools) return [];
  const modes = { on: [true], off: [false], switch: [true, false] }[thinking];
  return modes.map((mode) => [name, mode ? "thinking" : "plain", mode] as const);
});

describe("the example tool call", () => {
  it.each(cases)("in %s, %s, is parsed correctly", (name, _, thinking) => {
    const { example, exampleProblem } = describeFormat(name, thinking);
    expect(exampleProblem).toBeNull();
    expect(example).toMatchObject({
      call: 'look_up({"word": "some word", "count": 1, "exact": true})',
      isRead: true,
    });
    const turn = example?.turn.map(({ text }) => text).join("") ?? "";
    expect(turn.includes("Some reasoning.")).toBe(thinking);
    const bridge = example?.bridge.map(({ text }) => text).join("") ?? "";
    expect(bridge).toContain("The result of the tool.");
  });
});

import { describe, expect, it } from "vitest";
import type {
  FollowUp,
  InitialMessage,
  ToolDeclaration,
} from "../../../../src/core/chat/renderer.ts";
import {
  createReferenceRenderer,
  withReferenceTemplate,
} from "../../../../src/core/chat/template/referenceRenderer.ts";
import { idOf, sampled, tinyModel } from "../tinyModel.ts";

const model = withReferenceTemplate(tinyModel());
const { decode } = model.tokenizer;
const plain = createReferenceRenderer({ model, thinking: false });
const thinking = createReferenceRenderer({ model, thinking: true });

const user: InitialMessage = { role: "user", content: "Add 1 and 2." };
const ADD: ToolDeclaration = {
  type: "function",
  function: { name: "add", description: "Adds <tool_call>.", parameters: { type: "object" } },
};
const result = (content: string): FollowUp => ({
  role: "tool",
  name: "add",
  callId: "call_0",
  content,
});
const CALL = '<tool_call>\n{"name": "add", "arguments": {}}\n</tool_call>';
const EMPTY_THOUGHT = "<think>\n\n</think>\n\n";

it("a turn that was given is the call alone behind either opening", () => {
  const call = { id: "call_0", name: "add", args: {} };
  const message = { role: "assistant", content: "", reasoning: null, calls: [call] } as const;
  for (const { writeTurn } of [plain, thinking]) {
    expect(decode(writeTurn(message))).toBe(`${CALL}<|im_end|>`);
  }
});

describe("the first prompt in the reference format", () => {
  it("has a system and a user turn, and an empty thought when thinking is off", () => {
    const system: InitialMessage = { role: "system", content: "You add." };
    const text =
      "<|im_start|>system\nYou add.<|im_end|>\n<|im_start|>user\nAdd 1 and 2.<|im_end|>\n<|im_start|>assistant\n";
    expect(decode(thinking.renderInitial([system, user], []))).toBe(text);
    expect(decode(plain.renderInitial([system, user], []))).toBe(text + EMPTY_THOUGHT);
  });

  it("lists the tools in its own system text when the configuration has none", () => {
    const ids = plain.renderInitial([user], [ADD]);
    const text = decode(ids);
    expect(text).toContain(
      '<tools>\n{"name": "add", "arguments_schema": {"type": "object"}, "description": "Adds <tool_call>."}\n</tools>',
    );
    expect(text).toContain('<tool_call>\n{"name": <name of the tool>, "arguments":');
    const inText = text.split("<tool_call>").length - 1;
    expect(ids.filter((id) => id === idOf("<tool_call>"))).toHaveLength(inText - 1);
  });
});

describe("a turn in the reference format", () => {
  it("also stops at the end of a call, and is then closed outside the sample", () => {
    expect(plain.stopIds).toEqual([idOf("<|im_end|>"), idOf("</tool_call>")]);
    const { closing, delta } = plain.bridge(sampled(CALL), [result("3")]);
    expect(closing).toEqual([idOf("<|im_end|>")]);
    expect(decode(delta)).toBe(
      `\n<|im_start|>user\n<tool_response>\n3\n</tool_response><|im_end|>\n<|im_start|>assistant\n${EMPTY_THOUGHT}`,
    );
  });

  it("is followed by an ordinary user message if there was no call", () => {
    const { closing, delta } = thinking.bridge(sampled("Hm.<|im_end|>"), [
      { role: "user", content: "Call a tool." },
    ]);
    expect(closing).toEqual([]);
    expect(decode(delta)).toBe(
      "\n<|im_start|>user\nCall a tool.<|im_end|>\n<|im_start|>assistant\n",
    );
  });
});

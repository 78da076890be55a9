import { describe, expect, it } from "vitest";
import { findChatFamily } from "../../../src/core/chat/setup/findFamily.ts";
import { PLAIN_TEMPLATE, THINKING_TEMPLATE, tinyModel } from "./tinyModel.ts";

describe("the chat family of a model", () => {
  it.each([
    ["local/tiny", "chatml"],
    ["Qwen/Qwen2.5-7B-Instruct", "chatml"],
    ["Qwen/Qwen3-8B", "qwen3"],
    ["Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3"],
    ["Qwen/Qwen3-VL-30B-A3B-Instruct", "qwen3"],
  ])("of %s is %s by name", (name, id) => {
    expect(findChatFamily(name, tinyModel()).id).toBe(id);
  });

  it("of an unknown name is derived from a template with JSON calls", () => {
    expect(findChatFamily("org/tuned", tinyModel(THINKING_TEMPLATE)).id).toBe("qwen3");
  });

  it.each([
    "Qwen/Qwen3.5-9B",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct",
    "meta-llama/Llama-3.1-8B-Instruct",
  ])("of %s is not guessed", (name) => {
    expect(() => findChatFamily(name, tinyModel(PLAIN_TEMPLATE))).toThrow(
      expect.objectContaining({ code: "chat-family-unknown" }),
    );
    expect(() => findChatFamily(name, tinyModel(PLAIN_TEMPLATE))).toThrow(
      /`tokenizer_name`.*`chat_format`/,
    );
  });
});

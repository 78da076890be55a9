import { describe, expect, it } from "vitest";
import { writtenText } from "../../../src/core/chat/writtenTurn.ts";
import { qwen3Chat } from "./qwen3Chat.ts";

describe("a text as a turn of the model", () => {
  it("follows empty reasoning if the format writes reasoning", () => {
    const written = [true, false].map((thinks) => {
      const chat = qwen3Chat(thinks);
      return chat.tokenizer.decode(writtenText(chat, "42"));
    });
    expect(written).toEqual(["<think>\n\n</think>\n\n42<|im_end|>", "42<|im_end|>"]);
  });

  it("is written alone in a format that would not read it back", () => {
    const chat = qwen3Chat(true);
    const renderer = { ...chat.renderer, writeTurn: () => chat.tokenizer.encodeText("else") };
    const turn = writtenText({ ...chat, renderer }, "42");
    expect(chat.tokenizer.decode(turn)).toBe("42<|im_end|>");
  });
});

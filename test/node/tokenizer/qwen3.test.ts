import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createControlTokens } from "../../../src/core/chat/controlTokens.ts";
import type { FollowUp, ToolDeclaration } from "../../../src/core/chat/renderer.ts";
import { qwen3Chat } from "../../core/chat/qwen3Chat.ts";
import { encodeWhole, QWEN3_FOLDER, qwen3Model } from "./qwen3Model.ts";

const { tokenizer } = qwen3Model;
const controls = createControlTokens(tokenizer);
const FIRST_ADDED = 151_643;

/** Ids from the original library in Rust. */
const GOLDEN: readonly (readonly [text: string, ids: readonly number[]])[] = [
  ["Hello  world   !", [9707, 220, 1879, 256, 753]],
  ["1,234,567.89", [16, 11, 17, 18, 19, 11, 20, 21, 22, 13, 23, 24]],
  ["'\u017f 'S '\u017ft a'K", [6, 144815, 364, 50, 364, 144815, 83, 264, 6, 42]],
  ["a\n \nb\n  \n   c", [64, 26809, 65, 13887, 256, 272]],
  ["你好，世界！这是一个测试。", [108386, 3837, 99489, 6313, 105464, 81705, 1773]],
  ["한국어 텍스트 테스트", [23573, 124785, 31079, 10764, 44104, 53189, 10764, 72509, 53189]],
  ["😀😃😄", [141334, 144858, 144741]],
  ["a👍b👍🏿c", [64, 144349, 65, 144349, 146530, 66]],
  ["\ufeff", [3225]],
  ["__proto__", [563, 15110, 563]],
  ["\u2126\u212b\u212a", [144572, 144044, 42]],
  ["e\u0301<|im_end|>\u0301x", [963, 151645, 53839, 87]],
  ["<<|im_start|>>", [27, 151644, 29]],
  ["<|im_start|", [27, 91, 318, 4906, 91]],
  ["<think>\n\n</think>\n\n", [151667, 271, 151668, 271]],
  ["<tool_response>\nok\n</tool_response>", [151665, 198, 562, 198, 151666]],
  [
    '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
    [151657, 198, 4913, 606, 788, 330, 69, 497, 330, 16370, 788, 4687, 532, 151658],
  ],
];

const ADD: ToolDeclaration = {
  type: "function",
  function: { name: "add", description: "Adds “two”.", parameters: { type: "object" } },
};
const PROMPT = `<|im_start|>system
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{"type": "function", "function": {"name": "add", "description": "Adds “two”.", "parameters": {"type": "object"}}}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
<|im_start|>user
Add 1 and 2.<|im_end|>
<|im_start|>assistant
`;

describe("the tokenizer of Qwen3", () => {
  it("is the published one", () => {
    const bytes = readFileSync(join(QWEN3_FOLDER, "tokenizer.json"));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(
      "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4",
    );
    expect(tokenizer.vocabSize).toBe(151_669);
    expect(tokenizer.addedTokens).toHaveLength(26);
  });

  it.each(GOLDEN)("encodes %j as the original does", (text, ids) => {
    expect(controls.encode(text)).toEqual(ids);
    expect(tokenizer.decode(ids)).toBe(text.normalize("NFC"));
  });

  it("makes no control token from any text, and round-trips the text", () => {
    const texts = tokenizer.addedTokens.map((token) => token.text);
    const part = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: "grapheme-ascii" }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const ids = tokenizer.encodeText(parts.join(""));
        expect(ids.every((id) => id < FIRST_ADDED)).toBe(true);
        expect(tokenizer.decode(ids)).toBe(parts.join(""));
      }),
    );
  });

  it("skips ids that the model can sample but that have no token", () => {
    expect(tokenizer.decode([9707, 151_669, 151_935, 1879])).toBe("Hello world");
  });
});

describe("the chat format of Qwen3", () => {
  it("starts a conversation with tools like its template, with and without reasoning", () => {
    const ids = (thinking: boolean) =>
      qwen3Chat(thinking).renderer.renderInitial(
        [{ role: "user", content: "Add 1 and 2." }],
        [ADD],
      );
    expect(ids(true)).toEqual(encodeWhole(PROMPT));
    expect(ids(false)).toEqual(encodeWhole(`${PROMPT}<think>\n\n</think>\n\n`));
  });

  it("continues after results and after a message like its template", () => {
    const { renderer } = qwen3Chat(true);
    const result = (content: string): FollowUp => ({
      role: "tool",
      name: "add",
      callId: "call_0",
      content,
    });
    const turn = encodeWhole("<think>\nSo.\n</think>\n\nHm.<|im_end|>");
    expect(renderer.bridge(turn, [result("3"), result(" 4\n")])).toEqual({
      closing: [],
      delta: encodeWhole(
        "\n<|im_start|>user\n<tool_response>\n3\n</tool_response>\n<tool_response>\n 4\n\n</tool_response><|im_end|>\n<|im_start|>assistant\n",
      ),
    });
    expect(renderer.bridge(turn, [{ role: "user", content: "Go on." }])).toEqual({
      closing: [],
      delta: encodeWhole("\n<|im_start|>user\nGo on.<|im_end|>\n<|im_start|>assistant\n"),
    });
    expect(renderer.parse(turn)).toMatchObject({ reasoning: "So.", thinkingTokens: 3 });
  });

  it("drops earlier reasoning like its template when reasoning is on", () => {
    expect(qwen3Chat(true, "template")).toMatchObject({ retention: "template", warnings: [] });
    expect(qwen3Chat(false, "template").retention).toBe("all");
  });
});

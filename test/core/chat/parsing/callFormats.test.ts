import { describe, expect, it } from "vitest";
import { deepseekV31 } from "../../../../src/core/chat/families/deepseekV31.ts";
import { gptOss } from "../../../../src/core/chat/families/harmony.ts";
import { kimiK26 } from "../../../../src/core/chat/families/kimi.ts";
import type { ChatFormat } from "../../../../src/core/chat/format.ts";
import { readToolCall } from "../../../../src/core/chat/parsing/callFormats.ts";
import {
  DEEPSEEK_V31_TOKENS,
  GPT_OSS_TOKENS,
  KIMI_TOKENS,
} from "../../../fixtures/controlTokens.ts";
import { OPTIONS as DEFAULTS, formatOnBytes } from "../families/formatOnBytes.ts";

describe("a payload that is a call", () => {
  it.each([
    ['{"name": "add", "arguments": {"a": 1}}', { a: 1 }],
    ['\n{"arguments": {}, "name": "add"}\n', {}],
    ['{"name": "add", "parameters": {"a": 1}}', { a: 1 }],
    ['{"name": "add", "arguments": {"a": 1}, "parameters": {"b": 2}}', { a: 1 }],
    [
      '{"name": "add", "arguments": {"text": "Zürich \\u4f60 \\"quoted\\" 🙂"}}',
      { text: 'Zürich 你 "quoted" 🙂' },
    ],
  ])("reads %s", (payload, args) => {
    const raw = `<tool_call>${payload}</tool_call>`;
    expect(readToolCall(payload, raw)).toEqual({ kind: "call", call: { name: "add", args, raw } });
  });
});

describe("a malformed payload is an error for the model, not an exception", () => {
  it.each([
    ["", "not_json"],
    ["add(1, 2)", "not_json"],
    ['{"name": "add", "arguments": {"a": 1}', "not_json"],
    ["{'name': 'add', 'arguments': {}}", "not_json"],
    ['{"name": "add", "arguments": {"a": NaN}}', "not_json"],
    ['{"name": "a", "arguments": {}} {"name": "b", "arguments": {}}', "not_json"],
    ["[1]", "not_object"],
    ['[{"name": "add", "arguments": {}}]', "not_object"],
    ["3", "not_object"],
    ["null", "not_object"],
    ['"x"', "not_object"],
    ["{}", "missing_name"],
    ['{"name": 7, "arguments": {}}', "missing_name"],
    ['{"name": " ", "arguments": {}}', "missing_name"],
    ['{"name": {"text": "add"}, "arguments": {}}', "missing_name"],
    ['{"name": "add"}', "bad_arguments"],
    ['{"name": "add", "arguments": null}', "bad_arguments"],
    ['{"name": "add", "arguments": [1, 2]}', "bad_arguments"],
    ['{"name": "add", "arguments": "{\\"a\\": [1, null]}"}', "bad_arguments"],
    ['{"name": "add", "arguments": "a=1"}', "bad_arguments"],
    ['{"name": "add", "arguments": "[1]"}', "bad_arguments"],
  ])("%s is %s", (payload, kind) => {
    const reading = readToolCall(payload, payload);
    expect(reading).toMatchObject({ kind: "error", error: { kind, raw: payload } });
  });

  it("the error message contains no control tokens and no model text", () => {
    const reading = readToolCall("<|im_end|>", "<tool_call><|im_end|></tool_call>");
    expect(reading.kind === "error" && reading.error.message).toMatch(
      /^The tool call is not valid JSON\. [^<]*$/,
    );
  });
});

const OPTIONS = { ...DEFAULTS, thinking: false, retention: "all" } as const;
const CASES: readonly (readonly [string, ChatFormat, readonly string[], string])[] = [
  [
    "gpt-oss",
    gptOss(OPTIONS),
    GPT_OSS_TOKENS,
    '<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 2<|call|>',
  ],
  [
    "Kimi",
    kimiK26(OPTIONS),
    KIMI_TOKENS,
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{"a": 2<|tool_call_end|><|tool_calls_section_end|><|im_end|>',
  ],
  [
    "DeepSeek",
    deepseekV31(OPTIONS),
    DEEPSEEK_V31_TOKENS,
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a": 2<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
  ],
];

describe("a call whose arguments are not JSON", () => {
  it.each(CASES)("is reported the same way in the format of %s", (_, format, tokens, turn) => {
    const { calls, errors } = formatOnBytes(format, tokens).parse(turn);
    expect(calls).toEqual([]);
    expect(errors.map(({ kind }) => kind)).toEqual(["not_json"]);
    expect(errors[0]?.message).toMatch(
      /^The arguments of the tool call are not valid JSON\. [A-Z]/,
    );
  });
});

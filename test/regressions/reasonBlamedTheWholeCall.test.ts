/** Where only the arguments of a call are JSON, the reason said that the call was not: a model would rewrite all of it as JSON. */

import { describe, expect, it } from "vitest";
import { deepseekV31 } from "../../src/core/chat/families/deepseekV31.ts";
import { gptOss } from "../../src/core/chat/families/harmony.ts";
import { kimiK26 } from "../../src/core/chat/families/kimi.ts";
import type { ChatFormat, FormatOptions } from "../../src/core/chat/format.ts";
import { formatOnBytes } from "../core/chat/families/formatOnBytes.ts";
import { DEEPSEEK_V31_TOKENS, GPT_OSS_TOKENS, KIMI_TOKENS } from "../fixtures/controlTokens.ts";

const OPTIONS: FormatOptions = {
  thinking: false,
  effort: null,
  retention: "all",
  date: "2026-01-02",
};
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
  it.each(CASES)("is answered so in the format of %s", (_, format, tokens, turn) => {
    const { calls, errors } = formatOnBytes(format, tokens).parse(turn);
    expect(calls).toEqual([]);
    expect(errors.map(({ kind }) => kind)).toEqual(["not_json"]);
    expect(errors[0]?.message).toMatch(
      /^The arguments of the tool call are not valid JSON\. [A-Z]/,
    );
  });
});

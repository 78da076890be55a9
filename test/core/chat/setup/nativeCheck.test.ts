import { describe, expect, it } from "vitest";
import { completion } from "../../../../src/core/chat/families/base.ts";
import { llama3 } from "../../../../src/core/chat/families/llama3.ts";
import { qwen36 } from "../../../../src/core/chat/families/qwen35.ts";
import type { ChatFormat } from "../../../../src/core/chat/format.ts";
import { createNativeRenderer } from "../../../../src/core/chat/nativeRenderer.ts";
import type { Renderer } from "../../../../src/core/chat/renderer.ts";
import { checkNativeRenderer } from "../../../../src/core/chat/setup/nativeCheck.ts";
import type { Tokenizer } from "../../../../src/core/chat/tokenizer.ts";
import { byteTokenizer } from "../byteTokenizer.ts";
import { sampled, tinyModel } from "../tinyModel.ts";

const { tokenizer: bytes } = tinyModel();
const LLAMA = [
  "<|begin_of_text|>",
  "<|start_header_id|>",
  "<|end_header_id|>",
  "<|eot_id|>",
  "<|eom_id|>",
];
const qwen = qwen36({ thinking: true, effort: null, retention: "all", date: "2026-01-02" });

interface Setup {
  readonly format?: ChatFormat;
  readonly tokenizer?: Tokenizer;
  readonly change?: (renderer: Renderer) => Partial<Renderer>;
}

function check({ format = qwen, tokenizer = bytes, change }: Setup): void {
  const renderer = createNativeRenderer(format, tokenizer);
  checkNativeRenderer({ ...renderer, ...change?.(renderer) }, tokenizer);
}

describe("the check of a built-in format", () => {
  it("passes for correct formats, with calls and without", () => {
    check({});
    check({ format: llama3(), tokenizer: byteTokenizer(LLAMA) });
    check({ format: completion() });
  });

  it.each<[what: string, problem: RegExp, setup: Setup]>([
    [
      "stops on ordinary text",
      /the stop "\\n" is not a single/,
      { change: () => ({ stopIds: [10] }) },
    ],
    [
      "stops on nothing",
      /has no token that ends a turn/,
      { format: completion(), tokenizer: byteTokenizer([]) },
    ],
    [
      "loses text",
      /encodes .* and decodes something else/,
      {
        tokenizer: { ...bytes, encodeText: (text) => [...text].map((c) => c.charCodeAt(0) % 128) },
      },
    ],
    [
      "begins twice",
      /a prompt with three messages has <\|begin_of_text\|> twice/,
      {
        format: llama3(),
        tokenizer: byteTokenizer(LLAMA),
        change: ({ renderInitial }) => ({
          renderInitial: (...prompt) => [256, ...renderInitial(...prompt)],
        }),
      },
    ],
    [
      "does not read its own calls",
      /a tool call that it writes is not read back \(tried: ".*<function=probe>/,
      {
        change: ({ parse }) => ({ parse: (turn, tools) => ({ ...parse(turn, tools), calls: [] }) }),
      },
    ],
    ["reads a number as text", /is not read back/, { format: asText(qwen) }],
    [
      "goes on after a result in another way than it begins",
      /a result after a turn differs .*\(tried: "user:"/,
      {
        change: ({ bridge }) => ({
          bridge: (turn, followUps) =>
            followUps[0]?.role === "user"
              ? bridge(turn, followUps)
              : { closing: [], delta: sampled("user:") },
        }),
      },
    ],
    [
      "goes on after a message in another way than it begins",
      /a message of the user after a turn differs/,
      { change: () => ({ bridge: () => ({ closing: [], delta: sampled("user:") }) }) },
    ],
    [
      "lets a task forge control tokens",
      /can forge control tokens/,
      {
        change: ({ renderInitial }) => ({
          renderInitial: (messages, tools) => [
            ...sampled(messages[0]?.content ?? ""),
            ...renderInitial(messages, tools),
          ],
        }),
      },
    ],
    [
      "lets a result forge control tokens",
      /can forge control tokens/,
      {
        change: ({ bridge }) => ({
          bridge: (turn, followUps) => {
            const { closing, delta } = bridge(turn, followUps);
            const [followUp] = followUps;
            const isForged = followUp?.role === "tool" && followUp.content.includes("<|");
            return { closing, delta: isForged ? [...sampled(followUp.content), ...delta] : delta };
          },
        }),
      },
    ],
  ])("refuses one that %s", (_what, problem, setup) => {
    const refused = expect.objectContaining({
      code: "chat-self-check",
      configPath: "tokenizer_name",
      message: expect.stringMatching(problem),
    });
    expect(() => check(setup)).toThrow(refused);
  });
});

/** The format with a parser that reads every argument as text. */
function asText(format: ChatFormat): ChatFormat {
  return {
    ...format,
    createParser: (tokens) => {
      const parse = format.createParser(tokens);
      return (turn, tools) => {
        const parsed = parse(turn, tools);
        const calls = parsed.calls.map((call) => ({
          ...call,
          args: Object.fromEntries(
            Object.entries(call.args).map(([key, value]) => [key, `${value}`]),
          ),
        }));
        return { ...parsed, calls };
      };
    },
  };
}

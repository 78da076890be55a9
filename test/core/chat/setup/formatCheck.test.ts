import { describe, expect, it } from "vitest";
import { completion } from "../../../../src/core/chat/families/base.ts";
import { llama3 } from "../../../../src/core/chat/families/llama3.ts";
import { qwen36 } from "../../../../src/core/chat/families/qwen35.ts";
import type { ChatFormat } from "../../../../src/core/chat/format.ts";
import { createNativeRenderer } from "../../../../src/core/chat/nativeRenderer.ts";
import { OTHER_TOKENIZER } from "../../../../src/core/chat/pieces.ts";
import type { Renderer } from "../../../../src/core/chat/renderer.ts";
import { checkRenderer } from "../../../../src/core/chat/setup/formatCheck.ts";
import {
  chatml,
  qwen3,
  type TemplateFamily,
} from "../../../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../../../src/core/chat/template/templateRenderer.ts";
import type { ModelTokenizer, Tokenizer } from "../../../../src/core/chat/tokenizer.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { byteTokenizer } from "../byteTokenizer.ts";
import { PLAIN_TEMPLATE, sampled, THINKING_TEMPLATE, tinyModel } from "../tinyModel.ts";

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
  checkRenderer({ ...renderer, ...change?.(renderer) }, { tokenizer, template: null });
}

function checkTemplate(model: ModelTokenizer, family: TemplateFamily, thinking = false): void {
  checkRenderer(createTemplateRenderer({ model, family, thinking }), model);
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
      /the first prompt has <\|begin_of_text\|> twice/,
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
      "continues after a result differently than it begins",
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
      "continues after a message differently than it begins",
      /a message of the user after a turn differs/,
      { change: () => ({ bridge: () => ({ closing: [], delta: sampled("user:") }) }) },
    ],
    [
      "continues after several results differently than it begins",
      /a second result after a turn differs/,
      {
        change: ({ bridge }) => ({
          bridge: (turn, followUps) => bridge(turn, followUps.slice(0, 1)),
        }),
      },
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

  it("says the next step once", () => {
    const change = () => ({
      renderInitial: () => {
        throw new AppError("chat-token-missing", `No token <|im_end|>. ${OTHER_TOKENIZER}`);
      },
    });
    expect(() => check({ change })).toThrow(
      `failed its check: No token <|im_end|>. The run does not start, because training would go wrong without any error. ${OTHER_TOKENIZER}`,
    );
  });
});

describe("the check of a chat template", () => {
  it("passes for correct templates, including one that shows no calls", () => {
    const thinkingModel = tinyModel(THINKING_TEMPLATE);
    checkTemplate(tinyModel(), chatml);
    checkTemplate(thinkingModel, qwen3, true);
    checkTemplate(thinkingModel, qwen3, false);
  });

  it("refuses one that starts twice", () => {
    const source = `{{ bos_token }}{{ bos_token }}${PLAIN_TEMPLATE}`;
    const template = { source, bosToken: "<|endoftext|>", eosToken: "" };
    expect(() => checkTemplate({ ...tinyModel(), template }, chatml)).toThrow(
      "the first prompt has <|endoftext|> twice",
    );
  });

  it("refuses one that writes calls in another syntax than is read", () => {
    const model = tinyModel(THINKING_TEMPLATE.replace('"arguments"', '"args"'));
    expect(() => checkTemplate(model, qwen3)).toThrow("a tool call that it writes is not read");
  });

  it("refuses one that prints the date", () => {
    const model = tinyModel(`{{ strftime_now('%d') }}${PLAIN_TEMPLATE}`);
    expect(() => checkTemplate(model, chatml)).toThrow("today's date");
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

import { describe, expect, it } from "vitest";
import type { Renderer } from "../../../../src/core/chat/renderer.ts";
import { checkRenderer } from "../../../../src/core/chat/setup/selfCheck.ts";
import {
  chatml,
  qwen3,
  type TemplateFamily,
} from "../../../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../../../src/core/chat/template/templateRenderer.ts";
import type { ModelTokenizer } from "../../../../src/core/chat/tokenizer.ts";
import { PLAIN_TEMPLATE, sampled, THINKING_TEMPLATE, tinyModel } from "../tinyModel.ts";

interface Setup {
  readonly model?: ModelTokenizer;
  readonly family?: TemplateFamily;
  readonly thinking?: boolean;
  readonly change?: (renderer: Renderer) => Partial<Renderer>;
}

function check({ model = tinyModel(), family = chatml, thinking = false, change }: Setup): void {
  const renderer = createTemplateRenderer({ model, family, thinking });
  checkRenderer({ model, family, thinking, renderer: { ...renderer, ...change?.(renderer) } });
}

describe("the self-check", () => {
  it("passes for correct formats", () => {
    const thinkingModel = tinyModel(THINKING_TEMPLATE);
    check({});
    check({ model: thinkingModel, family: qwen3, thinking: true });
    check({ model: thinkingModel, family: qwen3, thinking: false });
  });

  it.each<[what: string, problem: RegExp, setup: Setup]>([
    ["stops on ordinary text", /a stop is not a single/, { change: () => ({ stopIds: [10] }) }],
    [
      "starts twice",
      /more than one beginning/,
      {
        model: {
          ...tinyModel(`{{ bos_token }}{{ bos_token }}${PLAIN_TEMPLATE}`),
          template: {
            source: `{{ bos_token }}{{ bos_token }}${PLAIN_TEMPLATE}`,
            bosToken: "<|endoftext|>",
            eosToken: "",
          },
        },
      },
    ],
    [
      "loses text",
      /encodes .* and decodes something else/,
      {
        model: {
          ...tinyModel(),
          tokenizer: {
            ...tinyModel().tokenizer,
            encodeText: (text) => [...text].map((c) => c.charCodeAt(0) % 128),
          },
        },
      },
    ],
    [
      "does not read calls",
      /a tool call is not read back/,
      { change: ({ parse }) => ({ parse: (turn) => ({ ...parse(turn), calls: [] }) }) },
    ],
    [
      "reads another call syntax than its template writes",
      /as the template writes it/,
      { model: tinyModel(THINKING_TEMPLATE.replace('"arguments"', '"args"')), family: qwen3 },
    ],
    [
      "bridges differently from its template",
      /between two turns differs/,
      { change: () => ({ bridge: () => ({ closing: [], delta: sampled("\nuser:") }) }) },
    ],
    [
      "can be forged",
      /can forge control tokens/,
      {
        change: ({ renderInitial }) => ({
          renderInitial: (messages, tools) => [
            ...renderInitial(messages, tools),
            ...sampled(messages[0]?.content ?? ""),
          ],
        }),
      },
    ],
    [
      "prints the date",
      /today's date/,
      { model: tinyModel(`{{ strftime_now('%d') }}${PLAIN_TEMPLATE}`) },
    ],
  ])("rejects a format that %s", (_what, problem, setup) => {
    expect(() => check(setup)).toThrow(expect.objectContaining({ code: "chat-self-check" }));
    expect(() => check(setup)).toThrow(problem);
  });
});

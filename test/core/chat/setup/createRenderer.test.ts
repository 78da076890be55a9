import { describe, expect, it } from "vitest";
import { buildFirstPrompt } from "../../../../src/core/chat/firstPrompt.ts";
import { createRenderer } from "../../../../src/core/chat/setup/createRenderer.ts";
import type { ModelTokenizer } from "../../../../src/core/chat/tokenizer.ts";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import { errorMessage } from "../../../../src/core/errors.ts";
import { aConfig } from "../../training/builders.ts";
import { byteTokenizer } from "../byteTokenizer.ts";
import { PLAIN_TEMPLATE, sampled, THINKING_TEMPLATE, tinyModel } from "../tinyModel.ts";

interface CreateOptions {
  readonly name?: string;
  readonly format?: Config["chat_format"];
  readonly thinking?: Partial<Config["thinking"]>;
  readonly model?: ModelTokenizer;
}

function create({
  name = "local/tiny",
  format = "auto",
  thinking,
  model = tinyModel(),
}: CreateOptions) {
  const config = {
    model_name: name,
    chat_format: format,
    // Not every template in these tests shows tools.
    system_prompt_template: "{tools}",
    thinking: { enabled: false, effort: null, retention: "all" as const, ...thinking },
  };
  return createRenderer({ model, config, date: "2026-01-02" });
}

it("chat_preamble: false leaves out the system text of the format", () => {
  const names = ["start", "channel", "constrain", "message", "end", "return", "call"];
  const tokenizer = byteTokenizer(names.map((name) => `<|${name}|>`));
  const config = {
    model_name: "openai/gpt-oss-20b",
    chat_format: "auto",
    system_prompt_template: null,
    thinking: { enabled: true, effort: "low", retention: "all" },
  } as const;
  const prompt = (chat_preamble: boolean): string => {
    const { renderer } = createRenderer({
      model: { tokenizer, template: null },
      config: { ...config, chat_preamble },
      date: "2026-01-02",
    });
    return tokenizer.decode(renderer.renderInitial([{ role: "user", content: "Hi" }], []));
  };
  expect(prompt(true)).toContain("Current date: 2026-01-02\n\nReasoning: low\n");
  expect(prompt(false)).toBe("<|start|>user<|message|>Hi<|end|><|start|>assistant");
});

const hybrid = tinyModel(THINKING_TEMPLATE);
/** Drops reasoning before the last user message, as Qwen3 does. */
const forgetful = tinyModel(
  THINKING_TEMPLATE.replace(
    "{{ m.content }}{% for c",
    "{% if messages[-1].role == 'user' %}{{ m.content.split('</think>')[-1] }}{% else %}{{ m.content }}{% endif %}{% for c",
  ),
);

describe("chat_format", () => {
  it("auto uses the model's name, or the template when the name is unknown", () => {
    expect(create({}).renderer.id).toBe("template/chatml/plain");
    expect(create({ name: "org/tuned", model: hybrid }).renderer.id).toBe("template/qwen3/plain");
    expect(create({ name: "Qwen/Qwen2.5-7B-Instruct", model: hybrid }).renderer.id).toBe(
      "template/chatml/plain",
    );
  });

  it("template uses only the template", () => {
    const options = { name: "Qwen/Qwen2.5-7B-Instruct", format: "template" } as const;
    expect(create({ ...options, model: hybrid }).renderer.id).toBe("template/qwen3/plain");
    expect(() => create({ ...options, model: tinyModel(PLAIN_TEMPLATE) })).toThrow(
      expect.objectContaining({ code: "chat-family-unknown" }),
    );
  });

  it("reference needs no template, and warns about markers that the tokenizer lacks", () => {
    const model = { ...tinyModel(), template: null };
    expect(create({ format: "reference", model })).toMatchObject({
      renderer: { id: "reference/plain" },
      warnings: [],
    });
    const { addedTokens } = model.tokenizer;
    const fewer = addedTokens.filter(({ text }) => !text.includes("think"));
    const lacking = { ...model, tokenizer: { ...model.tokenizer, addedTokens: fewer } };
    expect(create({ format: "reference", model: lacking }).warnings).toEqual([
      expect.stringContaining("<think>, </think> are ordinary text"),
    ]);
  });

  it("template accepts one that loops over the tools without checking whether there are any", () => {
    const source = `{# <tool_call> "arguments" #}{% for t in tools %}{{ t.function.name }}{% endfor %}${PLAIN_TEMPLATE}`;
    const { renderer } = create({ name: "org/hermes", model: tinyModel(source) });
    expect(renderer.id).toBe("template/qwen3/plain");
    const prompt = renderer.renderInitial([{ role: "user", content: "a" }], []);
    expect(tinyModel().tokenizer.decode(prompt)).toMatch(/^<\|im_start\|>user\na<\|im_end\|>/);
  });

  it("is refused for an unknown model, with what was tried", () => {
    const refusal = (model: ModelTokenizer): string => {
      try {
        return create({ name: "org/tuned", model }).renderer.id;
      } catch (error) {
        return errorMessage(error);
      }
    };
    expect(refusal({ ...tinyModel(), template: null })).toMatch(
      /No format matches its name, and there is no template\./,
    );
    expect(refusal(tinyModel("<|im_start|><|im_end|>"))).toMatch(
      /does not contain <tool_call>, "arguments"\./,
    );
    expect(refusal(tinyModel(`${THINKING_TEMPLATE}{# <function= #}`))).toMatch(/calls as XML\./);
    const other = `${THINKING_TEMPLATE.replace('"arguments"', '"args"')}{# "arguments" #}`;
    expect(refusal(tinyModel(other))).toMatch(
      /^The chat format template\/qwen3\/plain failed its check: a tool call that it writes is not read back/,
    );
  });

  it("completion gives any model the unchanged text; base models get lines with roles", () => {
    const asked = [{ role: "user", content: "Once upon" }] as const;
    const firstOf = (options: CreateOptions): string =>
      tinyModel().tokenizer.decode(create(options).renderer.renderInitial(asked, []));
    const model = { ...tinyModel(), template: null };
    expect(firstOf({ format: "completion", model })).toBe("Once upon");
    expect(firstOf({ name: "Qwen/Qwen3.5-9B-Base", model })).toBe("User: Once upon\n\nAssistant:");
    expect(create({ name: "Qwen/Qwen3.5-9B-Base", model }).renderer.callsTools).toBe(false);
  });

  it("is checked before training", () => {
    const model = tinyModel(`{{ strftime_now('%d') }}${PLAIN_TEMPLATE}`);
    expect(() => create({ model })).toThrow(/today's date/);
  });
});

describe("thinking", () => {
  it("opens the model's turn as the template does, on or off", () => {
    const opening = (enabled: boolean) => {
      const { renderer } = create({ name: "org/tuned", model: hybrid, thinking: { enabled } });
      return hybrid.tokenizer.decode(renderer.renderInitial([{ role: "user", content: "a" }], []));
    };
    expect(opening(true)).toMatch(/assistant\n$/);
    expect(opening(false)).toMatch(/assistant\n<think>\n\n<\/think>\n\n$/);
  });

  it("passes the effort to a template that uses it, and warns otherwise", () => {
    const source = `{{ reasoning_effort }}!${PLAIN_TEMPLATE}`;
    const effort = { enabled: false, effort: "high" } as const;
    const taking = create({ model: tinyModel(source), thinking: effort });
    expect(taking.warnings).toEqual([]);
    const prompt = taking.renderer.renderInitial([{ role: "user", content: "a" }], []);
    expect(tinyModel().tokenizer.decode(prompt)).toMatch(/^high!/);
    expect(create({ thinking: effort }).warnings).toEqual([
      expect.stringMatching(/^thinking\.effort: high has no effect/),
    ]);
  });

  it("warns when the switch has no effect", () => {
    expect(create({ thinking: { enabled: true } }).warnings).toEqual([
      expect.stringMatching(/^thinking: true has no effect/),
    ]);
    const always = tinyModel(
      THINKING_TEMPLATE.replace(
        /\{% if not enable_thinking %\}[\s\S]*?\{% endif %\}/,
        "<think>\n",
      ).replace("assistant\n{{ m.content }}", "assistant\n<think>\n\n</think>\n\n{{ m.content }}"),
    );
    expect(create({ name: "org/tuned", model: always }).warnings).toEqual([
      expect.stringMatching(/^thinking: false has no effect/),
    ]);
  });

  it("is pruned when the template prunes it, with a warning when that has no effect", () => {
    const thinking = { enabled: true, retention: "template" } as const;
    const name = "org/tuned";
    expect(create({ name, model: forgetful, thinking })).toMatchObject({
      retention: "template",
      warnings: [],
    });
    const unchanged = [
      create({ name, model: hybrid, thinking }),
      create({ name, model: forgetful, thinking: { ...thinking, enabled: false } }),
    ];
    for (const { retention, warnings } of unchanged) {
      expect(retention).toBe("all");
      expect(warnings).toEqual([
        expect.stringMatching(/^thinking\.retention: template has no effect, because /),
      ]);
    }
    expect(create({ name, model: forgetful, thinking: { enabled: true } }).retention).toBe("all");
  });

  it("is not pruned by a template that would also drop the calls of earlier turns", () => {
    const source = forgetful.template?.source.replace(/\{% for c in.*?endfor %\}/s, "") ?? "";
    const thinking = { enabled: true, retention: "template" } as const;
    const model = tinyModel(source);
    expect(() => create({ name: "org/tuned", model, thinking, format: "auto" })).toThrow(
      expect.objectContaining({ code: "chat-family-unknown" }),
    );
    expect(() => create({ name: "Qwen/Qwen3-8B", model, thinking })).toThrow(
      expect.objectContaining({ code: "chat-retention", configPath: "thinking.retention" }),
    );
  });

  it("is counted in tokens, without its markers", () => {
    const { parse } = create({
      name: "org/tuned",
      model: hybrid,
      thinking: { enabled: true },
    }).renderer;
    const tokens = (turn: string) => parse(sampled(turn)).thinkingTokens;
    expect(tokens("<think>abc</think>de<|im_end|>")).toBe(3);
    expect(tokens("<think>ab<tool_call>c")).toBe(4);
    expect(tokens("abc")).toBe(0);
  });
});

const TOOL = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { b: { type: "number" } } },
};
const TOOL_LINE =
  '{"name": "add", "arguments_schema": {"type": "object", "properties": {"b": {"type": "number"}}}, "description": "Adds two numbers."}';

/** The first prompt as the model reads it. */
function firstPrompt(changes: Partial<Config>, source?: string): string {
  const config = aConfig(changes);
  const model = tinyModel(source);
  const { renderer } = createRenderer({ model, config, date: "2026-01-02" });
  const { messages, tools } = buildFirstPrompt({
    systemPromptTemplate: config.system_prompt_template,
    task: [{ role: "user", content: "Add 1 and 2." }],
    tools: [TOOL],
  });
  return model.tokenizer.decode(renderer.renderInitial(messages, tools));
}

describe("the tools of an environment", () => {
  it("are shown in the reference format after a system text without {tools}", () => {
    const chat_format = "reference" as const;
    const prompt = firstPrompt({ chat_format, system_prompt_template: "You add." });
    expect(prompt).toContain(`You add.\n\n# Tools\n`);
    expect(prompt).toContain(`<tools>\n${TOOL_LINE}\n</tools>`);
    expect(prompt).toContain('{"name": <name of the tool>, "arguments":');
  });

  it("are shown there once for a system text with {tools}, and after our default system text", () => {
    const chat_format = "reference" as const;
    const own = firstPrompt({ chat_format, system_prompt_template: "Tools: {tools}" });
    expect(own).toContain(`<|im_start|>system\nTools: ${TOOL_LINE}<|im_end|>`);
    expect(own.split(TOOL_LINE)).toHaveLength(2);
    const ours = firstPrompt({ chat_format, system_prompt_template: null });
    expect(ours).toContain("You solve the user's task by calling tools.\n\n# Tools\n");
  });

  it.each([
    ["never", PLAIN_TEMPLATE.replace("{%- if tools %}", "{%- if false %}"), [null, "You add."]],
    [
      "only without a system text",
      PLAIN_TEMPLATE.replace("{%- if tools %}", "{%- if tools and messages[0].role != 'system' %}"),
      ["You add."],
    ],
  ])("cause an error before the run when a template shows them %s", (_, source, systemTexts) => {
    const template = `${source}{# <tool_call> "arguments" #}`;
    for (const system_prompt_template of systemTexts) {
      const chosen = { chat_format: "template", system_prompt_template } as const;
      expect(() => firstPrompt(chosen, template)).toThrow(
        expect.objectContaining({
          code: "chat-tools-missing",
          configPath: "system_prompt_template",
          message: expect.stringMatching(/\{tools\}/),
        }),
      );
    }
    const listed = { chat_format: "template", system_prompt_template: "{tools}" } as const;
    expect(firstPrompt(listed, template)).toContain(TOOL_LINE);
  });
});

import { describe, expect, it } from "vitest";
import { buildFirstPrompt } from "../../src/core/chat/firstPrompt.ts";
import { createRenderer } from "../../src/core/chat/setup/createRenderer.ts";
import type { Config } from "../../src/core/config/fields/schema.ts";
import { PLAIN_TEMPLATE, tinyModel } from "../core/chat/tinyModel.ts";
import { aConfig } from "../core/training/builders.ts";

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
  it("are shown in the reference format beside a system text without {tools}", () => {
    const chat_format = "reference" as const;
    const prompt = firstPrompt({ chat_format, system_prompt_template: "You add." });
    expect(prompt).toContain(`You add.\n\n# Tools\n`);
    expect(prompt).toContain(`<tools>\n${TOOL_LINE}\n</tools>`);
    expect(prompt).toContain('{"name": <name of the tool>, "arguments":');
  });

  it("are shown in it once where the system text has {tools}, and under our own text without one", () => {
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
  ])("are missed before the run where a template shows them %s", (_, source, systemTexts) => {
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

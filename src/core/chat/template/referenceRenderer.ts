/**
 * The reference format: fixed ChatML turns, tools as JSON lines in the system text, results in user turns. The layout is that
 * of the original program; turns always end with their end token, whatever stopped sampling.
 */

import { joinSystemMessages, systemMessage } from "../firstPrompt.ts";
import { HERMES_CALLS } from "../parsing/callFormats.ts";
import { fillToolsField } from "../reference.ts";
import type { InitialMessage, Renderer, ToolDeclaration } from "../renderer.ts";
import type { ModelTokenizer } from "../tokenizer.ts";
import { END_TOKEN, type TemplateFamily } from "./templateFamily.ts";
import { createTemplateRenderer, type TemplateRendererOptions } from "./templateRenderer.ts";

export const reference: TemplateFamily = {
  id: "reference",
  thinking: { open: "<think>", close: "</think>" },
};

/** The markers of the layout; for tokenizers of other families, some are ordinary text. */
const MARKERS = [
  ...["<|im_start|>", "<|im_end|>", "<think>", "</think>"],
  ...["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
];

const TEMPLATE = `{%- for m in messages %}
{%- if m.role == 'tool' %}
{%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{ '<|im_start|>user' }}{% endif %}
{{- '\\n<tool_response>\\n' + m.content + '\\n</tool_response>' }}
{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{ '<|im_end|>\\n' }}{% endif %}
{%- else %}
{{- '<|im_start|>' + m.role + '\\n' }}
{%- if m.reasoning_content %}{{ '<think>\\n' + m.reasoning_content + '\\n</think>\\n\\n' }}{% endif %}
{{- m.content }}
{%- for c in m.tool_calls or [] %}
{%- if m.content or not loop.first %}{{ '\\n' }}{% endif %}
{{- '<tool_call>\\n{"name": ' + c.function.name | tojson + ', "arguments": ' + c.function.arguments | tojson + '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- if not enable_thinking %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}
{%- endif %}`;

const SYSTEM_TEXT = "You solve the user's task by calling tools.";

const TOOLS_TEXT = `# Tools

Between <tools> and </tools> stands one JSON object per tool; "arguments_schema" is the JSON Schema of the arguments it takes.
<tools>
{tools}
</tools>

To call a tool, write one JSON object with its name and its arguments between <tool_call> and </tool_call>:
<tool_call>
{{"name": <name of the tool>, "arguments": <arguments as a JSON object>}}
</tool_call>
The result comes back between <tool_response> and </tool_response>. Make one call at a time and go on until the task is done.`;

/** The model with the reference layout instead of its own template. */
export function withReferenceTemplate({ tokenizer }: ModelTokenizer): ModelTokenizer {
  return { tokenizer, template: { source: TEMPLATE, bosToken: "", eosToken: END_TOKEN } };
}

/**
 * Renders like a template renderer whose model has the reference template. A call ends the turn, so there is at most one per
 * turn. Declared tools are listed after the system text, or after a built-in one if there is none.
 * @throws AppError `chat-token-missing`
 */
export function createReferenceRenderer(
  options: Omit<TemplateRendererOptions, "family">,
): Renderer {
  const base = createTemplateRenderer({ ...options, family: reference });
  const { addedTokens } = options.model.tokenizer;
  const callEnd = addedTokens.filter(({ text }) => text === HERMES_CALLS.close);
  return {
    ...base,
    id: `reference/${options.thinking ? "thinking" : "plain"}`,
    stopIds: [...base.stopIds, ...callEnd.map(({ id }) => id)],
    renderInitial: (messages, tools) => base.renderInitial(withTools(messages, tools), []),
  };
}

/** Markers of the layout that are not tokens of this tokenizer. */
export function missingMarkers({ tokenizer }: ModelTokenizer): readonly string[] {
  const known = new Set(tokenizer.addedTokens.map(({ text }) => text));
  return MARKERS.filter((marker) => !known.has(marker));
}

function withTools(
  messages: readonly InitialMessage[],
  tools: readonly ToolDeclaration[],
): readonly InitialMessage[] {
  if (tools.length === 0) return messages;
  const specifications = tools.map(({ function: { name, description, parameters } }) => ({
    name,
    description,
    inputSchema: parameters,
  }));
  const list = systemMessage(fillToolsField(TOOLS_TEXT, specifications));
  const [first, ...others] = messages;
  if (first?.role === "system") return [joinSystemMessages(first, list), ...others];
  const ours = systemMessage([{ text: SYSTEM_TEXT, trusted: true }]);
  return [joinSystemMessages(ours, list), ...messages];
}

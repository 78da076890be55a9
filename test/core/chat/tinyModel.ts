/** A model with a byte tokenizer, and chat templates for it. */

import { createControlTokens } from "../../../src/core/chat/controlTokens.ts";
import type { ModelTokenizer } from "../../../src/core/chat/tokenizer.ts";
import { byteTokenizer, FIRST_ADDED } from "./byteTokenizer.ts";

export const ADDED = [
  "<|endoftext|>",
  "<|im_start|>",
  "<|im_end|>",
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
  "<tool_response>",
  "</tool_response>",
  "<|vision_start|>",
  "<|vision_end|>",
] as const;

export function idOf(token: (typeof ADDED)[number]): number {
  return FIRST_ADDED + ADDED.indexOf(token);
}

/** Has a result turn per tool result; ignores calls, as the embedded model's template does. */
export const PLAIN_TEMPLATE = `{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}
{% endif %}Tools:{% for t in tools %}{{ '\\n' }}{{ t.function.name }}({{ t.function.parameters.properties | join(', ') }}){% endfor %}<|im_end|>
{% endif %}
{%- for m in messages %}
{%- if not (tools and loop.first and m.role == 'system') %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/** Has hybrid thinking, Hermes calls, consecutive results in one user turn, and an empty think block when thinking is off. */
export const THINKING_TEMPLATE = `{%- if messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for m in messages %}
{%- if m.role == 'user' %}<|im_start|>user
{{ m.content }}<|im_end|>
{% elif m.role == 'assistant' %}<|im_start|>assistant
{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>
{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}
</tool_call>{% endfor %}<|im_end|>
{% elif m.role == 'tool' %}{% if messages[loop.index0 - 1].role != 'tool' %}<|im_start|>user{% endif %}{{ '\\n' }}<tool_response>
{{ m.content }}
</tool_response>{% if loop.last or messages[loop.index0 + 1].role != 'tool' %}<|im_end|>
{% endif %}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if not enable_thinking %}<think>

</think>

{% endif %}
{%- endif %}`;

export function tinyModel(source: string = PLAIN_TEMPLATE): ModelTokenizer {
  return {
    template: { source, bosToken: "", eosToken: "<|im_end|>" },
    tokenizer: byteTokenizer(ADDED),
  };
}

/** Ids of text in which added tokens are encoded as such, as a model would sample them. */
export function sampled(text: string): readonly number[] {
  return createControlTokens(byteTokenizer(ADDED)).encode(text);
}

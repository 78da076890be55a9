/** Renders a conversation with a model's own template and the variables that templates expect. */

import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import { AppError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type { ToolDeclaration } from "../renderer.ts";
import type { ModelTokenizer } from "../tokenizer.ts";
import { compileTemplate } from "./jinja.ts";

export interface TemplateMessage {
  readonly role: string;
  readonly content: string;
  readonly reasoning_content?: string;
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    /** Arguments as an object or as JSON text, since model families differ. */
    readonly function: { readonly name: string; readonly arguments: JsonObject | string };
  }[];
}

interface Conversation {
  readonly messages: readonly TemplateMessage[];
  readonly tools?: readonly ToolDeclaration[];
  /** False omits the opening of the next model turn; default true. */
  readonly opensTurn?: boolean;
}

export interface PromptTemplate {
  /** The template's text, for choosing characters that it does not contain. */
  readonly source: string;
  /** @throws AppError `chat-render` if the template rejects the conversation */
  render(conversation: Conversation): string;
}

interface PromptTemplateOptions {
  readonly model: ModelTokenizer;
  /** Passed to the template as `enable_thinking` and `thinking`. */
  readonly thinking: boolean;
  /** Passed as `reasoning_effort`; null leaves it to the template. */
  readonly effort?: string | null;
}

/** Compiles the template once. @throws AppError `chat-template-missing`, or `chat-render` if it is not valid Jinja */
export function createPromptTemplate({
  model,
  thinking,
  effort = null,
}: PromptTemplateOptions): PromptTemplate {
  const { template } = model;
  if (template === null) {
    throw new AppError(
      "chat-template-missing",
      "The tokenizer folder of the model has no chat template (chat_template.jinja, or chat_template in tokenizer_config.json). " +
        "Set `tokenizer_name` to the instruct version of the model.",
      { configPath: "tokenizer_name" },
    );
  }
  const compiled = orChatRender(model, () => compileTemplate(template.source));
  const settings = withoutUndefined({
    enable_thinking: thinking,
    thinking,
    reasoning_effort: effort ?? undefined,
    bos_token: template.bosToken,
    eos_token: template.eosToken,
  });
  const withSettings = (variables: object) => compiled({ ...settings, ...variables });
  const noTools = valueOfNoTools(withSettings);
  const takesText = takesTextOnly(withSettings);
  return {
    source: template.source,
    render: ({ messages, tools = [], opensTurn = true }) =>
      orChatRender(model, () =>
        compiled({
          messages: takesText ? messages.map(withArgumentsAsText) : messages,
          tools: tools.length === 0 ? noTools : tools,
          add_generation_prompt: opensTurn,
          ...settings,
        }),
      ),
  };
}

const asJson = compileTemplate("{{ value | tojson }}");

function withArgumentsAsText(message: TemplateMessage): TemplateMessage {
  if (message.tool_calls === undefined) return message;
  const calls = message.tool_calls.map((call) => {
    const { name, arguments: args } = call.function;
    return {
      ...call,
      function: { name, arguments: typeof args === "string" ? args : asJson({ value: args }) },
    };
  });
  return { ...message, tool_calls: calls };
}

/** True if the template rejects call arguments as an object but accepts them as JSON text. */
function takesTextOnly(render: (variables: object) => string): boolean {
  const isRefused = (args: JsonObject | string): boolean => {
    const called = { name: "f", arguments: args };
    const calls = [{ id: "call_0", type: "function", function: called }];
    const messages = [
      { role: "user", content: "q" },
      { role: "assistant", content: "", tool_calls: calls },
    ];
    return isFailing(() => render({ messages, tools: null, add_generation_prompt: false }));
  };
  return isRefused({ x: "y" }) && !isRefused('{"x": "y"}');
}

/** None, as templates expect, or an empty list for a template that iterates over the tools without checking for None. */
function valueOfNoTools(render: (variables: object) => string): readonly [] | null {
  const fails = (tools: readonly [] | null): boolean => {
    const messages = [{ role: "user", content: "q" }];
    return isFailing(() => render({ messages, tools, add_generation_prompt: true }));
  };
  return fails(null) && !fails([]) ? [] : null;
}

function isFailing(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

function orChatRender<T>({ origin }: ModelTokenizer, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new AppError(
      "chat-render",
      `The chat template of ${origin?.name ?? "the model"} failed: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        "Set `tokenizer_name` to a model whose template takes this conversation, or use a `system_prompt_template` with {tools} so that the template need not render tools.",
      { cause, configPath: "tokenizer_name" },
    );
  }
}

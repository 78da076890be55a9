/** Finds the chat family of a model, first by name, then by its template and tokenizer. */

import { AppError } from "../../errors.ts";
import { formatOfModel } from "../../models/formatOfModel.ts";
import type { FormatName } from "../../models/formats.ts";
import { chatml, qwen3, qwen3Instruct, type TemplateFamily } from "../template/templateFamily.ts";
import type { ModelTokenizer } from "../tokenizer.ts";

/** Families that are known by name and use their own template. */
const BY_FORMAT: Partial<Record<FormatName, TemplateFamily>> = {
  chatml,
  "qwen2.5": chatml,
  qwen3,
  "qwen3-instruct": qwen3Instruct,
};

/** Substrings of any template with ChatML turns and Hermes calls. */
const HERMES_CHATML = ["<|im_start|>", "<|im_end|>", "<tool_call>", '"arguments"'];

/**
 * The family of `modelName`. Never guesses, because a wrong parser would show up only as near-zero reward, without any error.
 * @throws AppError `chat-family-unknown`
 */
export function findChatFamily(modelName: string, model: ModelTokenizer): TemplateFamily {
  const format = formatOfModel(modelName);
  const named = format === null ? undefined : BY_FORMAT[format];
  return named ?? findTemplateFamily(modelName, model);
}

/**
 * The family that the template reveals, regardless of the model's name; `modelName` is for messages.
 * @throws AppError `chat-family-unknown`
 */
export function findTemplateFamily(modelName: string, model: ModelTokenizer): TemplateFamily {
  const { template, tokenizer } = model;
  const problem = templateProblem(template);
  if (problem === null) {
    const thinks =
      template?.source.includes("<think>") === true ||
      tokenizer.addedTokens.some(({ text }) => text === "<think>");
    return thinks ? qwen3 : chatml;
  }
  throw new AppError(
    "chat-family-unknown",
    `No chat format is known for the model ${modelName}. No format matches its name, and ${problem}. ` +
      "Set `tokenizer_name` to a model with a known format, or `chat_format` to say which one to use.",
    { configPath: "chat_format", data: { modelName } },
  );
}

/** Why the template is not recognized as ChatML turns with Hermes calls; null if it is. */
function templateProblem(template: ModelTokenizer["template"]): string | null {
  if (template === null) return "there is no template";
  const missing = HERMES_CHATML.filter((part) => !template.source.includes(part));
  if (missing.length > 0) {
    return `the template does not show JSON tool calls in ChatML turns, because it does not contain ${missing.join(", ")}`;
  }
  return template.source.includes("<function=") ? "the template shows tool calls as XML" : null;
}

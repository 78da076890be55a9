/** Finds the chat family of a model: by its name first, then by its template and tokenizer. */

import { AppError } from "../../errors.ts";
import { chatml } from "../families/chatml.ts";
import { qwen3 } from "../families/qwen3.ts";
import type { TemplateFamily } from "../template/templateFamily.ts";
import type { ModelTokenizer } from "../tokenizer.ts";

const BY_NAME: readonly (readonly [pattern: RegExp, family: TemplateFamily])[] = [
  [/^local\//, chatml],
  [/(^|\/)Qwen2\.5-/i, chatml],
  [/(^|\/)Qwen3-(?!Coder)/i, qwen3],
];

/**
 * The family of `modelName`. A wrong parser shows as near-zero reward without any error, so nothing is guessed.
 * @throws AppError `chat-family-unknown`
 */
export function findChatFamily(modelName: string, model: ModelTokenizer): TemplateFamily {
  const named = BY_NAME.find(([pattern]) => pattern.test(modelName));
  return named?.[1] ?? findTemplateFamily(modelName, model);
}

/**
 * The family that the template shows, whatever the model is called; `modelName` is for messages.
 * @throws AppError `chat-family-unknown`
 */
export function findTemplateFamily(modelName: string, model: ModelTokenizer): TemplateFamily {
  const family = familyOfTemplate(model);
  if (family !== null) return family;
  throw new AppError(
    "chat-family-unknown",
    `No chat format is known for the model ${modelName}, and its template does not show JSON tool calls in ChatML turns. ` +
      "Set `tokenizer_name` to a model with a known format, or `chat_format` to say which one to use.",
    { configPath: "chat_format", data: { modelName } },
  );
}

function familyOfTemplate({ template, tokenizer }: ModelTokenizer): TemplateFamily | null {
  if (template === null) return null;
  const has = (part: string): boolean => template.source.includes(part);
  const isHermesChatml =
    has("<|im_start|>") &&
    has("<|im_end|>") &&
    has("<tool_call>") &&
    has('"arguments"') &&
    !has("<function=");
  if (!isHermesChatml) return null;
  const thinks = has("<think>") || tokenizer.addedTokens.some((token) => token.text === "<think>");
  return thinks ? qwen3 : chatml;
}

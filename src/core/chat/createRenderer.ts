/** From the configuration to the renderer of a run: the one place that knows the chat formats by name. */

import type { Config } from "../config/schema.ts";
import type { ChatFamily } from "./families/family.ts";
import { findChatFamily, findTemplateFamily } from "./families/lookup.ts";
import { rememberPrompts } from "./promptCache.ts";
import {
  createReferenceRenderer,
  missingMarkers,
  reference,
  withReferenceTemplate,
} from "./referenceRenderer.ts";
import type { Renderer } from "./renderer.ts";
import { checkRenderer } from "./selfCheck.ts";
import { createTemplateRenderer } from "./templateRenderer.ts";
import { checkThinking } from "./thinking.ts";
import type { ModelTokenizer } from "./tokenizer.ts";

export interface ChatOptions {
  readonly model: ModelTokenizer;
  readonly config: Pick<Config, "model_name" | "chat_format" | "thinking">;
}

export interface ChatSetup {
  readonly renderer: Renderer;
  /** Sentences for people about settings that do not do what they say with this model. */
  readonly warnings: readonly string[];
}

/**
 * Builds the renderer that `chat_format` and `thinking` ask for and checks that it holds.
 * @throws AppError `chat-family-unknown`, `chat-template-missing`, `chat-token-missing`, `chat-render`, `chat-retention` or
 * `chat-self-check`
 */
export function createRenderer({ model, config }: ChatOptions): ChatSetup {
  const { thinking } = config;
  const isReference = config.chat_format === "reference";
  const family = familyOf({ model, config });
  const options = {
    ...{ family, thinking: thinking.enabled, effort: thinking.effort },
    model: isReference ? withReferenceTemplate(model) : model,
  };
  const renderer = isReference ? createReferenceRenderer(options) : createTemplateRenderer(options);
  const warnings = [...checkThinking({ ...options, thinking })];
  checkRenderer({ ...options, renderer });
  const missing = isReference ? missingMarkers(model) : [];
  if (missing.length > 0) {
    warnings.push(
      `chat_format: reference is laid out for Qwen models; ${missing.join(", ")} are ordinary text to this tokenizer.`,
    );
  }
  const renderInitial = rememberPrompts(renderer.renderInitial);
  return { renderer: { ...renderer, renderInitial }, warnings };
}

function familyOf({ model, config }: ChatOptions): ChatFamily {
  const { chat_format: format, model_name: name } = config;
  if (format === "reference") return reference;
  return format === "template" ? findTemplateFamily(name, model) : findChatFamily(name, model);
}

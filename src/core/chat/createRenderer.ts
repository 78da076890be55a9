/** From the configuration to the renderer of a run: the one place that knows the chat formats by name. */

import type { Config } from "../config/schema.ts";
import { AppError } from "../errors.ts";
import type { ChatFamily } from "./families/family.ts";
import { findChatFamily, findTemplateFamily } from "./findFamily.ts";
import { buildFirstPrompt } from "./firstPrompt.ts";
import { cachePrompts } from "./promptCache.ts";
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
  readonly config: Pick<
    Config,
    "model_name" | "chat_format" | "thinking" | "system_prompt_template"
  >;
}

export interface ChatSetup {
  readonly renderer: Renderer;
  /** Sentences for people about settings that have no effect with this model. */
  readonly warnings: readonly string[];
}

/**
 * Builds the renderer that `chat_format` and `thinking` ask for and checks it.
 * @throws AppError `chat-family-unknown`, `chat-template-missing`, `chat-token-missing`, `chat-render`, `chat-retention`,
 * `chat-self-check` or `chat-tools-missing`
 */
export function createRenderer({ model, config }: ChatOptions): ChatSetup {
  const { thinking } = config;
  const isReference = config.chat_format === "reference";
  const family = familyOf({ model, config });
  const options = {
    family,
    thinking: thinking.enabled,
    effort: thinking.effort,
    model: isReference ? withReferenceTemplate(model) : model,
  };
  const renderer = isReference ? createReferenceRenderer(options) : createTemplateRenderer(options);
  const warnings = [...checkThinking({ ...options, thinking })];
  checkRenderer({ ...options, renderer });
  requireTools(renderer, { model, config });
  const missing = isReference ? missingMarkers(model) : [];
  if (missing.length > 0) {
    warnings.push(
      `chat_format: reference is laid out for Qwen models; ${missing.join(", ")} are ordinary text to this tokenizer.`,
    );
  }
  const renderInitial = cachePrompts(renderer.renderInitial);
  return { renderer: { ...renderer, renderInitial }, warnings };
}

/** Refuses a template that ignores tools: a model that never sees them would earn nothing, without any error. */
function requireTools(renderer: Renderer, { model, config }: ChatOptions): void {
  const probe = { name: "zqtoolqz", description: "Probes.", inputSchema: null };
  const { messages, tools } = buildFirstPrompt({
    systemPromptTemplate: config.system_prompt_template,
    task: [{ role: "user", content: "Call the tool." }],
    tools: [probe],
  });
  const prompt = model.tokenizer.decode(renderer.renderInitial(messages, tools));
  if (prompt.includes(probe.name)) return;
  throw new AppError(
    "chat-tools-missing",
    "The model's chat template does not show the tools of an environment, so the model would never call one. " +
      "Write {tools} into `system_prompt_template` where they shall be listed, or set `chat_format: reference`, which lists them itself.",
    { configPath: "system_prompt_template", data: { renderer: renderer.id } },
  );
}

function familyOf({ model, config }: ChatOptions): ChatFamily {
  const { chat_format: format, model_name: name } = config;
  if (format === "reference") return reference;
  return format === "template" ? findTemplateFamily(name, model) : findChatFamily(name, model);
}

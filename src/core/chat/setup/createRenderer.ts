/** Creates a run's renderer from the configuration; the only file that maps chat format names to code. */

import type { Config } from "../../config/fields/schema.ts";
import { AppError } from "../../errors.ts";
import { SharedImages } from "../../images/sharedImages.ts";
import { formatOfModel } from "../../models/formatOfModel.ts";
import { FORMATS } from "../../models/formats.ts";
import { findLineUpModel } from "../../models/lineUp.ts";
import type { Clock } from "../../ports.ts";
import type { Chat, ImageSupport } from "../chat.ts";
import { buildFirstPrompt } from "../firstPrompt.ts";
import type { ImageLayout } from "../format.ts";
import { createNativeRenderer } from "../nativeRenderer.ts";
import type { Renderer } from "../renderer.ts";
import {
  createReferenceRenderer,
  missingMarkers,
  reference,
  withReferenceTemplate,
} from "../template/referenceRenderer.ts";
import type { TemplateFamily } from "../template/templateFamily.ts";
import { createTemplateRenderer } from "../template/templateRenderer.ts";
import type { ModelTokenizer } from "../tokenizer.ts";
import { findChatFamily, findTemplateFamily } from "./findFamily.ts";
import { checkRenderer } from "./formatCheck.ts";
import { NATIVE_FORMATS } from "./nativeFormats.ts";
import { cachePrompts } from "./promptCache.ts";
import { checkRetention, checkThinking, fitThinking, type ThinkingSettings } from "./thinking.ts";

export interface ChatOptions {
  readonly model: ModelTokenizer;
  readonly config: Pick<
    Config,
    "model_name" | "chat_format" | "thinking" | "system_prompt_template"
  > &
    Partial<Pick<Config, "chat_preamble">>;
  /** For formats that show a date, YYYY-MM-DD; fixed for a run. */
  readonly date: string;
}

export interface ChatSetup {
  readonly renderer: Renderer;
  /** `template` only if the model's template drops earlier reasoning. */
  readonly retention: ThinkingSettings["retention"];
  readonly images: ImageSupport;
  /** User-facing sentences about settings that have no effect with this model. */
  readonly warnings: readonly string[];
}

/**
 * Creates and checks the renderer that `chat_format` and `thinking` select.
 * @throws AppError `chat-family-unknown`, `chat-template-missing`, `chat-token-missing`, `chat-render`, `chat-retention`,
 * `chat-self-check` or `chat-tools-missing`
 */
export function createRenderer(options: ChatOptions): ChatSetup {
  const setup = createNative(options) ?? createFromTemplate(options);
  const { renderer } = setup;
  if (renderer.callsTools !== false) requireTools(renderer, options);
  const renderInitial = cachePrompts(renderer.renderInitial);
  return { ...setup, renderer: { ...renderer, renderInitial } };
}

/** Null if the format is the model's own template. */
function createNative({ model, config, date }: ChatOptions): ChatSetup | null {
  const name = nativeNameOf(config);
  const create = name === null ? undefined : NATIVE_FORMATS[name];
  if (name === null || create === undefined) return null;
  const { retention } = config.thinking;
  const { enabled, effort } = fitThinking(config.model_name, FORMATS[name], config.thinking);
  const isBare = config.chat_preamble === false;
  const format = create({ thinking: enabled, effort, retention, date, isBare });
  const keeping = create({ thinking: enabled, effort, retention: "all", date, isBare });
  const writing = { format: keeping, thinking: enabled };
  const renderer = createNativeRenderer(format, model.tokenizer, writing);
  checkRenderer(renderer, model);
  const { prunesReasoning } = FORMATS[name];
  const images = imageSupport(config.model_name, format.images);
  const checked = checkRetention({ enabled, effort, retention }, () => prunesReasoning);
  return { renderer, images, ...checked };
}

function nativeNameOf({ chat_format: chosen, model_name: name }: ChatOptions["config"]) {
  if (chosen === "completion") return chosen;
  return chosen === "auto" ? formatOfModel(name) : null;
}

function createFromTemplate({ model, config }: Omit<ChatOptions, "date">): ChatSetup {
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
  const checked = checkThinking({ ...options, thinking });
  const warnings = [...checked.warnings];
  checkRenderer(renderer, options.model);
  const missing = isReference ? missingMarkers(model) : [];
  if (missing.length > 0) {
    warnings.push(
      `chat_format: reference is made for Qwen models; ${missing.join(", ")} are ordinary text to this tokenizer.`,
    );
  }
  const images = imageSupport(config.model_name, undefined);
  return { renderer, retention: checked.retention, images, warnings };
}

/** Rejects a template that ignores tools: a model that never sees them would get no reward, without any error. */
function requireTools(renderer: Renderer, { model, config }: Omit<ChatOptions, "date">): void {
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
      "Write {tools} into `system_prompt_template` where they should be listed, or set `chat_format: reference`, which lists them itself.",
    { configPath: "system_prompt_template", data: { renderer: renderer.id } },
  );
}

function familyOf({ model, config }: Omit<ChatOptions, "date">): TemplateFamily {
  const { chat_format: format, model_name: name } = config;
  if (format === "reference") return reference;
  return format === "template" ? findTemplateFamily(name, model) : findChatFamily(name, model);
}

/** `layout` is the one of the chat format in use. */
export function imageSupport(modelName: string, layout: ImageLayout | undefined): ImageSupport {
  const readsImages = findLineUpModel(modelName)?.readsImages ?? layout !== undefined;
  if (!readsImages) {
    return { kind: "refused", reason: `${modelName} reads only text` };
  }
  if (layout === undefined) {
    return {
      kind: "refused",
      reason: `it is not published how ${modelName} reads images in the chat format of this run`,
    };
  }
  return { kind: "sent", countTokens: layout.countTokens, shared: new SharedImages() };
}

interface CreatedChat {
  readonly chat: Chat;
  /** User-facing sentences about settings that have no effect with this model. */
  readonly warnings: readonly string[];
}

/** @throws AppError as {@link createRenderer} does */
export function createChat(options: ChatOptions): CreatedChat {
  const { tokenizer, origin } = options.model;
  const { renderer, retention, images, warnings } = createRenderer(options);
  const chat = { renderer, tokenizer, retention, images, date: options.date };
  return { chat: origin === undefined ? chat : { ...chat, origin }, warnings };
}

/** YYYY-MM-DD, for formats that show a date. */
export function today(clock: Pick<Clock, "now">): string {
  return new Date(clock.now()).toISOString().slice(0, 10);
}

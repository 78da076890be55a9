/** Compares the thinking settings with the abilities of a template. */

import { AppError, isAppError } from "../../errors.ts";
import type { FormatFacts } from "../../models/formats.ts";
import {
  createPromptTemplate,
  type PromptTemplate,
  type TemplateMessage,
} from "../template/promptTemplate.ts";
import type { TemplateFamily } from "../template/templateFamily.ts";
import { promptOpensThinking } from "../template/templateRenderer.ts";
import type { ModelTokenizer } from "../tokenizer.ts";

export interface ThinkingSettings {
  readonly enabled: boolean;
  readonly effort: string | null;
  /** `template` = earlier reasoning leaves the context when the model's template drops it. */
  readonly retention: "all" | "template";
}

interface ThinkingOptions {
  readonly model: ModelTokenizer;
  readonly family: TemplateFamily;
  readonly thinking: ThinkingSettings;
}

/**
 * Refuses settings that the format of the model does not know; `modelName` is for the message.
 * @throws AppError `chat-thinking`
 */
export function requireThinking(
  modelName: string,
  facts: FormatFacts,
  { enabled, effort }: ThinkingSettings,
): void {
  const { thinking, efforts, effortRange } = facts;
  if (thinking !== "switch" && enabled !== (thinking === "on")) {
    throw refused(
      "thinking.enabled",
      thinking === "on"
        ? `${modelName} always reasons. Set thinking: true.`
        : `${modelName} does not reason before it answers. Set thinking: false.`,
    );
  }
  if (effort === null || efforts.includes(effort)) return;
  const [min, max] = effortRange ?? [Number.NaN, Number.NaN];
  if (Number(effort) >= min && Number(effort) <= max) return;
  const numbers = effortRange === null ? "" : ` or a number from ${min} to ${max}`;
  throw refused(
    "thinking.effort",
    efforts.length === 0
      ? `${modelName} knows no efforts. Remove thinking.effort.`
      : `${modelName} does not know the effort ${effort}. Set thinking.effort to ${efforts.join(", ")}${numbers}.`,
  );
}

function refused(configPath: string, message: string): AppError {
  return new AppError("chat-thinking", message, { configPath });
}

const TASK: TemplateMessage = { role: "user", content: "zqtaskqz" };
const THOUGHT = "zqthoughtqz";

/**
 * Returns a sentence for each setting that has no effect with this model.
 * @throws AppError `chat-retention` when the template would drop earlier reasoning: a rollout is one growing sequence
 */
export function checkThinking({ model, family, thinking }: ThinkingOptions): readonly string[] {
  const { enabled, effort, retention } = thinking;
  const promptFor = (on: boolean): PromptTemplate =>
    createPromptTemplate({ model, thinking: on, effort });
  const prompt = promptFor(enabled);
  if (enabled && retention === "template" && !keepsReasoning(prompt, family)) throw dropped();

  const warnings: string[] = [];
  const opens = promptOpensThinking(prompt, family);
  const openings = [true, false].map((on) => promptFor(on).render({ messages: [TASK] }));
  const hasSwitch = family.thinking !== null && openings[0] !== openings[1];
  if (enabled && !opens && !hasSwitch) {
    warnings.push(
      "thinking: true has no effect, because the model's chat template has no switch for it.",
    );
  }
  if (!enabled && opens) {
    warnings.push(
      "thinking: false has no effect, because the model's chat template always opens the reasoning.",
    );
  }
  if (effort !== null && !prompt.source.includes("reasoning_effort")) {
    warnings.push(
      `thinking.effort: ${effort} has no effect, because the model's chat template takes no reasoning effort.`,
    );
  }
  return warnings;
}

/** Whether reasoning stays in the rendered conversation after a tool result and after a message. */
function keepsReasoning(prompt: PromptTemplate, family: TemplateFamily): boolean {
  if (family.thinking === null) return true;
  const { open, close } = family.thinking;
  const turn = { role: "assistant", content: `${open}\n${THOUGHT}\n${close}\n\nzqanswerqz` };
  const next = [{ role: family.resultRole, content: "zqresultqz", name: "probe" }, TASK];
  try {
    return next.every((message) =>
      prompt.render({ messages: [TASK, turn, message] }).includes(THOUGHT),
    );
  } catch (error) {
    if (isAppError(error, "chat-render")) return false;
    throw error;
  }
}

function dropped(): AppError {
  return new AppError(
    "chat-retention",
    "thinking.retention: the model's chat template drops earlier reasoning when the conversation goes on, which a rollout that only grows cannot do. Set thinking.retention to all.",
    { configPath: "thinking.retention" },
  );
}

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
 * What the settings come to in the format of the model, whose name is for messages. What the format always or never does needs no
 * setting, and efforts are left out where it knows none; the check of a configuration reports such settings.
 * @throws AppError `chat-thinking` for an effort that the format does not know
 */
export function fitThinking(
  modelName: string,
  { thinking, efforts, effortRange }: FormatFacts,
  { enabled, effort }: ThinkingSettings,
): Pick<ThinkingSettings, "enabled" | "effort"> {
  const isOn = thinking === "switch" ? enabled : thinking === "on";
  if (!isOn || effort === null || efforts.length === 0) return { enabled: isOn, effort: null };
  const [min, max] = effortRange ?? [Number.NaN, Number.NaN];
  const isKnown = efforts.includes(effort) || (Number(effort) >= min && Number(effort) <= max);
  if (isKnown) return { enabled: isOn, effort };
  const numbers = effortRange === null ? "" : ` or a number from ${min} to ${max}`;
  throw new AppError(
    "chat-thinking",
    `${modelName} does not know the effort ${effort}. Set thinking.effort to ${efforts.join(", ")}${numbers}.`,
    { configPath: "thinking.effort" },
  );
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

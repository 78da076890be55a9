/** Compares the thinking settings with what the model's template supports. */

import { AppError } from "../../errors.ts";
import type { FormatFacts } from "../../models/formats.ts";
import {
  createPromptTemplate,
  type PromptTemplate,
  type TemplateMessage,
} from "../template/promptTemplate.ts";
import { reasoningForm, renderOrEmpty } from "../template/reasoningForm.ts";
import type { TemplateFamily } from "../template/templateFamily.ts";
import { promptOpensThinking } from "../template/templateRenderer.ts";
import type { ModelTokenizer } from "../tokenizer.ts";

export interface ThinkingSettings {
  readonly enabled: boolean;
  readonly effort: string | null;
  /** `template` = earlier reasoning leaves the context if the model's template drops it. */
  readonly retention: "all" | "template";
}

interface ThinkingOptions {
  readonly model: ModelTokenizer;
  readonly family: TemplateFamily;
  readonly thinking: ThinkingSettings;
}

/**
 * The effective settings for the model's format; the model's name is for messages. Settings that the format fixes are overridden,
 * and an effort is dropped if the format has none; config validation reports such settings.
 * @throws AppError `chat-thinking` for an effort that the format does not support
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

interface CheckedThinking {
  /** The effective `thinking.retention`: `template` only if the template drops earlier reasoning. */
  readonly retention: ThinkingSettings["retention"];
  /** A sentence for each setting that has no effect with this model. */
  readonly warnings: readonly string[];
}

/** `dropsReasoning` says whether the format drops earlier reasoning; called only if that matters. */
export function checkRetention(
  { enabled, retention }: ThinkingSettings,
  dropsReasoning: () => boolean,
): CheckedThinking {
  if (retention === "all") return { retention, warnings: [] };
  if (enabled && dropsReasoning()) return { retention, warnings: [] };
  const why = enabled
    ? "the model's chat format keeps earlier reasoning"
    : "thinking is off, so there is no reasoning to drop";
  const warnings = [`thinking.retention: template has no effect, because ${why}.`];
  return { retention: "all", warnings };
}

/**
 * Determines how the settings affect this model.
 * @throws AppError `chat-retention` if the template drops earlier reasoning but also omits the calls of earlier turns
 */
export function checkThinking({ model, family, thinking }: ThinkingOptions): CheckedThinking {
  const { enabled, effort } = thinking;
  const promptFor = (on: boolean): PromptTemplate =>
    createPromptTemplate({ model, thinking: on, effort });
  const prompt = promptFor(enabled);
  const kept = checkRetention(thinking, () => dropsReasoning(prompt, family));
  if (kept.retention === "template" && !printsCalls(prompt)) throw callsLost();

  const warnings = [...kept.warnings];
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
  return { retention: kept.retention, warnings };
}

const CALLED_TOOL = "zqtoolqz";

/** Whether rendering the conversation drops the reasoning once a tool result or a user message follows. */
function dropsReasoning(prompt: PromptTemplate, family: TemplateFamily): boolean {
  if (family.thinking === null) return false;
  const turn = { role: "assistant", ...reasoningForm(prompt, family)("zqanswerqz", THOUGHT) };
  const next = [{ role: "tool", content: "zqresultqz", name: "probe" }, TASK];
  return next.some((message) => !renderOrEmpty(prompt, [TASK, turn, message]).includes(THOUGHT));
}

/** Whether a call is still rendered once its result follows. */
function printsCalls(prompt: PromptTemplate): boolean {
  const call = { name: CALLED_TOOL, arguments: {} };
  const turn: TemplateMessage = {
    role: "assistant",
    content: "",
    tool_calls: [{ id: "call_0", type: "function", function: call }],
  };
  const result = {
    role: "tool",
    content: "zqresultqz",
    name: CALLED_TOOL,
    tool_call_id: "call_0",
  };
  const rendered = renderOrEmpty(prompt, [TASK, turn, result]);
  return rendered.slice(0, rendered.indexOf(result.content)).includes(CALLED_TOOL);
}

function callsLost(): AppError {
  return new AppError(
    "chat-retention",
    "thinking.retention: the model's chat template drops earlier reasoning, and it does not print the tool calls of earlier turns either. Rendering a conversation again would lose them. Set thinking.retention to all.",
    { configPath: "thinking.retention" },
  );
}

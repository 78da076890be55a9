/** How a template takes the reasoning of an earlier turn: as a separate field, or at the start of the content. */

import { isAppError } from "../../errors.ts";
import type { PromptTemplate, TemplateMessage } from "./promptTemplate.ts";
import type { TemplateFamily } from "./templateFamily.ts";

/** The content and fields of a model turn with `reasoning` before `content`. */
export type ReasoningForm = (
  content: string,
  reasoning: string,
) => Pick<TemplateMessage, "content" | "reasoning_content">;

const PROBE = "zqreasonqz";

const asField: ReasoningForm = (content, reasoning) => ({ content, reasoning_content: reasoning });

/** How the template prints reasoning. If it ignores the field, reasoning goes into the content, between the family's markers. */
export function reasoningForm(prompt: PromptTemplate, { thinking }: TemplateFamily): ReasoningForm {
  if (thinking === null) return asField;
  const task = { role: "user", content: "q" };
  const turn = { role: "assistant", ...asField("a", PROBE) };
  const printsField = [[], [{ role: "tool", content: "r", name: "probe" }]].some((next) =>
    renderOrEmpty(prompt, [task, turn, ...next]).includes(PROBE),
  );
  if (printsField) return asField;
  const { open, close } = thinking;
  return (content, reasoning) => ({ content: `${open}\n${reasoning}\n${close}\n\n${content}` });
}

/** The conversation as text; empty if the template rejects it. */
export function renderOrEmpty(
  prompt: PromptTemplate,
  messages: readonly TemplateMessage[],
): string {
  try {
    return prompt.render({ messages });
  } catch (error) {
    if (isAppError(error, "chat-render")) return "";
    throw error;
  }
}

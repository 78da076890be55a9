/** Combines the config's system text, the task's prompt and the environment's tools into the first prompt. */

import type { ToolSpec } from "../openreward/types.ts";
import { argumentsSchema, fillToolsField, hasToolsField, type PromptPart } from "./reference.ts";
import type { InitialMessage, PlainMessage, ToolDeclaration } from "./renderer.ts";

interface FirstPromptOptions {
  /** `system_prompt_template` of the config; null if unset. */
  readonly systemPromptTemplate: string | null;
  /** The task from the environment: a prompt, or a conversation to continue. */
  readonly task: readonly InitialMessage[];
  readonly tools: readonly ToolSpec[];
}

export interface FirstPrompt {
  readonly messages: readonly InitialMessage[];
  readonly tools: readonly ToolDeclaration[];
}

/**
 * Without a system text, or if it has no `{tools}`, the model's own template declares the tools. With `{tools}`, the
 * system text lists them in the reference layout and nothing is declared natively. A system text of the environment is
 * appended to the config's in the same message, because templates accept only one.
 */
export function buildFirstPrompt({
  systemPromptTemplate,
  task,
  tools,
}: FirstPromptOptions): FirstPrompt {
  if (systemPromptTemplate === null) return { messages: task, tools: tools.map(declareTool) };
  const listsTools = hasToolsField(systemPromptTemplate);
  const system = systemMessage(
    listsTools
      ? fillToolsField(systemPromptTemplate, tools)
      : [{ text: systemPromptTemplate, trusted: true }],
  );
  const [first, ...others] = task;
  const messages =
    first?.role === "system" ? [joinSystemMessages(system, first), ...others] : [system, ...task];
  return { messages, tools: listsTools ? [] : tools.map(declareTool) };
}

/** Converts a tool into the declaration that formats print and that types its arguments. */
export function declareTool(tool: ToolSpec): ToolDeclaration {
  const { name, description } = tool;
  return { type: "function", function: { name, description, parameters: argumentsSchema(tool) } };
}

/**
 * Appends a text of the config, after a blank line, to the first user message. If there is none, adds the text as a
 * user message after the system text.
 */
export function withAddedText(
  messages: readonly InitialMessage[],
  text: string,
): readonly InitialMessage[] {
  const at = messages.findIndex(({ role }) => role === "user");
  const found = messages[at];
  if (found?.role === "user") {
    const content = `${found.content}\n\n${text}`;
    const own = [content.length - text.length, content.length] as const;
    return messages.with(at, { ...found, content, trusted: [...(found.trusted ?? []), own] });
  }
  const added = { role: "user", content: text, trusted: [[0, text.length]] } as const;
  return messages.toSpliced(messages[0]?.role === "system" ? 1 : 0, 0, added);
}

/** Joins two system messages, separated by a blank line. */
export function joinSystemMessages(first: PlainMessage, second: PlainMessage): PlainMessage {
  const head = `${first.content}\n\n`;
  const shifted = (second.trusted ?? []).map(
    ([start, end]) => [start + head.length, end + head.length] as const,
  );
  const trusted = [...(first.trusted ?? []), ...shifted];
  const images = [
    ...(first.images ?? []),
    ...(second.images ?? []).map((image) => ({ ...image, at: image.at + head.length })),
  ];
  const joined = { role: "system", content: head + second.content, trusted } as const;
  return images.length === 0 ? joined : { ...joined, images };
}

/** Builds a system message whose trusted ranges are those of its trusted parts. */
export function systemMessage(parts: readonly PromptPart[]): PlainMessage {
  const trusted: (readonly [number, number])[] = [];
  let content = "";
  for (const part of parts) {
    if (part.trusted) trusted.push([content.length, content.length + part.text.length]);
    content += part.text;
  }
  return { role: "system", content, trusted };
}

/** Puts the config's system text, the task's prompt and the environment's tools together for the renderer. */

import type { ToolSpec } from "../openreward/types.ts";
import { argumentsSchema, fillToolsField, hasToolsField, type PromptPart } from "./reference.ts";
import type { InitialMessage, PlainMessage, ToolDeclaration } from "./renderer.ts";

interface FirstPromptOptions {
  /** `system_prompt_template` of the config; null when it gives none. */
  readonly systemPromptTemplate: string | null;
  /** The task, from the environment: its prompt, or a conversation to continue with. */
  readonly task: readonly InitialMessage[];
  readonly tools: readonly ToolSpec[];
}

export interface FirstPrompt {
  readonly messages: readonly InitialMessage[];
  readonly tools: readonly ToolDeclaration[];
}

/**
 * Without a system text, or with one that has no `{tools}`, the model's own template declares the tools. With `{tools}`
 * the system text lists them in the reference layout and nothing is declared natively. A system text of the environment
 * follows that of the config in one message, because templates take one only.
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

/** The tool in the shape that formats declare; arguments are typed by it. */
export function declareTool(tool: ToolSpec): ToolDeclaration {
  const { name, description } = tool;
  return { type: "function", function: { name, description, parameters: argumentsSchema(tool) } };
}

/**
 * The messages with a text of the config at the end of the first message of the user, a blank line between them; where there is none,
 * as a message of the user behind the system text.
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

/** Both texts as one system message, a blank line between them. */
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

/** A system message whose trusted ranges are those of its parts. */
export function systemMessage(parts: readonly PromptPart[]): PlainMessage {
  const trusted: (readonly [number, number])[] = [];
  let content = "";
  for (const part of parts) {
    if (part.trusted) trusted.push([content.length, content.length + part.text.length]);
    content += part.text;
  }
  return { role: "system", content, trusted };
}

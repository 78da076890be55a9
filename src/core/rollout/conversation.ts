/** Converts the conversation with which an environment starts an episode, for the renderer and for storage. */

import { type Content, shownContent } from "../chat/content.ts";
import type { InitialMessage } from "../chat/renderer.ts";
import { assertNever } from "../errors.ts";
import type { Block, Message, MessageBlock } from "../openreward/types.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { writeExactJson } from "../util/exactJson.ts";

/** Reads blocks as the model sees them. */
type ReadBlocks = (blocks: readonly Block[]) => Content;
type StoredMessage = RolloutRecord["conversation"][number];

/**
 * Messages for the renderer, in the same form as the official client's OpenAI format: tool results are separate messages before the
 * user's text, and pieces of reasoning are joined.
 */
export function toInitialMessages(
  messages: readonly Message[],
  read: ReadBlocks,
): readonly InitialMessage[] {
  const names = new Map(
    messages.flatMap(({ blocks }) => ofType(blocks, "tool_call").map(({ id, name }) => [id, name])),
  );
  return messages.flatMap(({ role, blocks }): readonly InitialMessage[] => {
    const said = (): Content => read(visible(blocks));
    switch (role) {
      case "system":
        return [{ role, ...said() }];
      case "assistant": {
        const reasoning = ofType(blocks, "reasoning").map(({ text }) => text);
        const calls = ofType(blocks, "tool_call").map(({ id, name, input }) => {
          return { id, name, args: input };
        });
        const thought = reasoning.length === 0 ? null : reasoning.join("\n\n");
        return [{ role, ...said(), reasoning: thought, calls }];
      }
      case "user": {
        const results = ofType(blocks, "tool_result").map(
          ({ callId, blocks: own }): InitialMessage => ({
            role: "tool",
            name: names.get(callId) ?? "",
            callId,
            ...read(own),
          }),
        );
        const says =
          results.length > 0 && visible(blocks).length === 0 ? [] : [{ role, ...said() }];
        return [...results, ...says];
      }
      default:
        return assertNever(role);
    }
  });
}

/** The stored form: empty when the task is a single user message, which is already the prompt. */
export function storedConversation(messages: readonly InitialMessage[]): readonly StoredMessage[] {
  if (messages.length === 1 && messages[0]?.role === "user") return [];
  return messages.flatMap((message): readonly StoredMessage[] => {
    const { role } = message;
    const content = shownContent(message);
    if (role === "tool") {
      const { name, callId } = message;
      return [{ type: "tool_result", content, name, callId }];
    }
    const said = { type: `${role}_message` as const, content };
    if (role !== "assistant") return [said];
    const { reasoning, calls } = message;
    return [
      ...(reasoning === null ? [] : [{ type: "reasoning" as const, content: reasoning }]),
      ...(content === "" && calls.length > 0 ? [] : [said]),
      ...calls.map(({ id, name, args }) => {
        return { type: "tool_call" as const, content: writeExactJson(args), name, callId: id };
      }),
    ];
  });
}

/** The prompt as one text: the user's message alone, or each message under its speaker's name. */
export function promptText(messages: readonly InitialMessage[]): string {
  const stored = storedConversation(messages);
  const [only] = messages;
  if (stored.length === 0) return only === undefined ? "" : shownContent(only);
  return stored
    .map(({ type, content, name }) => {
      const speaker = type.replace(/_message$/, "").replace("_", " ");
      return `[${name === undefined ? speaker : `${speaker} ${name}`}]\n${content}`;
    })
    .join("\n\n");
}

function visible(blocks: readonly MessageBlock[]): readonly Block[] {
  return blocks.filter((block) => block.type === "text" || block.type === "image");
}

function ofType<Type extends MessageBlock["type"]>(
  blocks: readonly MessageBlock[],
  type: Type,
): readonly Extract<MessageBlock, { type: Type }>[] {
  return blocks.filter(
    (block): block is Extract<MessageBlock, { type: Type }> => block.type === type,
  );
}

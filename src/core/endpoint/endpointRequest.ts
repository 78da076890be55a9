/** A request to the endpoint, whatever the protocol. */

import { withResultsInOrder } from "../chat/callOrder.ts";
import { joinSystemMessages } from "../chat/firstPrompt.ts";
import { ColumnError, type MessageRules } from "../chat/openaiMessages.ts";
import type { InitialMessage, PlainMessage, ToolDeclaration } from "../chat/renderer.ts";
import type { AppError } from "../errors.ts";
import { endpointRefusal } from "./refusal.ts";
import type { RequestImages, SentMessages } from "./requestImages.ts";

export interface EndpointRequest extends SentMessages {
  readonly tools: readonly ToolDeclaration[];
  readonly sampling: AskedSampling;
  /** Texts that end the turn. */
  readonly stopTexts: readonly string[];
  /** True when at most one call of a turn may be returned. */
  readonly oneCall: boolean;
  /** True when the caller insists on a call, which cannot be enforced. */
  readonly wantsCall: boolean;
}

/** Null means the server's default. */
export interface AskedSampling {
  readonly temperature: number | null;
  readonly topP: number | null;
  /** -1 is off. */
  readonly topK: number | null;
  readonly maxTokens: number | null;
  readonly seed: number | null;
}

/** @throws AppError `endpoint-refused` for a request with {@link EndpointRequest.wantsCall} */
export function requireFreeChoice({ wantsCall }: Pick<EndpointRequest, "wantsCall">): void {
  if (wantsCall) throw toolChoiceRefusal();
}

/** For a `tool_choice` that cannot be enforced. */
export function toolChoiceRefusal(): AppError {
  return endpointRefusal(
    "tool_choice: the model decides by itself whether to call a tool. Use auto or none.",
    { param: "tool_choice" },
  );
}

/** Why a part of a message is refused, as the end of a sentence. */
export const ACCEPTED_CONTENT =
  "this endpoint accepts text, and images in user messages and results";

/** Model turns may be empty; {@link orderedMessages} and the chat format check the order. */
export function requestRules(images: RequestImages): MessageRules {
  return {
    onlyText: ACCEPTED_CONTENT,
    image: (part, column) => images.addPart(part, column),
    allowsSilence: true,
  };
}

/**
 * Messages in the order that formats require: leading system texts merged into one, and results in call order. `columnOf` locates a
 * message in the request. @throws ColumnError
 */
export function orderedMessages(
  given: readonly InitialMessage[],
  columnOf: (index: number) => string = (index) => `messages[${index}]`,
): readonly InitialMessage[] {
  const last = given.at(-1);
  if (last === undefined) throw new ColumnError("messages", "expected at least one message");
  if (last.role === "assistant" || last.role === "system") {
    throw new ColumnError(
      `${columnOf(given.length - 1)}.role`,
      `the last message must be of the user or the result of a tool, not of role ${last.role}`,
    );
  }
  for (const [i, { role }] of given.entries()) {
    if (role !== "system" || i === 0 || given[i - 1]?.role === "system") continue;
    // Some chat formats would silently drop it.
    const reason = "a system message can only be at the beginning";
    throw new ColumnError(`${columnOf(i)}.role`, reason);
  }
  return withOneSystemText(withResultsInOrder(given, columnOf));
}

function withOneSystemText(messages: readonly InitialMessage[]): readonly InitialMessage[] {
  const end = messages.findIndex(({ role }) => role !== "system");
  const texts = messages.slice(0, end) as readonly PlainMessage[];
  const [first, ...others] = texts;
  if (first === undefined || others.length === 0) return messages;
  return [others.reduce(joinSystemMessages, first), ...messages.slice(end)];
}

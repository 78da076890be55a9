/** Beginnings of conversations: a user message, or the ids of a stored rollout. */

import type { Chat } from "../chat/chat.ts";
import { buildFirstPrompt } from "../chat/firstPrompt.ts";
import type { InitialMessage, Renderer, ToolDeclaration } from "../chat/renderer.ts";
import { renderAside } from "../chat/tokenizer.ts";
import { AppError } from "../errors.ts";
import type { OpeningContext } from "./events.ts";

export interface SystemTexts {
  /** From the configuration. May contain control tokens. */
  readonly systemPromptTemplate: string | null;
  /** Written by the user to replace the template. Contains no control tokens. */
  readonly system: string | null;
}

/** Renders the first message as a run renders a task without tools. @throws AppError `chat-render` */
export function messageOpening(
  chat: Chat,
  { systemPromptTemplate, system }: SystemTexts,
): (message: string) => Promise<OpeningContext> {
  return async (content) => {
    const said: readonly InitialMessage[] = [{ role: "user", content }];
    const first = buildFirstPrompt({
      systemPromptTemplate: system === null ? systemPromptTemplate : null,
      task: system === null ? said : [{ role: "system", content: system }, ...said],
      tools: [],
    });
    const tokens = await renderAside(chat.tokenizer, () =>
      chat.renderer.renderInitial(first.messages, first.tools),
    );
    return { first, tokens };
  };
}

/**
 * Begins with stored ids. Because only the ids of earlier turns are known, the conversation can be extended but not rendered
 * again, as formats that remove earlier reasoning would require.
 */
export function idOpening(
  chat: Chat,
  tokens: readonly number[],
  tools: readonly ToolDeclaration[],
): { readonly chat: Chat; readonly opening: OpeningContext } {
  const foreign = tokens.find((id) => id >= chat.tokenizer.vocabSize);
  if (foreign !== undefined) {
    throw new AppError(
      "tokenizer-differs",
      `The rollout has the token ${foreign}, which the tokenizer of this model does not have. Choose weights of the model that sampled the rollout.`,
      { configPath: "tokenizer_name" },
    );
  }
  const renderer: Renderer = { ...chat.renderer, renderInitial: refuseToRender };
  const appended: Chat = { ...chat, renderer, retention: "all" };
  return { chat: appended, opening: { first: { messages: [], tools }, tokens } };
}

function refuseToRender(): never {
  throw new AppError(
    "chat-render",
    "Only the tokens of the turns before this point are known. Use --replay to replay the rollout.",
  );
}

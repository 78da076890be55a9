/** A task as the environment gives it, and as the model reads it: the first prompt of a rollout. */

import type { Chat } from "../chat/chat.ts";
import { buildFirstPrompt, type FirstPrompt } from "../chat/firstPrompt.ts";
import type { InitialMessage } from "../chat/renderer.ts";
import { AppError } from "../errors.ts";
import type { Block, Message, ToolSpec } from "../openreward/types.ts";
import { toInitialMessages } from "./conversation.ts";
import type { RolloutSettings } from "./settings.ts";

interface ImageRules {
  /** Name for messages. */
  readonly environment: string;
  readonly settings: Pick<RolloutSettings, "onImage">;
}

export interface RenderTaskOptions extends ImageRules {
  readonly prompt: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly chat: Chat;
  readonly settings: Pick<RolloutSettings, "onImage" | "systemPromptTemplate">;
}

export interface RenderedTask {
  /** Without the system text of the configuration. */
  readonly task: readonly InitialMessage[];
  readonly first: FirstPrompt;
  /** Ids of `first`. */
  readonly tokens: readonly number[];
}

/** @throws AppError `rollout-image`, `chat-render` */
export function renderTask({
  prompt,
  tools,
  chat,
  settings,
  environment,
}: RenderTaskOptions): RenderedTask {
  const task = toInitialMessages(prompt, (blocks) => textOf(blocks, { environment, settings }));
  const { systemPromptTemplate } = settings;
  const first = buildFirstPrompt({ systemPromptTemplate, task, tools });
  return { task, first, tokens: chat.renderer.renderInitial(first.messages, first.tools) };
}

/** Text of blocks joined without a separator; an image is refused or shown as a placeholder, never dropped. @throws AppError `rollout-image` */
export function textOf(blocks: readonly Block[], { environment, settings }: ImageRules): string {
  return blocks
    .map((block) => {
      if (block.type === "text") return block.text;
      if (settings.onImage === "placeholder") return "[image]";
      throw new AppError(
        "rollout-image",
        `${environment} sends images, which this model cannot read. Set environments.${environment}.on_image to placeholder, or choose another environment.`,
        { configPath: `environments.${environment}.on_image` },
      );
    })
    .join("");
}

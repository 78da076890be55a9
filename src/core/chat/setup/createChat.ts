/** From the configuration to how a program talks with its model. */

import type { Clock } from "../../ports.ts";
import type { Chat } from "../chat.ts";
import { type ChatOptions, createRenderer } from "./createRenderer.ts";

export interface CreatedChat {
  readonly chat: Chat;
  /** Sentences for people about settings that have no effect with this model. */
  readonly warnings: readonly string[];
}

/** @throws AppError as {@link createRenderer} does */
export function createChat(options: ChatOptions): CreatedChat {
  const { tokenizer, origin } = options.model;
  const { renderer, retention, images, warnings } = createRenderer(options);
  const chat = { renderer, tokenizer, retention, images, date: options.date };
  return { chat: origin === undefined ? chat : { ...chat, origin }, warnings };
}

/** YYYY-MM-DD, for formats that show a date. */
export function today(clock: Pick<Clock, "now">): string {
  return new Date(clock.now()).toISOString().slice(0, 10);
}

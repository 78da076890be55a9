/** Counts the tokens of an environment's prompts as the configured model would read them. */

import type { Chat } from "../../core/chat/chat.ts";
import { tokenizerNameOf } from "../../core/chat/modelName.ts";
import { createRenderer } from "../../core/chat/setup/createRenderer.ts";
import { isAppError } from "../../core/errors.ts";
import type { EnvironmentSession } from "../../core/openreward/types.ts";
import { renderTask } from "../../core/rollout/renderTask.ts";
import { RolloutImages } from "../../core/rollout/rolloutImages.ts";
import { systemClock } from "../../node/clock.ts";
import { loadTokenizer } from "../models/loadTokenizer.ts";
import type { ConnectionOptions } from "../services/connections.ts";

/** Loads the tokenizer on the first call, and returns null if it is unavailable. */
export function promptCounter(
  connections: ConnectionOptions,
): (session: EnvironmentSession) => Promise<number | null> {
  let chat: Promise<Chat | null> | undefined;
  return async (session) => {
    chat ??= chatOf(connections);
    const known = await chat;
    if (known === null) return null;
    const offered = await session.tools();
    const prompt = await session.prompt();
    const images = new RolloutImages({
      chat: known,
      environment: "the environment",
      settings: { onImage: known.images?.kind === "sent" ? "error" : "placeholder" },
    });
    const { system_prompt_template: systemPromptTemplate } = connections.config;
    const settings = { systemPromptTemplate };
    return (await renderTask({ prompt, offered, chat: known, settings, images })).tokens.length;
  };
}

async function chatOf({
  config,
  programs,
  configPath,
  variables,
  allowedOrigins,
  control,
}: ConnectionOptions): Promise<Chat | null> {
  const date = new Date(systemClock.now()).toISOString().slice(0, 10);
  const { signal } = control;
  const options = { variables, allowedOrigins, signal };
  try {
    const model = await loadTokenizer(tokenizerNameOf(config), programs, configPath, options);
    const { renderer, images } = createRenderer({ model, config, date });
    return { renderer, tokenizer: model.tokenizer, images };
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}

/** A model ready for a chat: its chat format, its settings, and its usage counter. */

import type { Chat } from "../../core/chat/chat.ts";
import { createChat, today } from "../../core/chat/setup/createRenderer.ts";
import { environmentConfig } from "../../core/config/taskChoices.ts";
import { type RolloutSettings, rolloutSettings } from "../../core/rollout/settings.ts";
import type { SamplingClient } from "../../core/tinker/samplingClient.ts";
import type { ServiceClient } from "../../core/tinker/serviceClient.ts";
import { systemClock } from "../../node/clock.ts";
import type { ChatServices } from "./chatServices.ts";
import type { ChosenModel, ChosenRun, OpenedModel } from "./chooseModel.ts";
import { type MeteredModel, meteredModel } from "./meteredModel.ts";

export interface ReadyOptions {
  readonly services: ChatServices;
  readonly service: ServiceClient;
  readonly chosen: ChosenModel;
  readonly opened: OpenedModel;
  /** The environment whose settings apply; null = the first of the configuration. */
  readonly environment: string | null;
  /** Secrets for the environment. */
  readonly secrets: Readonly<Record<string, string>>;
  /** A run whose prices apply if the configuration has none. */
  readonly run: ChosenRun | null;
}

export interface ReadyModel {
  readonly chat: Chat;
  readonly settings: RolloutSettings;
  readonly metered: MeteredModel;
  /** The original sampler, which is not metered. */
  readonly sampler: SamplingClient;
  /** Warnings for the user about the chat format. */
  readonly warnings: readonly string[];
}

/** @throws AppError `tokenizer-*`, `chat-*`, `tinker-*` */
export async function readyModel(options: ReadyOptions): Promise<ReadyModel> {
  const { services, service, chosen, opened, environment, secrets, run } = options;
  const { sampler, loaded } = opened;
  const { config } = loaded;
  const tokenizer = await services.tokenizer(loaded);
  const date = chosen.promptDate ?? today(systemClock);
  const { chat, warnings } = createChat({ model: tokenizer, config, date });
  const offers = await service.capabilities();
  const offer = offers?.find(({ name }) => name === config.model_name);
  const own = environmentConfig(config, environment ?? Object.keys(config.environments)[0] ?? "");
  const maxContext = offer?.maxContextLength ?? null;
  return {
    chat,
    settings: rolloutSettings(config, own, { maxContext, secrets }),
    metered: await meteredModel(sampler, loaded, run),
    sampler,
    warnings: [...loaded.warnings, ...warnings],
  };
}

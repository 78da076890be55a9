/** Describes the first prompt of one task. Asks the environment only for its tools and the prompt. */

import type { PromptDescription } from "../../shared/promptDescription.ts";
import type { Chat } from "../chat/chat.ts";
import { describePrompt } from "../chat/describePrompt.ts";
import { AppError, isAppError } from "../errors.ts";
import { splitFault } from "../openreward/faults.ts";
import type { EnvironmentSession, RemoteEnvironment } from "../openreward/types.ts";
import { isServiceFault } from "./faults.ts";
import { renderTask } from "./renderTask.ts";
import { RolloutImages } from "./rolloutImages.ts";
import type { RolloutSettings } from "./settings.ts";

export interface DescribeTaskOptions {
  readonly remote: RemoteEnvironment;
  readonly split: string;
  /** From 0. */
  readonly index: number;
  readonly chat: Chat;
  readonly settings: RolloutSettings;
  /** True when the model reasons before it calls tools. */
  readonly thinking: boolean;
}

export type DescribedTask = Omit<PromptDescription, "model" | "warnings">;

/**
 * @throws AppError `no-such-number` for a task that the split does not have, `environment-*`, `chat-render`, `chat-tools-uncallable`,
 * `rollout-image`
 */
export async function describeTask(options: DescribeTaskOptions): Promise<DescribedTask> {
  const { remote, split, index, chat, settings, thinking } = options;
  const session = await openTask(options);
  try {
    const signal = session.ended;
    const offered = await session.tools({ signal });
    const prompt = await session.prompt({ signal });
    const { first, tokens, tools } = await renderTask({
      prompt,
      offered,
      chat,
      settings,
      images: imagesOf(options),
    });
    return {
      environment: remote.name,
      split,
      index,
      maxTotalTokens: settings.maxTotalTokens,
      ...describePrompt({ chat, first, tokens, tools, thinking }),
    };
  } finally {
    await session.close();
    await remote.release();
  }
}

/** Shows placeholders if the model reads no images, whatever a run would do. */
function imagesOf({ chat, remote, settings }: DescribeTaskOptions): RolloutImages {
  const onImage = chat.images?.kind === "sent" ? settings.onImage : "placeholder";
  return new RolloutImages({ chat, environment: remote.name, settings: { onImage } });
}

/** @throws AppError `no-such-split`, `no-such-number` for a task that the split does not have, `environment-*` */
export async function openTask({
  remote,
  split,
  index,
  settings,
}: Pick<
  DescribeTaskOptions,
  "remote" | "split" | "index" | "settings"
>): Promise<EnvironmentSession> {
  const { secrets, sessionTimeoutMs: answerLimitMs } = settings;
  try {
    return await remote.openSession({ split, index, secrets }, { answerLimitMs });
  } catch (error) {
    // A service that does not respond cannot report a count either.
    const count = isServiceFault(error)
      ? error
      : await remote.numTasks(split).catch((fault) => splitFault(fault, { remote, split }));
    await remote.release();
    if (isAppError(count, "no-such-split")) throw count;
    if (typeof count !== "number" || index < count) throw error;
    throw noSuchTask({ remote, split, index }, count, error);
  }
}

/** AppError `no-such-number` for a split with `count` tasks. */
export function noSuchTask(
  { remote, split, index }: Pick<DescribeTaskOptions, "remote" | "split" | "index">,
  count: number,
  cause?: unknown,
): AppError {
  const known = count === 0 ? "It has none." : `Its tasks have the numbers 0 to ${count - 1}.`;
  const message = `${remote.name} has no task ${index} in the split ${split}. ${known}`;
  return new AppError("no-such-number", message, { cause });
}

/** A task as the environment gives it, and as the model reads it: the first prompt of a rollout. */

import type { Chat } from "../chat/chat.ts";
import { buildFirstPrompt, type FirstPrompt, withAddedText } from "../chat/firstPrompt.ts";
import type { InitialMessage } from "../chat/renderer.ts";
import { renderAside } from "../chat/tokenizer.ts";
import { AppError } from "../errors.ts";
import type { Message, ToolList, ToolSpec } from "../openreward/types.ts";
import { toInitialMessages } from "./conversation.ts";
import type { RolloutImages } from "./rolloutImages.ts";
import type { RolloutSettings } from "./settings.ts";

export interface RenderTaskOptions {
  readonly prompt: readonly Message[];
  readonly offered: Pick<ToolList, "tools" | "terminalTool">;
  readonly chat: Chat;
  readonly settings: Pick<RolloutSettings, "systemPromptTemplate"> &
    Partial<Pick<RolloutSettings, "teacher">>;
  /** Takes the images of the prompt in. */
  readonly images: RolloutImages;
}

export interface TaughtPrompt {
  /** The text of the configuration that the teacher alone reads. */
  readonly text: string;
  /** Ids of the first prompt with it. */
  readonly tokens: readonly number[];
}

export interface RenderedTask {
  /** Without the system text of the configuration. */
  readonly task: readonly InitialMessage[];
  /** What the model can call: none in a chat format without calls. */
  readonly tools: readonly ToolSpec[];
  readonly first: FirstPrompt;
  /** Ids of `first`. */
  readonly tokens: readonly number[];
  /** The same as a teacher reads it; absent = it reads nothing else. */
  readonly taught?: TaughtPrompt | undefined;
}

/** @throws AppError `rollout-image`, `image-invalid`, `chat-render`, `chat-tools-uncallable` */
export async function renderTask({
  prompt,
  offered,
  chat,
  settings,
  images,
}: RenderTaskOptions): Promise<RenderedTask> {
  const task = toInitialMessages(prompt, (blocks) => images.read(blocks));
  const { systemPromptTemplate } = settings;
  const tools = callableTools(offered, chat, images.environment);
  const first = buildFirstPrompt({ systemPromptTemplate, task, tools });
  const render = (messages: readonly InitialMessage[]) =>
    renderAside(chat.tokenizer, () => chat.renderer.renderInitial(messages, first.tools));
  const tokens = await render(first.messages);
  const text = settings.teacher?.text;
  const taught =
    text === undefined
      ? undefined
      : { text, tokens: await render(withAddedText(first.messages, text)) };
  return { task, tools, first, tokens, taught };
}

/** Where a model cannot call tools, it can still answer an environment that grades final messages. */
function callableTools(
  { tools, terminalTool }: RenderTaskOptions["offered"],
  { renderer }: Chat,
  environment: string,
): readonly ToolSpec[] {
  if (renderer.callsTools !== false) return tools;
  if (tools.length === 0 || terminalTool !== null) return [];
  throw new AppError(
    "chat-tools-uncallable",
    `${environment} is played by calling tools, and the model cannot call any: its chat format is ${renderer.id}. ` +
      "Choose an environment that grades the text of an answer, set `chat_format: reference`, which lists the tools in the system prompt, or choose a model that was trained to call tools.",
    { configPath: "chat_format" },
  );
}

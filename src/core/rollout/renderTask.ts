/** Renders a task from the environment into the first prompt of a rollout. */

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
  /** Collects the images of the prompt. */
  readonly images: RolloutImages;
}

export interface TaughtPrompt {
  /** The configured text that only the teacher reads. */
  readonly text: string;
  /** Ids of the first prompt including that text. */
  readonly tokens: readonly number[];
}

export interface RenderedTask {
  /** Without the configured system text. */
  readonly task: readonly InitialMessage[];
  /** Tools that the model can call; none in a chat format without tool calls. */
  readonly tools: readonly ToolSpec[];
  readonly first: FirstPrompt;
  /** Ids of `first`. */
  readonly tokens: readonly number[];
  /** The prompt as a teacher reads it; absent if it is the same. */
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

/** A model that cannot call tools can still play an environment that grades final messages. */
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

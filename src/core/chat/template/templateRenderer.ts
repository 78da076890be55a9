/** The renderer for any model with a chat template: first prompt, bridges and parsing. */

import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import { AppError, assertNever } from "../../errors.ts";
import { type ExactJsonObject, pythonNumbers } from "../../util/exactJson.ts";
import { type ControlTokens, createControlTokens } from "../controlTokens.ts";
import { HERMES_CALLS } from "../parsing/callFormats.ts";
import { createTurnParser } from "../parsing/turnParser.ts";
import type {
  AssistantMessage,
  InitialMessage,
  PlainMessage,
  Renderer,
  ToolDeclaration,
} from "../renderer.ts";
import type { ModelTokenizer } from "../tokenizer.ts";
import { createBridges } from "./bridge.ts";
import {
  createPromptTemplate,
  type PromptTemplate,
  type TemplateMessage,
} from "./promptTemplate.ts";
import { type ReasoningForm, reasoningForm } from "./reasoningForm.ts";
import { END_TOKEN, type TemplateFamily } from "./templateFamily.ts";
import { createTextEscaper, type TextEscaper } from "./textEscaper.ts";

export interface TemplateRendererOptions {
  readonly model: ModelTokenizer;
  readonly family: TemplateFamily;
  readonly thinking: boolean;
  /** Reasoning effort to request from the template; null or absent leaves it to the template. */
  readonly effort?: string | null;
}

/**
 * Compiles the model's template and returns its renderer.
 * @throws AppError `chat-template-missing`, `chat-token-missing` (the tokenizer lacks the family's end token) or `chat-render`
 * (invalid template)
 */
export function createTemplateRenderer({
  model,
  family,
  thinking,
  effort = null,
}: TemplateRendererOptions): Renderer {
  const { tokenizer } = model;
  const controls = createControlTokens(tokenizer);
  const prompt = createPromptTemplate({ model, thinking, effort });
  const endId = requireEndId(controls, family);
  const parse = createTurnParser({
    tokenizer,
    controls,
    thinking: family.thinking,
    calls: HERMES_CALLS,
    ends: [END_TOKEN],
    startsThinking: promptOpensThinking(prompt, family),
  });
  const deltaFor = createBridges({ prompt, tokenizer, controls });

  const withReasoning = reasoningForm(prompt, family);

  const closingOf = (turn: readonly number[]): readonly number[] => {
    if (turn.at(-1) === endId) return [];
    const isOpen = family.thinking !== null && parse(turn, []).unclosedThink;
    return isOpen ? [...controls.encode(family.thinking.close), endId] : [endId];
  };

  return {
    id: `template/${family.id}/${thinking ? "thinking" : "plain"}`,
    stopIds: [endId],
    stopTexts: [],
    renderInitial: (messages, tools) =>
      renderConversation({ prompt, controls, withReasoning, messages, tools }),
    bridge: (turn, followUps) => ({ closing: closingOf(turn), delta: deltaFor(followUps) }),
    writeTurn: (message) =>
      writeTurn(
        { prompt, controls, withReasoning },
        thinking ? message : { ...message, reasoning: null },
      ),
    parse: (turn, tools = []) => parse(turn, tools),
  };
}

const TASK: TemplateMessage = { role: "user", content: "Task" };

/** Written as the last message, because templates drop the reasoning of earlier ones. */
function writeTurn(
  {
    prompt,
    controls,
    withReasoning,
  }: Pick<WholeConversation, "prompt" | "controls" | "withReasoning">,
  message: AssistantMessage,
): readonly number[] {
  const escaper = createTextEscaper({
    controlTexts: controls.texts,
    surroundings: [prompt.source, JSON.stringify(message)],
  });
  const written = toTemplate(message, { escaper, withReasoning });
  const opening = prompt.render({ messages: [TASK] });
  const whole = prompt.render({ messages: [TASK, written], opensTurn: false });
  let start = 0;
  while (start < opening.length && opening[start] === whole[start]) start += 1;
  // `<think>` and `<tool_call>` begin alike.
  for (const marker of [...controls.texts, HERMES_CALLS.open]) {
    const at = whole.lastIndexOf(marker, start);
    if (at >= 0 && start < at + marker.length) start = at;
  }
  const end = whole.lastIndexOf(END_TOKEN);
  const turn = end < start ? whole.slice(start) : whole.slice(start, end);
  return controls.encode(turn + END_TOKEN, escaper.unescape);
}

interface WholeConversation {
  readonly prompt: PromptTemplate;
  readonly controls: ControlTokens;
  readonly withReasoning: ReasoningForm;
  readonly messages: readonly InitialMessage[];
  readonly tools: readonly ToolDeclaration[];
}

function renderConversation({
  prompt,
  controls,
  withReasoning,
  messages,
  tools,
}: WholeConversation): readonly number[] {
  const escaper = createTextEscaper({
    controlTexts: controls.texts,
    surroundings: [prompt.source, JSON.stringify([tools, messages])],
  });
  const rendered = prompt.render({
    messages: messages.map((message) => toTemplate(message, { escaper, withReasoning })),
    tools: tools.map(({ type, function: declared }) => ({
      type,
      function: {
        name: escaper.escapeText(declared.name),
        description: escaper.escapeText(declared.description),
        parameters: escaper.escapeJson(declared.parameters),
      },
    })),
  });
  return controls.encode(rendered, escaper.unescape);
}

/** Converts the message to the shape that templates expect, which is OpenAI's. */
function toTemplate(
  message: InitialMessage,
  {
    escaper,
    withReasoning,
  }: Pick<WholeConversation, "withReasoning"> & { readonly escaper: TextEscaper },
): TemplateMessage {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: shieldMessage(message, escaper) };
    case "tool":
      return {
        role: "tool",
        content: escaper.escapeText(message.content),
        name: escaper.escapeText(message.name),
        tool_call_id: escaper.escapeText(message.callId),
      };
    case "assistant": {
      const { role, content, reasoning } = message;
      const calls = message.calls.map(({ id, name, args }) => ({
        id: escaper.escapeText(id),
        type: "function" as const,
        function: {
          name: escaper.escapeText(name),
          arguments: escaper.escapeJson(pythonArguments(args)),
        },
      }));
      return withoutUndefined({
        role,
        ...(reasoning === null
          ? { content: escaper.escapeText(content) }
          : withReasoning(escaper.escapeText(content), escaper.escapeText(reasoning))),
        tool_calls: calls.length === 0 ? undefined : calls,
      });
    }
    default:
      return assertNever(message);
  }
}

function shieldMessage({ content, trusted = [] }: PlainMessage, escaper: TextEscaper): string {
  let escaped = "";
  let done = 0;
  for (const [start, end] of trusted) {
    escaped += escaper.escapeText(content.slice(done, start)) + content.slice(start, end);
    done = end;
  }
  return escaped + escaper.escapeText(content.slice(done));
}

function requireEndId(controls: ControlTokens, family: TemplateFamily): number {
  const id = controls.idOf(END_TOKEN);
  if (id !== null) return id;
  throw new AppError(
    "chat-token-missing",
    `The tokenizer has no single token ${END_TOKEN}, which ends a turn in the chat format ${family.id}. ` +
      "Set `tokenizer_name` to the tokenizer of the model that is trained, or another `chat_format`.",
    { configPath: "tokenizer_name", data: { family: family.id, token: END_TOKEN } },
  );
}

/** True if the template opens the reasoning itself, so that a turn begins inside it. */
export function promptOpensThinking(prompt: PromptTemplate, family: TemplateFamily): boolean {
  if (family.thinking === null) return false;
  const rendered = prompt.render({ messages: [{ role: "user", content: "zqtaskqz" }] });
  const opening = rendered.slice(rendered.lastIndexOf("zqtaskqz"));
  return opening.lastIndexOf(family.thinking.open) > opening.lastIndexOf(family.thinking.close);
}

/** Templates are written for Python, whose JSON parser reads fractions only as floats. */
function pythonArguments(args: ExactJsonObject): ExactJsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, pythonNumbers(value)]),
  );
}

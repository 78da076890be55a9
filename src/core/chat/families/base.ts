/**
 * Base models, which have no turn tokens: conversations as `Role:` lines, or plain text to continue. The line format follows
 * `role_colon.py` of tinker-cookbook 0.6.1, which encodes the role separately from its text.
 */

import { AppError } from "../../errors.ts";
import type { ChatFormat, TurnParser } from "../format.ts";
import { createTurnParser } from "../parsing/turnParser.ts";
import { BREAK, optionalControl, type Piece, type TokenContext } from "../pieces.ts";
import type { InitialMessage } from "../renderer.ts";

/** Tokens that start and end a text. A tokenizer has at most one of each, and some have no start token. */
const BEGINNINGS = ["<|begin_of_text|>", "<｜begin▁of▁sentence｜>"].map(optionalControl);
const TEXT_ENDS = ["<|endoftext|>", "<|end_of_text|>", "<｜end▁of▁sentence｜>", "</s>", "<eos>"];
/** Adds the tokens with which chat-trained models end a text. */
const ALL_ENDS = [...TEXT_ENDS, "<|im_end|>", "<|eot_id|>"];

const ROLES = { system: "System:", user: "User:", assistant: "Assistant:", tool: "User:" } as const;
const STOP = `\n\n${ROLES.user}`;

/** `Role:` lines. Sampling stops when the model starts the next user line. */
export function base(): ChatFormat {
  return {
    id: "base",
    ends: [],
    optionalEnds: TEXT_ENDS,
    stopTexts: [STOP],
    callsTools: false,
    renderPrompt: (messages) => [
      ...BEGINNINGS,
      ...messages.flatMap((message) => [ROLES[message.role], ...textOf(message)]),
      ROLES.assistant,
    ],
    renderFollowUps: (followUps, end) => [
      ...(end === null ? [] : [STOP]),
      ...followUps.flatMap(({ content }, i) => [
        i === 0 ? BREAK : ROLES.user,
        ...textOf({ role: "user", content }),
      ]),
      ROLES.assistant,
    ],
    renderTurn: (message) => [` ${plainText(message)}\n\n`, BREAK, ROLES.user],
    closeTurn: (_turn, text) => [text.includes(STOP) ? "" : restOfStop(text)],
    createParser: createLineParser,
  };
}

/** The task's text as is, which the model continues until it ends the text. */
export function completion(): ChatFormat {
  return {
    id: "completion",
    ends: [],
    optionalEnds: ALL_ENDS,
    callsTools: false,
    renderPrompt: (messages) => [...BEGINNINGS, messages.map(plainText).join("\n\n")],
    renderFollowUps: (followUps) => followUps.map(({ content }) => `\n\n${content}`),
    closeTurn: () => [],
    createParser: (tokens) => createTextParser(tokens, ALL_ENDS),
  };
}

function textOf(message: InitialMessage): readonly Piece[] {
  return [BREAK, ` ${plainText(message)}\n\n`, BREAK];
}

function plainText(message: InitialMessage): string {
  if (message.role === "assistant" && message.calls.length > 0) {
    throw new AppError(
      "chat-render",
      "The environment's first conversation calls tools, which the chat format of a base model cannot show. " +
        "Choose another environment, or a model that was trained to call tools.",
      { configPath: "environments" },
    );
  }
  return message.content;
}

/** The part of the stop text that a truncated turn is still missing. */
function restOfStop(text: string): string {
  let sampled = STOP.length;
  while (!text.endsWith(STOP.slice(0, sampled))) sampled -= 1;
  return STOP.slice(sampled);
}

function createTextParser(tokens: TokenContext, ends: readonly string[]): TurnParser {
  const nothing = { thinking: null, calls: null, startsThinking: false };
  return createTurnParser({ ...tokens, ...nothing, ends });
}

/** The answer ends where the next user line begins. A model that also wrote that line did not stop in time. */
function createLineParser(tokens: TokenContext): TurnParser {
  const parseText = createTextParser(tokens, TEXT_ENDS);
  return (turn, tools) => {
    const parsed = parseText(turn, tools);
    const [answer = "", ...others] = tokens.tokenizer.decode(turn).split(STOP);
    if (others.length === 0) return parsed;
    const content = answer.trim();
    return { ...parsed, content, lead: content.length, ended: others.length === 1 };
  };
}

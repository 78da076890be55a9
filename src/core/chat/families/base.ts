/**
 * Base models, which know no turns: conversations as lines of a role and a colon, or text that is continued.
 * Source of the lines: `role_colon.py` of tinker-cookbook 0.6.1, which encodes a role apart from its text.
 */

import { AppError } from "../../errors.ts";
import type { ChatFormat, TurnParser } from "../format.ts";
import { createTurnParser } from "../parsing/turnParser.ts";
import { BREAK, optionalControl, type Piece, type TokenContext } from "../pieces.ts";
import type { InitialMessage } from "../renderer.ts";

/** What begins and ends a text; a tokenizer has at most one of each, and some have none to begin with. */
const BEGINNINGS = ["<|begin_of_text|>", "<｜begin▁of▁sentence｜>"].map(optionalControl);
const TEXT_ENDS = ["<|endoftext|>", "<|end_of_text|>", "<｜end▁of▁sentence｜>", "</s>", "<eos>"];
/** With the tokens with which models that were trained on turns end a text, too. */
const ALL_ENDS = [...TEXT_ENDS, "<|im_end|>", "<|eot_id|>"];

const ROLES = { system: "System:", user: "User:", assistant: "Assistant:", tool: "User:" } as const;
const STOP = `\n\n${ROLES.user}`;

/** Lines of a role and a colon: sampling stops where the model begins the next line of the user. */
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

/** The task's text as it stands, which the model continues to the end of the text. */
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

/** What of the stop text is still missing at the end of a cut turn. */
function restOfStop(text: string): string {
  let sampled = STOP.length;
  while (!text.endsWith(STOP.slice(0, sampled))) sampled -= 1;
  return STOP.slice(sampled);
}

function createTextParser(tokens: TokenContext, ends: readonly string[]): TurnParser {
  const nothing = { thinking: null, calls: null, startsThinking: false };
  return createTurnParser({ ...tokens, ...nothing, ends });
}

/** The answer ends where the next line of the user begins; a model that wrote that line too did not stop in time. */
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

/** Parses turns in the Inkling format: each message has an author and a content kind, and is closed by a marker. */

import { isExactObject, parseExactJson, TooDeepError } from "../../util/exactJson.ts";
import type { TurnParser } from "../format.ts";
import { requireId, type TokenContext } from "../pieces.ts";
import type { ToolCallError } from "../renderer.ts";
import { failedCall, isToolName } from "./callFormats.ts";
import { combineParts, type TurnPart } from "./turnParts.ts";

export const INKLING_ROLES = {
  system: "<|message_system|>",
  user: "<|message_user|>",
  model: "<|message_model|>",
  tool: "<|message_tool|>",
} as const;

export const INKLING_KINDS = {
  text: "<|content_text|>",
  thinking: "<|content_thinking|>",
  xml: "<|content_xml|>",
  call: "<|content_invoke_tool_json|>",
  textCall: "<|content_invoke_tool_text|>",
} as const;

const KINDS = ["text", "thinking", "xml", "call", "textCall"] as const;

export const INKLING_ENDS = {
  message: "<|end_message|>",
  sampling: "<|content_model_end_sampling|>",
} as const;

const EXPECTED = 'Write one JSON object with the keys "name" and "args" per call.';

interface Message {
  /** The tokens between role and kind. */
  readonly author: number[];
  kind: keyof typeof INKLING_KINDS | null;
  readonly body: number[];
  isClosed: boolean;
  /** The whole message, markers included. */
  readonly ids: number[];
}

/** The model writes the role of each of its messages itself; a turn ends with the token that ends sampling. */
export function createInklingParser({ tokenizer, controls }: TokenContext): TurnParser {
  const endOfSampling = requireId(controls, INKLING_ENDS.sampling);
  const split = createSplitter({ tokenizer, controls });
  const decode = (ids: readonly number[]): string => tokenizer.decode(ids);
  const readMessage = ({ author, kind, body, isClosed, ids }: Message): TurnPart => {
    const text = decode(body);
    switch (kind) {
      case null:
        return { kind: "text", text: decode(author) };
      case "text":
        return { kind: "text", text };
      case "thinking":
        return { kind: "reasoning", text, tokens: body.length };
      case "call":
        return readCall(text, { header: decode(author).trim(), raw: decode(ids), isClosed });
      case "textCall":
        return failure("not_readable", decode(ids));
      case "xml":
        return { kind: "text", text: INKLING_KINDS.xml + text };
    }
  };

  return (turn) => {
    const endAt = turn.indexOf(endOfSampling);
    const messages = split(endAt < 0 ? turn : turn.slice(0, endAt));
    const last = messages.at(-1);
    const unclosedThink = last?.kind === "thinking" && !last.isClosed;
    const ended = turn.at(-1) === endOfSampling;
    return combineParts(messages.map(readMessage), { unclosedThink, ended });
  };
}

/** A role token always opens a message. After the kind token, all other tokens are text up to the end of the message. */
function createSplitter({
  controls,
}: TokenContext): (turn: readonly number[]) => readonly Message[] {
  const endOfMessage = requireId(controls, INKLING_ENDS.message);
  const roles = new Set(Object.values(INKLING_ROLES).map((text) => requireId(controls, text)));
  const kinds = new Map(KINDS.map((kind) => [requireId(controls, INKLING_KINDS[kind]), kind]));
  const add = (message: Message, id: number): void => {
    message.ids.push(id);
    if (id === endOfMessage) message.isClosed = true;
    else if (message.kind !== null) message.body.push(id);
    else if (kinds.has(id)) message.kind = kinds.get(id) ?? null;
    else if (!roles.has(id)) message.author.push(id);
  };
  return (turn) => {
    const messages: Message[] = [];
    for (const id of turn) {
      const open = messages.at(-1);
      if (open === undefined || open.isClosed || roles.has(id)) {
        const message: Message = { author: [], kind: null, body: [], isClosed: false, ids: [] };
        messages.push(message);
        add(message, id);
      } else add(open, id);
    }
    return messages;
  };
}

/** The name in the object takes precedence over the one in the header. A call without arguments may omit `args`. */
function readCall(
  text: string,
  {
    header,
    raw,
    isClosed,
  }: { readonly header: string; readonly raw: string; readonly isClosed: boolean },
): TurnPart {
  try {
    const value = parseExactJson(text);
    if (!isExactObject(value)) return failure("not_object", raw);
    const { name: written, args = {} } = value;
    const name = isToolName(written) ? written : header;
    if (name === "") return failure("missing_name", raw);
    return isExactObject(args)
      ? { kind: "call", call: { name, args, raw } }
      : failure("bad_arguments", raw);
  } catch (error) {
    if (error instanceof TooDeepError) return failure("too_deep", raw);
    return failure(isClosed ? "not_json" : "unterminated", raw);
  }
}

function failure(kind: ToolCallError["kind"], raw: string): TurnPart {
  return failedCall(kind, raw, EXPECTED);
}

/** Turns in the Harmony format of gpt-oss: messages whose header names a channel and, for a call, the function that it goes to. */

import type { TurnParser } from "../format.ts";
import { requireId, type TokenContext } from "../pieces.ts";
import { readArguments } from "./toolCalls.ts";
import { combineParts, type TurnPart } from "./turnParts.ts";

/** The control tokens of the format. */
export const HARMONY = {
  start: "<|start|>",
  channel: "<|channel|>",
  constrain: "<|constrain|>",
  message: "<|message|>",
  end: "<|end|>",
  return: "<|return|>",
  call: "<|call|>",
} as const;

const EXPECTED =
  "Send one JSON object with the arguments to functions.NAME, in a message of its own in the commentary channel.";

interface Message {
  readonly header: readonly number[];
  /** Null where the header was not finished. */
  readonly body: readonly number[] | null;
  readonly isClosed: boolean;
  /** All of it, with its end token. */
  readonly ids: readonly number[];
}

/** The turn goes on from `<|start|>assistant`, which the prompt ends in; a turn ends with `<|return|>` or `<|call|>`. */
export function createHarmonyParser({ tokenizer, controls }: TokenContext): TurnParser {
  const idOf = (name: keyof typeof HARMONY): number => requireId(controls, HARMONY[name]);
  const marks = { message: idOf("message"), end: idOf("end"), start: idOf("start") };
  const ends = [idOf("return"), idOf("call")];
  const headers = { channel: idOf("channel"), constrain: idOf("constrain") };
  const decode = (ids: readonly number[]): string => tokenizer.decode(ids);

  const readMessage = (message: Message): readonly TurnPart[] => {
    const { header, body, isClosed, ids } = message;
    const { channel, recipient } = readHeader(header, headers, decode);
    const tool = /^functions\.(.+)$/.exec(recipient ?? "")?.[1];
    const call = (name: string): TurnPart =>
      readArguments(body === null ? "" : decode(body), {
        ...{ name, raw: decode(ids), expected: EXPECTED },
        isClosed: isClosed && body !== null,
      });
    if (body === null) {
      const text: TurnPart = { kind: "text", text: withoutRole(decode(header)) };
      return tool === undefined ? [text] : [text, call(tool)];
    }
    if (tool !== undefined) return [call(tool)];
    const text = decode(body);
    if (channel === "analysis") return [{ kind: "reasoning", text, tokens: body.length }];
    return [{ kind: "text", text }];
  };

  return (turn) => {
    const endAt = turn.findIndex((id) => ends.includes(id));
    const ended = endAt >= 0;
    const messages = splitMessages(ended ? turn.slice(0, endAt + 1) : turn, marks, ends);
    const last = messages.at(-1);
    const parts = messages.map(readMessage);
    const unclosedThink = last?.isClosed === false && parts.at(-1)?.[0]?.kind === "reasoning";
    return combineParts(parts.flat(), { unclosedThink, ended: ends.includes(turn.at(-1) ?? -1) });
  };
}

/** A header ends at the first message marker, a body at the first token that ends a message; all other tokens in it are text. */
function splitMessages(
  turn: readonly number[],
  marks: { readonly message: number; readonly end: number; readonly start: number },
  ends: readonly number[],
): readonly Message[] {
  const messages: Message[] = [];
  const closers = [marks.end, ...ends];
  const find = (from: number, wanted: readonly number[]): number => {
    let at = from;
    while (at < turn.length && !wanted.includes(turn[at] ?? -1)) at += 1;
    return at;
  };
  let from = 0;
  while (from < turn.length) {
    const headerFrom = turn[from] === marks.start ? from + 1 : from;
    const headerTo = find(headerFrom, [marks.message, ...closers]);
    const hasBody = turn[headerTo] === marks.message;
    const to = hasBody ? find(headerTo + 1, closers) : headerTo;
    messages.push({
      header: turn.slice(headerFrom, headerTo),
      body: hasBody ? turn.slice(headerTo + 1, to) : null,
      isClosed: to < turn.length,
      ids: turn.slice(from, to + 1),
    });
    from = to + 1;
  }
  return messages;
}

/** The recipient stands behind the role or behind the channel. */
function readHeader(
  header: readonly number[],
  { channel, constrain }: { readonly channel: number; readonly constrain: number },
  decode: (ids: readonly number[]) => string,
): { readonly channel: string | null; readonly recipient: string | null } {
  const typeAt = header.indexOf(constrain);
  const named = typeAt < 0 ? header : header.slice(0, typeAt);
  const channelAt = named.indexOf(channel);
  const role = decode(channelAt < 0 ? named : named.slice(0, channelAt));
  const rest = channelAt < 0 ? "" : decode(named.slice(channelAt + 1));
  const [, recipient] = /(?:^|\s)to=(\S+)/.exec(`${role} ${rest}`) ?? [];
  const [, name] = /^\s*(\S+)/.exec(rest) ?? [];
  return { channel: name ?? null, recipient: recipient ?? null };
}

function withoutRole(header: string): string {
  return header.replace(/^assistant/, "");
}

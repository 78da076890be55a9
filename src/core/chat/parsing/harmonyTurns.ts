/** Parses turns in the Harmony format of gpt-oss: messages whose header names a channel and, for a call, its recipient function. */

import type { TurnParser } from "../format.ts";
import { requireId, type TokenContext } from "../pieces.ts";
import type { ToolDeclaration } from "../renderer.ts";
import { failedCall, readArguments } from "./callFormats.ts";
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
  /** Null if the header is incomplete. */
  readonly body: readonly number[] | null;
  readonly isClosed: boolean;
  /** The whole message, end token included. */
  readonly ids: readonly number[];
}

/** The turn continues from the prompt's final `<|start|>assistant` and ends with `<|return|>` or `<|call|>`. */
export function createHarmonyParser({ tokenizer, controls }: TokenContext): TurnParser {
  const idOf = (name: keyof typeof HARMONY): number => requireId(controls, HARMONY[name]);
  const marks = { message: idOf("message"), end: idOf("end"), start: idOf("start") };
  const callEnd = idOf("call");
  const ends = [idOf("return"), callEnd];
  const headers = { channel: idOf("channel"), constrain: idOf("constrain") };
  const decode = (ids: readonly number[]): string => tokenizer.decode(ids);

  /** Null if the message is not a call: without a recipient or a type it is text, whatever token ends it. */
  const readCall = (
    { header, body, isClosed, ids }: Message,
    recipient: string | null,
    tools: readonly ToolDeclaration[],
  ): TurnPart | null => {
    const isMeant = recipient !== null || header.includes(headers.constrain);
    const name = recipient === null ? null : toolOf(recipient, tools);
    const raw = decode(ids);
    if (name !== null) {
      const isWhole = isClosed && body !== null;
      const options = { name, raw, expected: EXPECTED, isClosed: isWhole };
      return readArguments(body === null ? "" : decode(body), options);
    }
    if (!isMeant || ids.at(-1) !== callEnd || tools.length === 0) return null;
    return failedCall("missing_name", raw, EXPECTED);
  };

  const readMessage = (
    message: Message,
    tools: readonly ToolDeclaration[],
  ): readonly TurnPart[] => {
    const { header, body } = message;
    const { channel, recipient } = readHeader(header, headers, decode);
    const call = readCall(message, recipient, tools);
    const calls = call === null ? [] : [call];
    if (body === null) return [{ kind: "text", text: withoutRole(decode(header)) }, ...calls];
    if (call !== null) return calls;
    const text = decode(body);
    if (channel === "analysis") return [{ kind: "reasoning", text, tokens: body.length }];
    return [{ kind: "text", text }];
  };

  return (turn, tools) => {
    const endAt = turn.findIndex((id) => ends.includes(id));
    const ended = endAt >= 0;
    const messages = splitMessages(ended ? turn.slice(0, endAt + 1) : turn, marks, ends);
    const last = messages.at(-1);
    const parts = messages.map((message) => readMessage(message, tools));
    const unclosedThink = last?.isClosed === false && parts.at(-1)?.[0]?.kind === "reasoning";
    return combineParts(parts.flat(), { unclosedThink, ended: ends.includes(turn.at(-1) ?? -1) });
  };
}

/** A header ends at the first message marker, and a body at the first token that ends a message. All other tokens in a body are text. */
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

/** The recipient may follow the role, the channel or the type; includes the rest of that part of the header. */
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
  const type = typeAt < 0 ? "" : decode(header.slice(typeAt + 1));
  const recipients = [role, rest, type].flatMap((part) => {
    const at = part.search(/(?:^|\s)to=\S/);
    return at < 0 ? [] : [part.slice(part.indexOf("=", at) + 1).trimEnd()];
  });
  const [, name] = /^\s*(\S+)/.exec(rest) ?? [];
  return { channel: name ?? null, recipient: recipients[0] ?? null };
}

const NAMESPACE = "functions.";

/**
 * Resolves a recipient to a tool: a declared one matches by its whole name, which may contain blanks, with or without
 * the namespace. Otherwise the first word after the namespace. Null for any other recipient.
 */
function toolOf(recipient: string, tools: readonly ToolDeclaration[]): string | null {
  const inNamespace = recipient.startsWith(NAMESPACE) ? recipient.slice(NAMESPACE.length) : "";
  const declared = [inNamespace, recipient].flatMap((text) =>
    tools
      .map(({ function: { name } }) => name)
      .filter((name) => name !== "" && (text === name || text.startsWith(`${name} `)))
      .sort((a, b) => b.length - a.length),
  );
  const [word = ""] = /^\S*/.exec(inNamespace) ?? [];
  return declared[0] ?? (word === "" ? null : word);
}

function withoutRole(header: string): string {
  return header.replace(/^assistant/, "");
}

/** Control tokens in text that the configuration wrote are meant; those in text from outside are not. */

import { encodePieces, type Piece, type TokenContext } from "./pieces.ts";
import type { InitialMessage, PlainMessage } from "./renderer.ts";

/** Private-use characters stand for control tokens while a conversation is laid out. */
const FIRST = 0xe000;
const LAST = 0xf8ff;

/**
 * Ids of what `render` makes of the messages. Added tokens in the messages' trusted ranges become control ids.
 * @throws AppError `chat-token-missing`, and what `render` throws
 */
export function encodeConfigTokens(
  messages: readonly InitialMessage[],
  tokens: TokenContext,
  render: (messages: readonly InitialMessage[]) => readonly Piece[],
): readonly number[] {
  const names = new Map<string, string>();
  const characters = unusedCharacters(JSON.stringify(messages));
  const mark = (text: string): string =>
    tokens.controls
      .split(text)
      .map((piece) => {
        if (piece.kind === "text") return piece.text;
        const name = tokens.tokenizer.decode([piece.id]);
        const character = characters.next().value;
        if (character === undefined) return name;
        names.set(character, name);
        return character;
      })
      .join("");
  const marked = messages.map((message) => markMessage(message, mark));
  const pieces = render(marked);
  if (names.size === 0) return encodePieces(pieces, tokens);
  return encodePieces(
    pieces.flatMap((piece) => (typeof piece === "string" ? splitAt(piece, names) : [piece])),
    tokens,
  );
}

function markMessage(message: InitialMessage, mark: (text: string) => string): InitialMessage {
  if (!("trusted" in message) || message.trusted === undefined) return message;
  const { role, content, trusted }: PlainMessage = message;
  let marked = "";
  let done = 0;
  for (const [start, end] of trusted) {
    marked += content.slice(done, start) + mark(content.slice(start, end));
    done = end;
  }
  return { role, content: marked + content.slice(done) };
}

function* unusedCharacters(text: string): Generator<string, undefined> {
  for (let code = FIRST; code <= LAST; code += 1) {
    const character = String.fromCharCode(code);
    if (!text.includes(character)) yield character;
  }
}

function splitAt(text: string, names: ReadonlyMap<string, string>): readonly Piece[] {
  const pieces: Piece[] = [];
  let run = "";
  for (const character of text) {
    const name = names.get(character);
    if (name === undefined) run += character;
    else {
      pieces.push(run, { control: name });
      run = "";
    }
  }
  return [...pieces, run];
}

/**
 * Converts a conversation to ids. Before a format renders it, control tokens from the configuration and images are
 * replaced by characters that occur nowhere in the conversation, and swapped back afterwards.
 */

import { AppError } from "../errors.ts";
import { unusedCharacters } from "../util/unusedMark.ts";
import type { Content, PlacedImage } from "./content.ts";
import type { ImageLayout } from "./format.ts";
import { encodePieces, type Piece, type TokenContext } from "./pieces.ts";
import type { PlainMessage } from "./renderer.ts";

/** Text that may contain trusted ranges and images. */
type MixedContent = Content & Pick<PlainMessage, "trusted">;

export interface LayOutOptions<Message> {
  readonly tokens: TokenContext;
  /** How the format represents images; absent = it does not support them. */
  readonly imageLayout: ImageLayout | undefined;
  readonly messages: readonly Message[];
  /** Everything else that `render` prints; searched for characters in use. */
  readonly others: unknown;
  readonly render: (messages: readonly Message[]) => readonly Piece[];
}

/**
 * Ids of what `render` returns for the messages. In message text, only added tokens in trusted ranges become control
 * ids.
 * @throws AppError `chat-token-missing`, `chat-render` for images in a format that does not support them, and whatever
 * `render` throws
 */
export function layOut<Message extends MixedContent>({
  tokens,
  imageLayout,
  messages,
  others,
  render,
}: LayOutOptions<Message>): readonly number[] {
  const marks = new Marks(JSON.stringify([messages, others]));
  const pieces = render(
    messages.map((message) => {
      if (message.trusted === undefined && message.images === undefined) return message;
      return { ...message, content: markContent(message, { marks, tokens, imageLayout }) };
    }),
  );
  return encodePieces(marks.resolve(pieces), tokens);
}

interface MarkOptions extends Pick<LayOutOptions<MixedContent>, "tokens" | "imageLayout"> {
  readonly marks: Marks;
}

/** Trusted ranges and images never overlap: the former come from the configuration, the latter from the environment. */
function markContent({ content, trusted = [], images = [] }: MixedContent, options: MarkOptions) {
  const spans = [
    ...trusted.map(([start, end]) => {
      return { start, end, text: markControls(content.slice(start, end), options) };
    }),
    ...images.map((image) => ({ start: image.at, end: image.at, text: markImage(image, options) })),
  ].sort((a, b) => a.start - b.start);
  let marked = "";
  let done = 0;
  for (const { start, end, text } of spans) {
    marked += content.slice(done, start) + text;
    done = end;
  }
  return marked + content.slice(done);
}

function markControls(text: string, { marks, tokens }: MarkOptions): string {
  return tokens.controls
    .split(text)
    .map((piece) => {
      if (piece.kind === "text") return piece.text;
      const name = tokens.tokenizer.decode([piece.id]);
      return marks.markFor([{ control: name }]) ?? name;
    })
    .join("");
}

function markImage({ id, tokens: count }: PlacedImage, { marks, imageLayout }: MarkOptions) {
  if (imageLayout === undefined) {
    throw new AppError("chat-render", "The chat format of this model has no place for images.");
  }
  const mark = marks.markFor(imageLayout.wrap({ image: id, count }));
  if (mark === null) throw new AppError("chat-render", "A prompt has too many images.");
  return mark;
}

/** Placeholder characters for pieces; none of them occurs in the text they are used in. */
class Marks {
  readonly #unused: Generator<string, undefined>;
  readonly #meanings = new Map<string, readonly Piece[]>();

  constructor(text: string) {
    this.#unused = unusedCharacters([text]);
  }

  /** Null if no unused character is left. */
  markFor(pieces: readonly Piece[]): string | null {
    const character = this.#unused.next().value;
    if (character === undefined) return null;
    this.#meanings.set(character, pieces);
    return character;
  }

  resolve(pieces: readonly Piece[]): readonly Piece[] {
    if (this.#meanings.size === 0) return pieces;
    return pieces.flatMap((piece) => (typeof piece === "string" ? this.#split(piece) : [piece]));
  }

  #split(text: string): readonly Piece[] {
    const pieces: Piece[] = [];
    let run = "";
    for (const character of text) {
      const meaning = this.#meanings.get(character);
      if (meaning === undefined) run += character;
      else {
        pieces.push(run, ...meaning);
        run = "";
      }
    }
    return [...pieces, run];
  }
}

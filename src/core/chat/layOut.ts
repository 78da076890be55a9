/**
 * Lays a conversation out as ids. While a format writes it, characters that occur nowhere in it stand for what is no ordinary text:
 * control tokens that the configuration wrote, and images.
 */

import { AppError } from "../errors.ts";
import { unusedCharacters } from "../util/unusedMark.ts";
import type { Content, PlacedImage } from "./content.ts";
import type { ImageLayout } from "./format.ts";
import { encodePieces, type Piece, type TokenContext } from "./pieces.ts";
import type { PlainMessage } from "./renderer.ts";

/** A text with what is in it beside ordinary text. */
type MixedContent = Content & Pick<PlainMessage, "trusted">;

export interface LayOutOptions<Message> {
  readonly tokens: TokenContext;
  /** How images are in the format; absent = it knows none. */
  readonly imageLayout: ImageLayout | undefined;
  readonly messages: readonly Message[];
  /** All that `render` writes beside the messages. */
  readonly others: unknown;
  readonly render: (messages: readonly Message[]) => readonly Piece[];
}

/**
 * Ids of what `render` makes of the messages. Added tokens in trusted ranges become control ids; nothing else of a text does.
 * @throws AppError `chat-token-missing`, `chat-render` for images in a format that knows none, and what `render` throws
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

/** Trusted ranges and images do not overlap: the ones are of the configuration, the others of the environment. */
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

/** Characters that stand for pieces; none of them occurs in the text that they are used in. */
class Marks {
  readonly #unused: Generator<string, undefined>;
  readonly #meanings = new Map<string, readonly Piece[]>();

  constructor(text: string) {
    this.#unused = unusedCharacters([text]);
  }

  /** Null when no character is left. */
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

/** A prompt as a list of pieces: control tokens by name, with text between them that is always encoded as ordinary text. */

import { AppError } from "../errors.ts";
import type { ControlTokens } from "./controlTokens.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** An added token of the tokenizer, identified by its text. */
export interface Control {
  readonly control: string;
  /** True = omitted if the tokenizer has no such token. */
  readonly isOptional?: boolean;
}

/** Encodes the text before it and after it separately. */
export const BREAK = { isBreak: true } as const;

/** An image of the rollout: its negative id, repeated `count` times. */
export interface ImagePiece {
  readonly image: number;
  readonly count: number;
}

/** A string never yields an added token, whatever it contains. */
export type Piece = string | Control | ImagePiece | typeof BREAK;

export interface TokenContext {
  readonly tokenizer: Tokenizer;
  readonly controls: ControlTokens;
}

export function control(text: string): Control {
  return { control: text };
}

/** The texts of an opening and a closing token. */
export function markersOf({ open, close }: Readonly<Record<"open" | "close", Control>>) {
  return { open: open.control, close: close.control };
}

export function optionalControl(text: string): Control {
  return { control: text, isOptional: true };
}

/** Whether the piece is a control token. */
export function isControl(piece: Piece): piece is Control {
  return typeof piece === "object" && "control" in piece;
}

/**
 * Converts pieces to ids. All text between two control tokens is encoded at once, as in the models' training data, unless a
 * {@link BREAK} splits it.
 * @throws AppError `chat-token-missing`
 */
export function encodePieces(
  pieces: readonly Piece[],
  { tokenizer, controls }: TokenContext,
): readonly number[] {
  const ids: number[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") for (const id of tokenizer.encodeText(text)) ids.push(id);
    text = "";
  };
  for (const piece of pieces) {
    if (typeof piece === "string") {
      text += piece;
      continue;
    }
    flush();
    ids.push(...idsOf(piece, controls));
  }
  flush();
  return ids;
}

function idsOf(piece: Exclude<Piece, string>, controls: ControlTokens): readonly number[] {
  if ("image" in piece) return Array<number>(piece.count).fill(piece.image);
  if (!isControl(piece) || (piece.isOptional && controls.idOf(piece.control) === null)) return [];
  return [requireId(controls, piece.control)];
}

/** Advice for errors where the tokenizer does not match the chat format. */
export const OTHER_TOKENIZER =
  "Set `tokenizer_name` to the tokenizer of the model that is trained, or another `chat_format`.";

/** @throws AppError `chat-token-missing` */
export function requireId(controls: ControlTokens, text: string): number {
  const id = controls.idOf(text);
  if (id !== null) return id;
  throw new AppError(
    "chat-token-missing",
    `The tokenizer has no single token ${text}, which the chat format of the model needs. ${OTHER_TOKENIZER}`,
    { configPath: "tokenizer_name", data: { token: text } },
  );
}

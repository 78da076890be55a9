/** Finds a tokenizer's added tokens in text and turns rendered prompts into ids. */

import { escapePattern } from "../util/escapePattern.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** A piece of rendered text: an added token, or ordinary text between two of them. */
type RenderedPiece =
  | { readonly kind: "control"; readonly id: number }
  | { readonly kind: "text"; readonly text: string };

export interface ControlTokens {
  /** The texts of all added tokens, longest first. */
  readonly texts: readonly string[];
  /** The id of the added token with this text; null when the tokenizer has none. */
  idOf(text: string): number | null;
  /** Splits text at added tokens: leftmost match first, longest match at a given position. */
  split(text: string): readonly RenderedPiece[];
  /**
   * Encodes text, turning every added token in it into its control id. `restore` maps each run of ordinary text just
   * before it is encoded, so text it puts back cannot become an added token.
   */
  encode(text: string, restore?: (run: string) => string): readonly number[];
}

export function createControlTokens(tokenizer: Tokenizer): ControlTokens {
  const ids = new Map(tokenizer.addedTokens.map((token) => [token.text, token.id]));
  const texts = [...ids.keys()].filter((text) => text !== "").sort((a, b) => b.length - a.length);
  const pattern = texts.length === 0 ? null : new RegExp(`(${texts.map(escapePattern).join("|")})`);

  const split = (text: string): readonly RenderedPiece[] =>
    (pattern === null ? [text] : text.split(pattern))
      .filter((part) => part !== "")
      .map((part) => {
        const id = ids.get(part);
        return id === undefined ? { kind: "text", text: part } : { kind: "control", id };
      });

  return {
    texts,
    idOf: (text) => ids.get(text) ?? null,
    split,
    encode: (text, restore = (run) => run) =>
      split(text).flatMap((piece) =>
        piece.kind === "control" ? [piece.id] : tokenizer.encodeText(restore(piece.text)),
      ),
  };
}

/** Splits untrusted text into displayable text and active characters: controls, bidi marks, ANSI escapes. */

export interface VisiblePiece {
  readonly text: string;
  /** True for a symbol that replaces a character. */
  readonly isSymbol: boolean;
}

/** Controls, lone surrogates, line separators and invisible format characters; joiners stay, because scripts and emoji need them. */
const ACTING = /(?!\t|\n|\u200c|\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Pieces in order, with each active character replaced by its symbol; newlines and tabs stay in the text, `\r ` becomes ` `. */
export function visiblePieces(
  text: string,
  symbolOf: (code: number) => string,
): readonly VisiblePiece[] {
  const source = text.replaceAll("\r\n", "\n");
  const pieces: VisiblePiece[] = [];
  let start = 0;
  for (const match of source.matchAll(ACTING)) {
    if (match.index > start)
      pieces.push({ text: source.slice(start, match.index), isSymbol: false });
    pieces.push({ text: symbolOf(match[0].codePointAt(0) ?? 0), isSymbol: true });
    start = match.index + match[0].length;
  }
  if (start < source.length) pieces.push({ text: source.slice(start), isSymbol: false });
  return pieces;
}

/** Splits text of unknown origin into what can be shown and what would act: controls, bidi marks, ANSI escapes. */

export interface VisiblePiece {
  readonly text: string;
  /** True for a sign that stands instead of a character. */
  readonly isSign: boolean;
}

/** Controls, lone surrogates, separators of lines and invisible formats; joiners stay, scripts and emoji need them. */
const ACTING = /(?!\t|\n|\u200c|\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** By code, from 0. The signs of Unicode for them are missing from many fonts. */
const CONTROL_NAMES: readonly string[] = [
  ...["NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR"],
  ...["SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB"],
  ...["ESC", "FS", "GS", "RS", "US"],
];

/** Pieces in order; line feeds and tabs stay in the text, `\r\n` becomes one line feed. */
export function visiblePieces(text: string): readonly VisiblePiece[] {
  const source = text.replaceAll("\r\n", "\n");
  const pieces: VisiblePiece[] = [];
  let start = 0;
  for (const match of source.matchAll(ACTING)) {
    if (match.index > start) pieces.push({ text: source.slice(start, match.index), isSign: false });
    pieces.push({ text: signOf(match[0]), isSign: true });
    start = match.index + match[0].length;
  }
  if (start < source.length) pieces.push({ text: source.slice(start), isSign: false });
  return pieces;
}

/** The pieces as one text. */
export function visibleText(text: string): string {
  return visiblePieces(text)
    .map((piece) => (piece.isSign ? `‹${piece.text}›` : piece.text))
    .join("");
}

/** For names, labels and titles: one line, with signs. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

/** For single tokens: white space is visible too. */
export function visibleToken(text: string): string {
  return visibleLine(text).replaceAll(" ", "·");
}

/** The first `lines` lines and at most `characters` characters; null when the whole text is no longer. */
export function foldText(text: string, lines: number, characters: number): string | null {
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    const next = text.indexOf("\n", end + 1);
    if (next < 0) return text.length > characters ? text.slice(0, characters) : null;
    end = next;
  }
  return text.slice(0, Math.min(end, characters));
}

function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const name = CONTROL_NAMES[code];
  if (name !== undefined) return name;
  return code === 0x7f ? "DEL" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** How text of unknown origin is shown: what would act stands as a sign. */

import { visiblePieces as piecesOf, type VisiblePiece } from "../../src/shared/visiblePieces.ts";

/** By code, from 0. The signs of Unicode for them are missing from many fonts. */
const CONTROL_NAMES: readonly string[] = [
  ...["NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR"],
  ...["SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB"],
  ...["ESC", "FS", "GS", "RS", "US"],
];

/** Pieces in order; line feeds and tabs stay in the text. */
export function visiblePieces(text: string): readonly VisiblePiece[] {
  return piecesOf(text, symbolOf);
}

/** The pieces as one text. */
export function visibleText(text: string): string {
  return visiblePieces(text)
    .map((piece) => (piece.isSymbol ? `‹${piece.text}›` : piece.text))
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

function symbolOf(code: number): string {
  const name = CONTROL_NAMES[code];
  if (name !== undefined) return name;
  return code === 0x7f ? "DEL" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

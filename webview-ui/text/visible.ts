/** Makes untrusted text safe to show: control characters and other active ones become visible labels. */

import { visiblePieces as piecesOf, type VisiblePiece } from "../../src/shared/visiblePieces.ts";

/** Indexed by character code. Many fonts lack Unicode's own symbols for control characters. */
const CONTROL_NAMES: readonly string[] = [
  ...["NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR"],
  ...["SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB"],
  ...["ESC", "FS", "GS", "RS", "US"],
];

/** Pieces in order; line feeds and tabs stay in the text. */
export function visiblePieces(text: string): readonly VisiblePiece[] {
  return piecesOf(text, symbolOf);
}

/** The text with labels such as `‹ESC›`. */
export function visibleText(text: string): string {
  return visiblePieces(text)
    .map((piece) => (piece.isSymbol ? `‹${piece.text}›` : piece.text))
    .join("");
}

/** For names, labels, and titles: a single line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

/** For single tokens: spaces are visible too. */
export function visibleToken(text: string): string {
  return visibleLine(text).replaceAll(" ", "·");
}

/** The first `lines` lines, at most `characters` characters; null if the text is not longer than that. */
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

/** Makes untrusted text harmless by turning characters that could control a terminal into visible ones. */

import { visiblePieces } from "../../shared/visiblePieces.ts";

const TAB = "    ";

/** Keeps line feeds and expands tabs; all other control characters become visible. Idempotent. */
export function visibleText(text: string): string {
  const pieces = visiblePieces(text, symbolOf).map((piece) => piece.text);
  return pieces.join("").replaceAll("\t", TAB);
}

/** Like {@link visibleText}, on one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "⏎");
}

/** For single tokens: whitespace is visible too. */
export function visibleToken(text: string): string {
  const shown = text.replaceAll(" ", "·").replaceAll("\t", "⇥").replaceAll("\r", "␍");
  return visibleLine(shown);
}

function symbolOf(code: number): string {
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "␡" : `\\u{${code.toString(16)}}`;
}

/** Sanitizes a program's output for a terminal: text, newlines, and only the styles that the program itself uses. */

import { visibleText } from "../../core/util/visibleText.ts";

const ESCAPE = "\u001b";
/** Text styles and colors; none that hide text, and no sequences that move the cursor, set titles, copy or query. */
const STYLES = new RegExp(`(${ESCAPE}\\[(?:0|1|2|22|3[1-6]|39|90)?m)`);
/** What the next chunk may complete: a partial style sequence or line ending. */
const UNFINISHED = new RegExp(`(?:${ESCAPE}(?:\\[\\d{0,2})?|\\r)$`);

/** Processes output in chunks; a style sequence may span two chunks. */
export class TerminalText {
  #rest = "";

  /** The chunk in a form that is safe for a terminal; control characters are made visible. */
  next(piece: string): string {
    const text = this.#rest + piece;
    this.#rest = UNFINISHED.exec(text)?.[0] ?? "";
    return text
      .slice(0, text.length - this.#rest.length)
      .split(STYLES)
      .map((part, index) => (index % 2 === 1 ? part : visibleText(part)))
      .join("")
      .replaceAll("\n", "\r\n");
  }
}

/** What a terminal is sent of a program's output: text, line ends, and the styles that the program itself prints. */

import { visibleText } from "../../core/util/visibleText.ts";

const ESCAPE = "\u001b";
/** Styles and colors of the text; none that hides it, and nothing that moves, names, copies or asks. */
const STYLES = new RegExp(`(${ESCAPE}\\[(?:0|1|2|22|3[1-6]|39|90)?m)`);
/** What the next chunk may complete: the beginning of a style, half of a line end. */
const UNFINISHED = new RegExp(`(?:${ESCAPE}(?:\\[\\d{0,2})?|\\r)$`);

/** Takes output chunk by chunk, in which a style may begin in one and end in the next. */
export class TerminalText {
  #rest = "";

  /** The chunk as a terminal may have it; what could steer one is made visible. */
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

/** Terminal lines made of styled pieces; only {@link renderLine} turns styles into escape sequences. */

import { visibleLine, visibleText } from "../../core/util/visibleText.ts";

export type Style = "strong" | "quiet" | "good" | "warning" | "bad" | "accent" | "control";

export interface StyledText {
  readonly style: Style;
  readonly text: string;
}

export type LinePiece = string | StyledText;
export type Line = readonly LinePiece[];

export const BLANK: Line = [];

const CODES: Readonly<Record<Style, number>> = {
  strong: 1,
  quiet: 2,
  good: 32,
  warning: 33,
  bad: 31,
  accent: 36,
  control: 7,
};

/** A piece in a style. */
export function styled(style: Style, text: string): StyledText {
  return { style, text };
}

export function heading(text: string): Line {
  return [styled("strong", text)];
}

export function quietLine(text: string): Line {
  return [styled("quiet", text)];
}

/** A shell command that sets a variable. */
export function settingLine(name: string, value: string): Line {
  return [`  export ${name}=${value}`];
}

const LABEL_WIDTH = 14;

/** A fact next to its label; facts of consecutive lines align if labels are short. */
export function labelled(label: string, fact: LinePiece): Line {
  return [styled("quiet", `${label} `.padEnd(LABEL_WIDTH)), fact];
}

/** The text of a piece, with every character that could control a terminal made visible. */
export function shownText(piece: LinePiece): string {
  return visibleLine(typeof piece === "string" ? piece : piece.text);
}

/** Renders a line. Color sequences are the only control characters in the output. */
export function renderLine(line: Line, hasColor: boolean): string {
  return line
    .map((piece) => {
      const text = shownText(piece);
      if (typeof piece === "string" || !hasColor || text === "") return text;
      return `\u001b[${CODES[piece.style]}m${text}\u001b[0m`;
    })
    .join("");
}

/** Text in which every code unit is a code point. */
const PLAIN = /^[ -~]*$/;

/** Number of code points in the shown text. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : [...text].length;
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, piece) => sum + textWidth(shownText(piece)), 0);
}

/** Truncates text to `width` code points, marked with `…`. */
export function clipText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  return width < 1 ? "" : `${[...text].slice(0, width - 1).join("")}…`;
}

/** Truncates text in the middle to `width` code points, at least 1, because names often share a beginning. */
export function clipMiddle(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const characters = [...text];
  const end = Math.floor((width - 1) / 2);
  return `${clipText(text, width - end)}${characters.slice(characters.length - end).join("")}`;
}

/** Truncates a line to `width` code points. */
export function clipLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const clipped: LinePiece[] = [];
  let room = width;
  for (const piece of line) {
    const text = shownText(piece);
    const shown = clipText(text, room);
    clipped.push(typeof piece === "string" ? shown : { ...piece, text: shown });
    room -= textWidth(shown);
    if (room <= 0 || shown !== text) break;
  }
  return clipped;
}

/** Wraps text at newlines and, beyond `width` code points, between words; longer words are split. */
export function wrapText(text: string, width: number): readonly string[] {
  return visibleText(text)
    .split("\n")
    .flatMap((row) => wrapRow(row, Math.max(1, width)));
}

function wrapRow(row: string, width: number): readonly string[] {
  const rows: string[] = [];
  const characters = [...row];
  let start = 0;
  while (characters.length - start > width) {
    const window = characters.slice(start, start + width + 1);
    const space = window.lastIndexOf(" ");
    const isWord = window.slice(0, Math.max(space, 0)).some((character) => character !== " ");
    const end = isWord ? space : width;
    rows.push(window.slice(0, end).join(""));
    start += isWord ? end + 1 : end;
  }
  return [...rows, characters.slice(start).join("")];
}

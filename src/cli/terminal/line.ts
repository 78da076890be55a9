/** A line of terminal text as pieces with a style; {@link renderLine} alone turns styles into escape sequences. */

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

/** How a shell sets a variable. */
export function settingLine(name: string, value: string): Line {
  return [`  export ${name}=${value}`];
}

const LABEL_WIDTH = 14;

/** A fact beside its name; the facts of several lines stand below each other where the names are short. */
export function labelled(label: string, fact: LinePiece): Line {
  return [styled("quiet", `${label} `.padEnd(LABEL_WIDTH)), fact];
}

/** The text of a piece, with every character that could control a terminal made visible. */
export function shownText(piece: LinePiece): string {
  return visibleLine(typeof piece === "string" ? piece : piece.text);
}

/** The line as characters. Color sequences are the only control characters that can come out. */
export function renderLine(line: Line, hasColor: boolean): string {
  return line
    .map((piece) => {
      const text = shownText(piece);
      if (typeof piece === "string" || !hasColor || text === "") return text;
      return `\u001b[${CODES[piece.style]}m${text}\u001b[0m`;
    })
    .join("");
}

/** Text in which each code unit is a code point. */
const PLAIN = /^[ -~]*$/;

/** Code points of the shown text. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : [...text].length;
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, piece) => sum + textWidth(shownText(piece)), 0);
}

/** The text within `width` code points; `…` stands for what was cut. */
export function clipText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  return width < 1 ? "" : `${[...text].slice(0, width - 1).join("")}…`;
}

/** The text within `width` code points, at least 1; both its ends stay, because names may begin alike. */
export function clipMiddle(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const characters = [...text];
  const end = Math.floor((width - 1) / 2);
  return `${clipText(text, width - end)}${characters.slice(characters.length - end).join("")}`;
}

/** The line within `width` code points. */
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

/** Breaks text at its line feeds and, beyond `width` code points, between words; longer words are cut. */
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

/** Finds characters that look like YAML or JSON but are not: non-ASCII spaces, full-width colons, comments in JSON, UTF-16 files. */

import { type Node, visit } from "yaml";
import type { Span } from "./span.ts";

export interface StrayCharacters {
  readonly span: Span;
  readonly message: string;
  /** The replacement; null when the whole file must be saved again. */
  readonly meant: string | null;
}

/** Unicode spaces (category Zs) except the ordinary one. */
const OTHER_SPACES = "[\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]+";
const LEADING = new RegExp(`^[ \\t]*(${OTHER_SPACES})`);
const OTHER_SPACE = new RegExp(`^${OTHER_SPACES}$`);
const AFTER_KEY = new RegExp(
  `^[\\s\\w./"'-]+(?:(?<wide>\\uff1a)|:[ \\t]*(?<space>${OTHER_SPACES}))`,
);
const WIDE_COLON = "\uff1a";
/** UTF-16 read as UTF-8 has a zero byte per letter; a prefix of the file is enough to detect it. */
const PREFIX_LENGTH = 200;

const MESSAGES = {
  utf16: "The file is in UTF-16. Save it in UTF-8.",
  space: "This is not an ordinary space, and YAML does not read it as one. Use ordinary spaces.",
  colon: "This is a full-width colon, and YAML does not read it as one. Write `key: value`.",
  comment:
    "JSON does not allow comments. Remove this one, or keep the configuration in a .yaml file.",
} as const;

/** Stray characters in text order. They hide the structure of the rest of the text. */
export function strayCharacters(
  text: string,
  language: "yaml" | "json",
  root: Node | null,
): readonly StrayCharacters[] {
  if (isUtf16(text)) return [{ span: { start: 0, end: 0 }, message: MESSAGES.utf16, meant: null }];
  if (language === "json") return jsonComments(text);
  const found: StrayCharacters[] = [];
  if (root === null) return found;
  visit(root, {
    Scalar: (key, node) => {
      if (node.type !== "PLAIN" || !node.range) return;
      const [start, end] = node.range;
      // A value may contain such characters, but hardly at its start or end.
      const isValue = key === "value" || typeof key === "number";
      found.push(...(isValue ? atEnds(text, { start, end }) : inLines(text, { start, end })));
    },
  });
  return found;
}

function isUtf16(text: string): boolean {
  const start = text.slice(0, PREFIX_LENGTH);
  return start.split("\0").length - 1 > start.length / 4;
}

function atEnds(text: string, { start, end }: Span): readonly StrayCharacters[] {
  const [before = "", leading] = LEADING.exec(text.slice(start, end)) ?? [];
  const found =
    leading === undefined ? [] : [spaces(start + before.length - leading.length, leading)];
  const last = start + text.slice(start, end).replace(/[ \t\r]+$/, "").length;
  let first = last;
  while (first > start + before.length && OTHER_SPACE.test(text[first - 1] ?? "")) first -= 1;
  return first === last ? found : [...found, spaces(first, text.slice(first, last))];
}

/** For a key, or a text in which the parser recognized no key. */
function inLines(text: string, { start, end }: Span): readonly StrayCharacters[] {
  const found: StrayCharacters[] = [];
  let at = start;
  for (const line of text.slice(start, end).split("\n")) {
    found.push(...atEnds(text, { start: at, end: at + line.length }));
    const groups = AFTER_KEY.exec(line)?.groups;
    const space = groups?.["space"];
    if (groups?.["wide"] !== undefined) {
      found.push(wideColon(text, at + line.indexOf(WIDE_COLON)));
    } else if (space !== undefined) {
      found.push(spaces(at + line.indexOf(space, line.indexOf(":")), space));
    }
    at += line.length + 1;
  }
  return found;
}

/** Includes the spaces after it. */
function wideColon(text: string, start: number): StrayCharacters {
  const [gap = ""] = LEADING.exec(text.slice(start + 1, start + 1 + PREFIX_LENGTH)) ?? [];
  const span = { start, end: start + 1 + gap.length };
  const isSpaced = gap === "" && /^\s/.test(text.slice(start + 1, start + 2) || "\n");
  return { span, message: MESSAGES.colon, meant: isSpaced ? ":" : ": " };
}

function spaces(start: number, written = ""): StrayCharacters {
  const span = { start, end: start + written.length };
  return { span, message: MESSAGES.space, meant: " ".repeat(written.length) };
}

function jsonComments(text: string): readonly StrayCharacters[] {
  const found: StrayCharacters[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') at = textEnd(text, at);
    const end = text[at] === "/" ? commentEnd(text, at) : null;
    if (end === null) continue;
    found.push({ span: { start: at, end }, message: MESSAGES.comment, meant: "" });
    at = end - 1;
  }
  return found;
}

/** Offset of the closing quote of the string that starts at `start`, or of the end of the line. */
function textEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"' && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
  return at;
}

function commentEnd(text: string, start: number): number | null {
  if (text[start + 1] === "/") {
    const end = text.indexOf("\n", start);
    return end < 0 ? text.length : end;
  }
  if (text[start + 1] !== "*") return null;
  const end = text.indexOf("*/", start + 2);
  return end < 0 ? text.length : end + 2;
}

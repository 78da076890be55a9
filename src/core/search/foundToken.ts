/** Finds the first token of a search match, among the tokens of its turn. */

import { foldText, LAYOUT, NOTATION } from "../../shared/foldedText.ts";
import type { SearchSnippet } from "../../shared/search.ts";
import { indexOfText } from "../util/indexOfText.ts";
import { endOfString, parseJson } from "../util/jsonl.ts";
import type { RolloutText } from "./rolloutTexts.ts";

export interface TurnTexts {
  /** Tokens of the turn, including results of its calls. */
  readonly tokens: readonly string[];
  /** All stored texts of the turn, in order. */
  readonly texts: readonly RolloutText[];
}

/**
 * Position of the token in `tokens`; null if the match is not found there. Stored texts have no control tokens, and arguments may
 * be written differently from the model's text. Texts are therefore searched one after another.
 */
export function foundToken({ tokens, texts }: TurnTexts, snippet: SearchSnippet): number | null {
  const target = foundText(texts, snippet);
  if (target === null) return null;
  const before = texts.slice(0, texts.indexOf(target.own)).map(({ text }) => text);
  const ways = [LAYOUT, NOTATION].map((dropped) => {
    const drawn = foldText(tokens, dropped);
    const fold = (text: string): string => foldText([text], dropped).text;
    const end = endOf(drawn.text, before, fold);
    return { drawn, fold, end };
  });
  const { own, start, lead } = target;
  const { match } = snippet;
  // The whole text is the most reliable pattern, and the match alone the least reliable.
  const patterns = [
    [own.text.slice(0, start), own.text.slice(start)],
    [lead, match],
    ["", match],
  ] as const;
  for (const [front, found] of patterns) {
    for (const { drawn, fold, end } of ways) {
      const wanted = fold(found);
      const at = wanted === "" ? -1 : indexOfText(drawn.text, fold(front) + wanted, end);
      if (at !== -1) return drawn.at(at + fold(front).length)?.piece ?? null;
    }
  }
  return null;
}

/** Searching for a missing text scans to the end. This limit avoids quadratic time in the length of the turn. */
const MAX_MISSING = 200;

/**
 * End of all texts in `before` that are found, in order. If arguments are written differently, their strings are searched
 * instead. Stops after {@link MAX_MISSING} missing texts.
 */
function endOf(drawn: string, before: readonly string[], fold: (text: string) => string): number {
  let missing = 0;
  const after = (text: string, from: number): number | null => {
    if (missing >= MAX_MISSING) return null;
    const wanted = fold(text);
    const start = indexOfText(drawn, wanted, from);
    if (start === -1) missing += 1;
    return start === -1 ? null : start + wanted.length;
  };
  return before.reduce(
    (end, text) =>
      after(text, end) ??
      stringsIn(text).reduce((inner, string) => after(string, inner) ?? inner, end),
    0,
  );
}

/** The strings in a JSON text. */
function stringsIn(text: string): readonly string[] {
  const strings: string[] = [];
  for (let at = text.indexOf('"'); at >= 0; ) {
    const end = endOfString(text, at) + 1;
    const value = parseJson(text.slice(at, end))?.value;
    if (typeof value === "string") strings.push(value);
    at = text.indexOf('"', end);
  }
  return strings;
}

/** The text from which the snippet was cut, and where the match begins in it. */
function foundText(texts: readonly RolloutText[], { role, before, match, after }: SearchSnippet) {
  const lead = before.replace(/^…/, "");
  for (const tail of [after.replace(/…$/, ""), ""]) {
    for (const own of texts.filter((text) => text.role === role)) {
      const start = indexOfText(`${own.text}${own.next ?? ""}`, lead + match + tail);
      if (start !== -1) return { own, lead, start: start + lead.length };
    }
  }
  return null;
}

/** Finds the token that a found place begins with, among the tokens of its turn. */

import { foldText, LAYOUT, NOTATION } from "../../shared/foldedText.ts";
import type { SearchSnippet } from "../../shared/search.ts";
import { indexOfText } from "../util/indexOfText.ts";
import { endOfString, parseJson } from "../util/jsonl.ts";
import type { RolloutText } from "./rolloutTexts.ts";

export interface TurnTexts {
  /** Tokens of the turn, including results of its calls. */
  readonly tokens: readonly string[];
  /** All stored texts of the turn, in their order. */
  readonly texts: readonly RolloutText[];
}

/**
 * The position of a token in `tokens`; null when the place is not in them. Texts are stored without the marks of the chat format, and
 * arguments in another notation than the model's, so that one text after the other is looked for.
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
  // The whole text is the surest place, and the match by itself the least sure.
  const places = [
    [own.text.slice(0, start), own.text.slice(start)],
    [lead, match],
    ["", match],
  ] as const;
  for (const [front, found] of places) {
    for (const { drawn, fold, end } of ways) {
      const wanted = fold(found);
      const at = wanted === "" ? -1 : indexOfText(drawn.text, fold(front) + wanted, end);
      if (at !== -1) return drawn.at(at + fold(front).length)?.piece ?? null;
    }
  }
  return null;
}

/** Each of them is looked for up to the end, so that more would take time that grows with the square of the turn. */
const MAX_MISSING = 200;

/**
 * Behind all of `before` that are there, in their order; of arguments in another notation behind their strings. The search ends when
 * {@link MAX_MISSING} texts are not there.
 */
function endOf(drawn: string, before: readonly string[], fold: (text: string) => string): number {
  let missing = 0;
  const behind = (text: string, from: number): number | null => {
    if (missing >= MAX_MISSING) return null;
    const wanted = fold(text);
    const start = indexOfText(drawn, wanted, from);
    if (start === -1) missing += 1;
    return start === -1 ? null : start + wanted.length;
  };
  return before.reduce(
    (end, text) =>
      behind(text, end) ??
      stringsIn(text).reduce((inner, string) => behind(string, inner) ?? inner, end),
    0,
  );
}

/** The strings of a text of JSON. */
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

/** The text that the snippet was cut from, and where the match begins in it. */
function foundText(texts: readonly RolloutText[], { role, before, match, after }: SearchSnippet) {
  const lead = before.replace(/^…/, "");
  for (const behind of [after.replace(/…$/, ""), ""]) {
    for (const own of texts.filter((text) => text.role === role)) {
      const start = indexOfText(`${own.text}${own.next ?? ""}`, lead + match + behind);
      if (start !== -1) return { own, lead, start: start + lead.length };
    }
  }
  return null;
}

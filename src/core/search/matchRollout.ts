/** Finds the search terms in one stored rollout. */

import {
  MAX_COUNTED,
  type SearchHit,
  type SearchRole,
  type SearchSnippet,
} from "../../shared/search.ts";
import type { RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";
import { type RolloutText, rolloutTexts } from "./rolloutTexts.ts";
import type { SearchTerm } from "./searchTerms.ts";

const MAX_SNIPPETS = 3;
const CHARACTERS_BEFORE = 60;
const CHARACTERS_AFTER = 120;
const MAX_MATCH = 200;

export type RolloutMatch = Pick<SearchHit, "matches" | "snippets">;

/** Null if a term does not occur in the texts of `roles`. No roles means all. */
export function matchRollout(
  record: RolloutRecord,
  terms: readonly SearchTerm[],
  roles: readonly SearchRole[],
): RolloutMatch | null {
  const texts = rolloutTexts(record).filter(
    ({ role }) => roles.length === 0 || roles.includes(role),
  );
  const missing = new Set(terms);
  const snippets: SearchSnippet[] = [];
  let matches = 0;
  for (const text of texts) {
    const found = terms.flatMap((term) => {
      const occurrences = occurrencesOf(term, text);
      if (occurrences.length > 0) missing.delete(term);
      return occurrences;
    });
    matches = Math.min(MAX_COUNTED, matches + found.length);
    const [first] = found.toSorted((a, b) => a.index - b.index);
    if (first !== undefined && snippets.length < MAX_SNIPPETS)
      snippets.push(snippetAt(text, first));
  }
  return terms.length === 0 || missing.size > 0 ? null : { matches, snippets };
}

function occurrencesOf({ pattern }: SearchTerm, { text }: RolloutText): readonly RegExpExecArray[] {
  const occurrences: RegExpExecArray[] = [];
  for (const occurrence of text.matchAll(pattern)) {
    if (occurrences.length === MAX_COUNTED) break;
    occurrences.push(occurrence);
  }
  return occurrences;
}

function snippetAt(
  { role, turn, text, next = "" }: RolloutText,
  found: RegExpExecArray,
): SearchSnippet {
  const start = found.index;
  const end = start + found[0].length;
  const before = text.slice(Math.max(0, start - CHARACTERS_BEFORE), start);
  const rest = text.slice(end) + next;
  return {
    role,
    turn,
    before: start > CHARACTERS_BEFORE ? `…${before}` : before,
    match: found[0].slice(0, MAX_MATCH),
    after: rest.length > CHARACTERS_AFTER ? `${rest.slice(0, CHARACTERS_AFTER)}…` : rest,
  };
}

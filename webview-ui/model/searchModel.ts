/** The current or finished search. */

import type { SearchHit, SearchReport } from "../../src/shared/search.ts";
import type { Answer, Host } from "./host.ts";
import { type Answered, LastingQuestion } from "./lastingQuestion.ts";

export interface FoundHit extends SearchHit {
  readonly run: { readonly id: string; readonly name: string };
}

export interface SearchResults extends SearchReport, Answered {
  readonly hits: readonly FoundHit[];
}

const NOTHING: SearchResults = {
  hits: [],
  progress: 0,
  isComplete: false,
  isCut: false,
  error: null,
};

export function askSearch(host: Host): LastingQuestion<SearchResults> {
  return new LastingQuestion(host, NOTHING, add);
}

function add(last: SearchResults, answer: Answer): SearchResults {
  if (answer.kind !== "search") return last;
  const { run, progress, isComplete, isCut } = answer;
  const found = answer.hits.map((hit) => ({ ...hit, run }));
  const hits = found.length === 0 ? last.hits : [...last.hits, ...found];
  return { hits, progress, isComplete, isCut, error: null };
}

/** The search that is in progress or has ended. */

import type { SearchHit } from "../../src/shared/search.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import type { Answer } from "../model/host.ts";
import { LastingQuestion } from "../model/lastingQuestion.ts";

export interface FoundHit extends SearchHit {
  readonly run: { readonly id: string; readonly name: string };
}

export interface SearchResults {
  readonly hits: readonly FoundHit[];
  /** From 0 to 1. */
  readonly progress: number;
  readonly isComplete: boolean;
  readonly isCut: boolean;
  readonly error: string | null;
}

const NOTHING: SearchResults = {
  hits: [],
  progress: 0,
  isComplete: false,
  isCut: false,
  error: null,
};

const searches = new WeakMap<DashboardModel, LastingQuestion<SearchResults>>();

export function searchOf(dashboard: DashboardModel): LastingQuestion<SearchResults> {
  const search = searches.get(dashboard) ?? new LastingQuestion(dashboard.host, NOTHING, add);
  searches.set(dashboard, search);
  return search;
}

function add(last: SearchResults, answer: Answer): SearchResults {
  if (answer.kind === "error") return { ...last, error: answer.message, isComplete: true };
  if (answer.kind !== "search") return last;
  const { run, progress, isComplete, isCut } = answer;
  const found = answer.hits.map((hit) => ({ ...hit, run }));
  const hits = found.length === 0 ? last.hits : [...last.hits, ...found];
  return { hits, progress, isComplete, isCut, error: null };
}

/** Asks for what the view state says. With `isAnew` it is asked again. */
export function startSearch(dashboard: DashboardModel, isAnew = false): void {
  const { view, data } = dashboard;
  const { isEveryRun, ...query } = view.value.search;
  const search = searchOf(dashboard);
  if (isAnew) search.ask(null, "");
  const isEmpty = query.text.trim() === "";
  const scope = isEveryRun ? "runs" : "run";
  const subject = isEveryRun ? "" : (data.run.value?.id ?? "");
  search.ask(isEmpty ? null : { ask: "search", query, scope }, subject);
}

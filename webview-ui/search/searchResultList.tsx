/** What a search has found: the rollouts step by step, each with the places where it was found. */

import { formatReward } from "../../src/shared/format.ts";
import { setName } from "../../src/shared/rolloutSet.ts";
import { MAX_COUNTED } from "../../src/shared/search.ts";
import { MiddleCut } from "../controls/middleCut.tsx";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { searchStrings as text } from "../strings/search.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { openFound } from "./openFound.ts";
import type { FoundHit, SearchResults } from "./searchModel.ts";
import { SnippetText } from "./snippetText.tsx";

interface ResultsProps {
  readonly dashboard: DashboardModel;
  /** Null when nothing is looked for. */
  readonly results: SearchResults | null;
}

export function SearchResultList({ dashboard, results }: ResultsProps) {
  if (results === null) return <p class="message">{text.hint}</p>;
  const { hits, isComplete, isCut, error } = results;
  return (
    <>
      <p class="search-state" role="status">
        {stateText(results)}
      </p>
      {error === null ? null : <p class="search-error">{error}</p>}
      {hits.length === 0 && isComplete && error === null ? (
        <p class="message">{text.none}</p>
      ) : (
        <section class="search-results" aria-label={text.results}>
          {bySet(hits).map((group) => (
            <HitGroup key={group.name} dashboard={dashboard} hits={group.hits} />
          ))}
          {isCut ? <p class="note">{text.cut(hits.length)}</p> : null}
        </section>
      )}
    </>
  );
}

function stateText({ hits, progress, isComplete }: SearchResults): string {
  const found = hits.length === 0 && isComplete ? [] : [text.found(hits.length)];
  const state = isComplete ? [] : [text.searching(Math.floor(progress * 100))];
  return [...found, ...state].join(" · ");
}

/** Steps in the order in which they were found, their rollouts in the order of the table. */
function bySet(hits: readonly FoundHit[]) {
  const groups = new Map<string, FoundHit[]>();
  for (const hit of hits) {
    const name = `${hit.run.id} ${setName(hit)}`;
    const group = groups.get(name) ?? [];
    group.push(hit);
    groups.set(name, group);
  }
  return [...groups].map(([name, own]) => ({
    name,
    hits: own.sort((a, b) => a.group - b.group || a.rollout - b.rollout),
  }));
}

interface GroupProps {
  readonly dashboard: DashboardModel;
  readonly hits: readonly FoundHit[];
}

function HitGroup({ dashboard, hits }: GroupProps) {
  const [first] = hits;
  if (first === undefined) return null;
  const { isEveryRun } = dashboard.view.value.search;
  const { stepTitle, evaluationTitle } = strings.trajectories;
  const title =
    first.source === "training" ? stepTitle(first.step + 1) : evaluationTitle(first.step);
  return (
    <section class="hit-group">
      <h2>
        {isEveryRun ? (
          <span class="hit-run">
            <MiddleCut text={visibleLine(first.run.name)} />
          </span>
        ) : null}
        {title}
        <span class="count">{hits.length}</span>
      </h2>
      <ul>
        {hits.map((hit) => (
          <Hit key={`${hit.group}/${hit.rollout}`} dashboard={dashboard} hit={hit} />
        ))}
      </ul>
    </section>
  );
}

function Hit({ dashboard, hit }: { readonly dashboard: DashboardModel; readonly hit: FoundHit }) {
  const { group, rollout, reward, taskKey, matches, snippets } = hit;
  return (
    <li class="hit">
      <p class="hit-head">
        <span>{text.hit(group + 1, rollout + 1)}</span>
        <span class="reward-chip" data-failed={reward === null}>
          {reward === null ? strings.replay.failed : formatReward(reward)}
        </span>
        <span class="fact">{visibleLine(taskKey)}</span>
        <span class="fact">{text.places(matches, matches >= MAX_COUNTED)}</span>
      </p>
      {snippets.map((snippet, at) => (
        <button
          type="button"
          class="snippet"
          key={at}
          onClick={() => openFound(dashboard, hit, snippet)}
        >
          <SnippetText snippet={snippet} />
        </button>
      ))}
    </li>
  );
}

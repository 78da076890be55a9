/** Search results: rollouts by step, each with its hits. */

import * as l10n from "@vscode/l10n";
import { formatCount, formatReward, plural } from "../../src/shared/format.ts";
import { groupBy } from "../../src/shared/groupBy.ts";
import { setName } from "../../src/shared/rolloutSet.ts";
import { MAX_COUNTED } from "../../src/shared/search.ts";
import { MiddleCut } from "../controls/middleCut.tsx";
import { setTitle } from "../controls/setTitle.ts";
import type { DashboardProps } from "../model/dashboardModel.ts";
import type { FoundHit, SearchResults } from "../model/searchModel.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { openFound } from "./openFound.ts";
import { SnippetText } from "./snippetText.tsx";

interface ResultsProps extends DashboardProps {
  /** Null without a search. */
  readonly results: SearchResults | null;
}

export function SearchResultList({ dashboard, results }: ResultsProps) {
  if (results === null)
    return (
      <p class="message">
        {l10n.t(
          "A rollout must contain all words. Case is ignored unless “Aa” is on. Newest steps come first.",
        )}
      </p>
    );
  const { hits, isComplete, isCut, error } = results;
  return (
    <>
      <p class="search-state" role="status">
        {stateText(results)}
      </p>
      {error === null ? null : <p class="search-error error">{error}</p>}
      {hits.length === 0 && isComplete && error === null ? (
        <p class="message">{l10n.t("No rollouts found.")}</p>
      ) : (
        <section class="search-results pane" aria-label={l10n.t("Found rollouts")}>
          {bySet(hits).map((group) => (
            <HitGroup key={group.name} dashboard={dashboard} hits={group.hits} />
          ))}
          {isCut ? (
            <p class="note">
              {l10n.t(
                "These are the first {0} rollouts. Search for more words to find others.",
                formatCount(hits.length),
              )}
            </p>
          ) : null}
        </section>
      )}
    </>
  );
}

function stateText({ hits, progress, isComplete }: SearchResults): string {
  const found =
    hits.length === 0 && isComplete ? [] : [plural(hits.length, "{0} rollout", "{0} rollouts")];
  const state = isComplete ? [] : [l10n.t("{0}% searched", Math.floor(progress * 100))];
  return [...found, ...state].join(" · ");
}

/** Steps in the order of their first hit, rollouts in table order. */
function bySet(hits: readonly FoundHit[]) {
  return [...groupBy(hits, (hit) => `${hit.run.id} ${setName(hit)}`)].map(([name, own]) => ({
    name,
    hits: own.toSorted((a, b) => a.group - b.group || a.rollout - b.rollout),
  }));
}

interface GroupProps extends DashboardProps {
  readonly hits: readonly FoundHit[];
}

function HitGroup({ dashboard, hits }: GroupProps) {
  const [first] = hits;
  if (first === undefined) return null;
  const { isEveryRun } = dashboard.view.value.search;
  return (
    <section class="hit-group">
      <h2>
        {isEveryRun ? (
          <span class="hit-run">
            <MiddleCut text={visibleLine(first.run.name)} />
          </span>
        ) : null}
        {setTitle(first)}
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

function Hit({ dashboard, hit }: DashboardProps & { readonly hit: FoundHit }) {
  const { group, rollout, reward, taskKey, matches, snippets } = hit;
  return (
    <li class="hit">
      <p class="hit-head wrap">
        <span>{l10n.t("group {0}, rollout {1}", group + 1, rollout + 1)}</span>
        <span class="reward-chip" data-failed={reward === null}>
          {reward === null ? strings.replay.failed : formatReward(reward)}
        </span>
        <span class="fact">{visibleLine(taskKey)}</span>
        <span class="fact">
          {plural(
            matches,
            "{1} place",
            "{1} places",
            `${formatCount(matches)}${matches >= MAX_COUNTED ? "+" : ""}`,
          )}
        </span>
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

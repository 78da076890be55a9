/** Searches the texts of a run, or of all runs. */

import * as l10n from "@vscode/l10n";
import { useEffect } from "preact/hooks";
import { MAX_SEARCH_LENGTH, SEARCH_ROLES, type SearchRole } from "../../src/shared/search.ts";
import { Button } from "../controls/button.tsx";
import { useKeys } from "../controls/useKeys.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { toggled } from "../model/toggled.ts";
import type { ViewState } from "../model/viewState.ts";
import { searchStrings as text } from "../strings/search.ts";
import { SearchResultList } from "./searchResultList.tsx";
import { SearchScope } from "./searchScope.tsx";

const TYPING_MS = 200;

export function SearchTab({ dashboard }: DashboardProps) {
  const { search } = dashboard.view.value;
  const generation = dashboard.data.generation.value;
  const set = (change: Partial<ViewState["search"]>): void =>
    dashboard.update({ search: { ...search, ...change } });
  useEffect(() => {
    const timer = setTimeout(() => startSearch(dashboard), TYPING_MS);
    return () => clearTimeout(timer);
  }, [dashboard, search, generation]);
  useEffect(() => document.querySelector<HTMLElement>("#run-search")?.focus(), []);
  useKeys((event) => {
    // Checks the physical key, because Alt changes the letter on a Mac.
    if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== "KeyC") return;
    event.preventDefault();
    set({ isCaseSensitive: !search.isCaseSensitive });
  });
  return (
    <div class="run-search stack">
      <search class="search-head stack">
        <div class="search-row wrap">
          <input
            type="search"
            id="run-search"
            class="search-text"
            placeholder={l10n.t(
              'Words, or a "phrase", in prompts, thinking, answers, calls and results',
            )}
            aria-label={l10n.t("Search in rollouts")}
            maxLength={MAX_SEARCH_LENGTH}
            value={search.text}
            onInput={({ currentTarget: { value } }) => set({ text: value })}
            onKeyDown={({ key }) => {
              if (key === "Enter") startSearch(dashboard, true);
            }}
          />
          <SearchScope dashboard={dashboard} />
          <Button
            class="toggle"
            label={l10n.t("Aa")}
            aria-pressed={search.isCaseSensitive}
            aria-label={l10n.t("Match case")}
            title={l10n.t("Match case (Alt+C)")}
            onClick={() => set({ isCaseSensitive: !search.isCaseSensitive })}
          />
          <Button
            class="toggle mono"
            label={".*"}
            aria-pressed={search.isRegex}
            aria-label={text.regexHint}
            title={text.regexHint}
            onClick={() => set({ isRegex: !search.isRegex })}
          />
        </div>
        <Roles chosen={search.roles} set={(roles) => set({ roles })} />
      </search>
      <SearchResultList dashboard={dashboard} results={dashboard.search.answer.value} />
    </div>
  );
}

/** Starts the search of the view state; `isForced` forces it to run again. */
function startSearch(dashboard: DashboardModel, isForced = false): void {
  const { view, search } = dashboard;
  const { isEveryRun, ...query } = view.value.search;
  const isEmpty = query.text.trim() === "";
  if (isForced || isEmpty) search.clear();
  if (!isEmpty) search.ask({ ask: "search", query, scope: isEveryRun ? "runs" : "run" });
}

interface RolesProps {
  readonly chosen: readonly SearchRole[];
  readonly set: (roles: readonly SearchRole[]) => void;
}

/** With no role checked, all roles are searched. */
function Roles({ chosen, set }: RolesProps) {
  return (
    <fieldset class="search-roles wrap">
      <legend>{l10n.t("Search in")}</legend>
      {SEARCH_ROLES.map((role) => (
        <Button
          class="toggle"
          label={text.roles[role]}
          key={role}
          aria-pressed={chosen.includes(role)}
          onClick={() => set(toggled(chosen, role))}
        />
      ))}
    </fieldset>
  );
}

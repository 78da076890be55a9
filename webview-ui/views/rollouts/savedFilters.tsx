/** Filters of rollouts that were given names: they are kept with the workspace and serve every run. */

import { useState } from "preact/hooks";
import { Icon } from "../../controls/icon.tsx";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { parseFilter } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";
import { isFiltered } from "./rolloutRows.ts";

const text = strings.trajectories;
const MAX_NAME = 80;

export function SavedFilters({ dashboard }: { readonly dashboard: DashboardModel }) {
  const { savedFilters } = dashboard.settings.value;
  const { filter } = dashboard.view.value;
  const [name, setName] = useState("");
  if (savedFilters.length === 0 && !isFiltered(filter)) return null;
  const own = name.trim();
  const others = savedFilters.filter((saved) => saved.name !== own);
  return (
    <div class="filter-row saved-filters">
      {savedFilters.length === 0 ? null : <span class="fact">{text.savedFilters}</span>}
      {savedFilters.map((saved) => (
        <span class="saved-filter" key={saved.name}>
          <button
            type="button"
            class="quiet"
            onClick={() => dashboard.update({ filter: parseFilter(saved.filter) })}
          >
            {visibleLine(saved.name)}
          </button>
          <button
            type="button"
            class="quiet only-icon"
            aria-label={text.removeFilter(visibleLine(saved.name))}
            title={text.removeFilter(visibleLine(saved.name))}
            onClick={() => dashboard.keepFilters(savedFilters.filter((each) => each !== saved))}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      {isFiltered(filter) ? (
        <form
          class="save-filter"
          onSubmit={(event) => {
            event.preventDefault();
            if (own === "") return;
            dashboard.keepFilters([...others, { name: own, filter: JSON.stringify(filter) }]);
            setName("");
          }}
        >
          <input
            type="text"
            aria-label={text.filterName}
            placeholder={text.filterName}
            maxLength={MAX_NAME}
            value={name}
            onInput={({ currentTarget: { value } }) => setName(value)}
          />
          <button type="submit" class="quiet" disabled={own === ""}>
            {text.save}
          </button>
        </form>
      ) : null}
    </div>
  );
}

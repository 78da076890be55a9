/** Filters of the rollout list. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import { formatCount, formatTemperature, plural } from "../../../src/shared/format.ts";
import { MAX_SEARCH_LENGTH } from "../../../src/shared/search.ts";
import { Button, IconButton } from "../../controls/button.tsx";
import { Choice } from "../../controls/choice.tsx";
import { Menu, type MenuItem } from "../../controls/menu.tsx";
import { NumberField } from "../../controls/numberField.tsx";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { toggled } from "../../model/toggled.ts";
import { NO_FILTER, parseFilter, type RolloutFilter } from "../../model/viewState.ts";
import { SearchScope } from "../../search/searchScope.tsx";
import { strings } from "../../strings/strings.ts";
import { stopText } from "../../text/stopText.ts";
import { visibleLine } from "../../text/visible.ts";
import {
  areExamples,
  countOfRollouts,
  isFiltered,
  ROLLOUT_COLUMNS,
  trainingUseText,
} from "./rolloutRows.ts";
import type { TableContext } from "./tableContext.ts";
import type { FoundRollouts } from "./useFoundRollouts.ts";

const text = strings.trajectories;

interface FiltersProps extends DashboardProps {
  readonly rows: readonly RolloutRow[];
  readonly shown: number;
  /** Null if messages are not searched. */
  readonly search: FoundRollouts | null;
  readonly markOf: TableContext["markOf"];
}

export function RolloutFilters({ dashboard, rows, shown, search, markOf }: FiltersProps) {
  const { filter, isGrouped } = dashboard.view.value;
  const [isOpen, setOpen] = useState(isFiltered({ ...filter, text: "" }));
  const set = (change: Partial<RolloutFilter>): void =>
    dashboard.update({ filter: { ...filter, ...change } });
  return (
    <search class="filters stack">
      <div class="filter-row wrap">
        <input
          type="search"
          id="rollout-filter"
          placeholder={text.search}
          aria-label={text.search}
          maxLength={MAX_SEARCH_LENGTH}
          value={filter.text}
          onInput={({ currentTarget: { value } }) => set({ text: value })}
        />
        <SearchScope dashboard={dashboard} />
        <Button
          class="quiet"
          icon="filter"
          label={l10n.t("Filter")}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
        {areExamples(rows) ? null : (
          <Button
            class="toggle"
            label={l10n.t("By task")}
            aria-pressed={isGrouped}
            title={l10n.t("Show the rollouts of a task together, with their mean reward")}
            onClick={() => dashboard.update({ isGrouped: !isGrouped })}
          />
        )}
        <Menu label={l10n.t("Columns")} icon="table" items={columnItems(dashboard)} />
      </div>
      {isOpen ? (
        <>
          <MoreFilters rows={rows} filter={filter} set={set} markOf={markOf} />
          <SavedFilters dashboard={dashboard} />
        </>
      ) : null}
      <FilterResult dashboard={dashboard} rows={rows} shown={shown} search={search} />
    </search>
  );
}

function columnItems(dashboard: DashboardModel): readonly MenuItem[] {
  const { hiddenColumns } = dashboard.view.value;
  return ROLLOUT_COLUMNS.map(({ key }) => {
    return {
      label: text.head[key],
      isChecked: !hiddenColumns.includes(key),
      run: () => dashboard.update({ hiddenColumns: toggled(hiddenColumns, key) }),
    };
  });
}

/** The number of listed rollouts, and actions on them. */
function FilterResult({ dashboard, rows, shown, search }: Omit<FiltersProps, "markOf">) {
  const { filter, rollout } = dashboard.view.value;
  const isSearching = search !== null && !search.isComplete;
  return (
    <div class="filter-row filter-count wrap">
      <span class="fact">
        {areExamples(rows)
          ? countOfExamples(shown, rows.length)
          : countOfRollouts(shown, rows.length)}
      </span>
      {isSearching ? (
        <span class="fact">{l10n.t("{0}% searched", Math.floor(search.progress * 100))}</span>
      ) : null}
      {rollout === null && shown > 0 ? (
        <span class="fact">
          {areExamples(rows)
            ? l10n.t("Choose one to read it: arrow keys or j and k move, Enter opens.")
            : l10n.t("Choose one to replay it: arrow keys or j and k move, Enter opens.")}
        </span>
      ) : null}
      {isFiltered(filter) ? (
        <Button
          class="link"
          label={l10n.t("Clear filters")}
          onClick={() => dashboard.update({ filter: NO_FILTER })}
        />
      ) : null}
    </div>
  );
}

function countOfExamples(shown: number, all: number): string {
  return shown === all
    ? plural(all, "{0} example", "{0} examples")
    : plural(all, "{1} of {0} example", "{1} of {0} examples", formatCount(shown));
}

interface MoreFiltersProps {
  readonly rows: readonly RolloutRow[];
  readonly filter: RolloutFilter;
  readonly set: (change: Partial<RolloutFilter>) => void;
  readonly markOf: TableContext["markOf"];
}

function MoreFilters({ rows, filter, set, markOf }: MoreFiltersProps) {
  return (
    <div class="filter-row more-filters wrap">
      <span class="field">
        <NumberField
          label={l10n.t("Reward from")}
          step="any"
          value={filter.rewardLow}
          set={(rewardLow) => set({ rewardLow })}
        />
        <NumberField
          label={l10n.t("to")}
          step="any"
          value={filter.rewardHigh}
          set={(rewardHigh) => set({ rewardHigh })}
        />
      </span>
      {CHOICES.map((choice) => {
        const values = [...new Set(rows.flatMap((row) => choice.valuesOf(row, markOf)))].sort();
        const value = choice.valueOf(filter);
        const isMark = choice.label === text.mark && values.length > 0;
        const isUseful = choice.isAlwaysShown || isMark || values.length > 1 || value !== "";
        if (!isUseful) return null;
        const all = value === "" || values.includes(value) ? values : [...values, value];
        return (
          <Choice
            key={choice.label}
            label={choice.label}
            value={value}
            values={["", ...all]}
            name={(own) => (own === "" ? l10n.t("all") : choice.name(own))}
            choose={(chosen) => set(choice.change(chosen))}
          />
        );
      })}
    </div>
  );
}

/** A filter by one of the values in the rows. */
interface ChoiceSpec {
  readonly label: string;
  /** If absent, the filter is shown only with several values to choose from. */
  readonly isAlwaysShown?: true;
  readonly valuesOf: (row: RolloutRow, markOf: TableContext["markOf"]) => readonly string[];
  /** Empty for all. */
  readonly valueOf: (filter: RolloutFilter) => string;
  readonly name: (value: string) => string;
  readonly change: (value: string) => Partial<RolloutFilter>;
}

const CHOICES: readonly ChoiceSpec[] = [
  {
    label: l10n.t("Stop reason"),
    isAlwaysShown: true,
    valuesOf: ({ stop }) => [stop],
    valueOf: ({ stop }) => stop,
    name: stopText,
    change: (stop) => ({ stop }),
  },
  {
    label: l10n.t("Used"),
    valuesOf: ({ trainingUse }) => [trainingUse ?? "waiting"],
    valueOf: ({ trainingUse }) => trainingUse,
    name: (trainingUse) => trainingUseText(trainingUse === "waiting" ? null : trainingUse),
    change: (trainingUse) => ({ trainingUse }),
  },
  {
    label: l10n.t("Environment"),
    valuesOf: ({ environment }) => [environment],
    valueOf: ({ environment }) => environment,
    name: visibleLine,
    change: (environment) => ({ environment }),
  },
  {
    label: l10n.t("Split"),
    valuesOf: ({ split }) => [split],
    valueOf: ({ split }) => split,
    name: visibleLine,
    change: (split) => ({ split }),
  },
  {
    label: l10n.t("Sampling"),
    valuesOf: ({ temperature }) => (temperature === null ? [] : [String(temperature)]),
    valueOf: ({ temperature }) => (temperature === null ? "" : String(temperature)),
    name: (temperature) => formatTemperature(Number(temperature)),
    change: (value) => ({ temperature: value === "" ? null : Number(value) }),
  },
  {
    label: l10n.t("Model"),
    valuesOf: ({ model }) => (model === undefined ? [] : [model]),
    valueOf: ({ model }) => model,
    name: visibleLine,
    change: (model) => ({ model }),
  },
  {
    label: text.mark,
    valuesOf: (row, markOf) => {
      const { star, pin, tags, note } = markOf(row);
      return [
        ...(star ? ["star"] : []),
        ...(pin ? ["pin"] : []),
        ...(note === "" ? [] : ["note"]),
        ...tags.map((tag) => `tag:${tag}`),
      ];
    },
    valueOf: ({ mark }) => mark,
    name: (mark) => text.markNames[mark] ?? text.tagged(visibleLine(mark.replace(/^tag:/, ""))),
    change: (mark) => ({ mark }),
  },
];

const MAX_NAME = 80;

function SavedFilters({ dashboard }: DashboardProps) {
  const { savedFilters } = dashboard.settings.value;
  const { filter } = dashboard.view.value;
  const [name, setName] = useState("");
  if (savedFilters.length === 0 && !isFiltered(filter)) return null;
  const own = name.trim();
  const others = savedFilters.filter((saved) => saved.name !== own);
  return (
    <div class="filter-row wrap">
      {savedFilters.length === 0 ? null : <span class="fact">{l10n.t("Saved filters")}</span>}
      {savedFilters.map((saved) => (
        <span class="saved-filter" key={saved.name}>
          <Button
            class="quiet"
            label={visibleLine(saved.name)}
            onClick={() => dashboard.update({ filter: parseFilter(saved.filter) })}
          />
          <IconButton
            icon="close"
            label={l10n.t("Remove {0}", visibleLine(saved.name))}
            onClick={() =>
              dashboard.keep({ savedFilters: savedFilters.filter((each) => each !== saved) })
            }
          />
        </span>
      ))}
      {isFiltered(filter) ? (
        <form
          class="save-filter"
          onSubmit={(event) => {
            event.preventDefault();
            if (own === "") return;
            const named = { name: own, filter: JSON.stringify(filter) };
            dashboard.keep({ savedFilters: [...others, named] });
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
            {l10n.t("Save")}
          </button>
        </form>
      ) : null}
    </div>
  );
}

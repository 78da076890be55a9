/** Which rollouts of the step are listed. */

import { useState } from "preact/hooks";
import type { RolloutRow } from "../../src/shared/dashboardTypes.ts";
import { formatTemperature } from "../../src/shared/format.ts";
import { Icon } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { NO_FILTER, type RolloutFilter } from "../model/viewState.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { isFiltered, ROLLOUT_COLUMNS, stopText, trainingUseText } from "./rolloutRows.ts";
import type { MessageSearch } from "./useMessageSearch.ts";

const text = strings.trajectories;

interface FiltersProps {
  readonly dashboard: DashboardModel;
  readonly rows: readonly RolloutRow[];
  readonly shown: number;
  /** Null when messages are not searched. */
  readonly search: MessageSearch | null;
}

export function RolloutFilters({ dashboard, rows, shown, search }: FiltersProps) {
  const { filter, hiddenColumns, rollout } = dashboard.view.value;
  const isFirst = rollout === null && rows.length > 0;
  const [isOpen, setOpen] = useState(isFiltered({ ...filter, text: "" }));
  const set = (change: Partial<RolloutFilter>): void =>
    dashboard.update({ filter: { ...filter, ...change } });
  const columns = ROLLOUT_COLUMNS.map(({ key }) => ({
    label: text.head[key],
    isChecked: !hiddenColumns.includes(key),
    run: () =>
      dashboard.update({
        hiddenColumns: hiddenColumns.includes(key)
          ? hiddenColumns.filter((other) => other !== key)
          : [...hiddenColumns, key],
      }),
  }));
  return (
    <search class="filters">
      <div class="filter-row">
        <input
          type="search"
          id="rollout-filter"
          placeholder={text.search}
          aria-label={text.search}
          value={filter.text}
          onInput={({ currentTarget: { value } }) => set({ text: value })}
        />
        <button
          type="button"
          class="toggle"
          aria-pressed={filter.isInMessages}
          title={text.inMessagesHint}
          onClick={() => set({ isInMessages: !filter.isInMessages })}
        >
          {text.inMessages}
        </button>
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" />
          <span>{text.filter}</span>
        </button>
        <Menu label={text.columns} icon="table" items={columns} />
      </div>
      {isOpen ? <MoreFilters rows={rows} filter={filter} set={set} /> : null}
      <div class="filter-row filter-count">
        <span class="fact">{text.count(shown, rows.length)}</span>
        {search === null || search.isComplete ? null : (
          <span class="fact">{text.searched(search.checked, rows.length)}</span>
        )}
        {isFirst ? <span class="fact">{text.chooseHint}</span> : null}
        {isFiltered(filter) ? (
          <button
            type="button"
            class="link"
            onClick={() => dashboard.update({ filter: NO_FILTER })}
          >
            {text.clear}
          </button>
        ) : null}
      </div>
    </search>
  );
}

interface MoreFiltersProps {
  readonly rows: readonly RolloutRow[];
  readonly filter: RolloutFilter;
  readonly set: (change: Partial<RolloutFilter>) => void;
}

function MoreFilters({ rows, filter, set }: MoreFiltersProps) {
  const stops = distinct(rows.map(({ stop }) => stop));
  const trainingUses = distinct(rows.map(({ trainingUse }) => trainingUse ?? "waiting"));
  const environments = distinct(rows.map(({ environment }) => environment));
  const splits = distinct(rows.map(({ split }) => split));
  const temperatures = distinct(
    rows.flatMap(({ temperature }) => (temperature === null ? [] : [String(temperature)])),
  );
  return (
    <div class="filter-row more-filters">
      <span class="field">
        <Bound
          label={text.rewardFrom}
          value={filter.rewardLow}
          set={(rewardLow) => set({ rewardLow })}
        />
        <Bound
          label={text.rewardTo}
          value={filter.rewardHigh}
          set={(rewardHigh) => set({ rewardHigh })}
        />
      </span>
      <Choice
        label={text.stop}
        value={filter.stop}
        values={stops}
        name={stopText}
        set={(stop) => set({ stop })}
      />
      {trainingUses.length > 1 || filter.trainingUse !== "" ? (
        <Choice
          label={text.trainingUse}
          value={filter.trainingUse}
          values={trainingUses}
          name={(trainingUse) => trainingUseText(trainingUse === "waiting" ? null : trainingUse)}
          set={(trainingUse) => set({ trainingUse })}
        />
      ) : null}
      {environments.length > 1 || filter.environment !== "" ? (
        <Choice
          label={text.environment}
          value={filter.environment}
          values={environments}
          name={visibleLine}
          set={(environment) => set({ environment })}
        />
      ) : null}
      {splits.length > 1 || filter.split !== "" ? (
        <Choice
          label={text.split}
          value={filter.split}
          values={splits}
          name={visibleLine}
          set={(split) => set({ split })}
        />
      ) : null}
      {temperatures.length > 1 || filter.temperature !== null ? (
        <Choice
          label={text.temperature}
          value={filter.temperature === null ? "" : String(filter.temperature)}
          values={temperatures}
          name={(temperature) => formatTemperature(Number(temperature))}
          set={(value) => set({ temperature: value === "" ? null : Number(value) })}
        />
      ) : null}
    </div>
  );
}

interface BoundProps {
  readonly label: string;
  readonly value: number | null;
  readonly set: (value: number | null) => void;
}

function Bound({ label, value, set }: BoundProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        step="any"
        value={value ?? ""}
        onInput={({ currentTarget }) => {
          const typed = currentTarget.valueAsNumber;
          set(Number.isNaN(typed) ? null : typed);
        }}
      />
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly name: (value: string) => string;
  readonly set: (value: string) => void;
}

function Choice({ label, value, values, name, set }: ChoiceProps) {
  const all = value === "" || values.includes(value) ? values : [...values, value];
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        <option value="">{text.all}</option>
        {all.map((own) => (
          <option key={own} value={own}>
            {name(own)}
          </option>
        ))}
      </select>
    </label>
  );
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

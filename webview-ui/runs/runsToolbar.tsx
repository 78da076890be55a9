/** What decides which runs the table shows, and how many those are. */

import { useId } from "preact/hooks";
import { MAX_COMPARED } from "../../src/shared/runsPage.ts";
import { Button } from "../controls/button.tsx";
import { type CellTable, toCsv } from "../controls/export.ts";
import { Menu, type MenuItem } from "../controls/menu.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { visibleLine } from "../text/visible.ts";
import type { RunGrouping } from "./layout.ts";
import { inOrder, offeredGroupings } from "./runColumns.ts";
import type { RunsModel } from "./runsModel.ts";

interface RunsProps {
  readonly runs: RunsModel;
}

export function RunsToolbar({ runs }: RunsProps) {
  return (
    <search class="runs-bar">
      <Filter runs={runs} />
      <Grouping runs={runs} />
      <Menu label={text.columnsMenu} icon="table" isTextShown={true} items={columnItems(runs)} />
      <Button
        class="quiet"
        icon="export"
        label={text.export}
        onClick={() =>
          runs.send({
            kind: "export",
            file: { name: "runs.csv", content: toCsv(runsTable(runs)), encoding: "utf8" },
          })
        }
      />
      <Counts runs={runs} />
    </search>
  );
}

function Filter({ runs }: RunsProps) {
  const id = useId();
  const filter = runs.filter.value;
  return (
    <div class="runs-filter">
      <input
        type="search"
        id="runs-filter"
        placeholder={text.filter}
        aria-label={text.filterLabel}
        aria-invalid={!filter.ok}
        aria-describedby={id}
        value={runs.layout.value.filter}
        onInput={({ currentTarget: { value } }) => runs.update({ filter: value })}
      />
      <p id={id} class="error" role="status">
        {filter.ok ? "" : filter.message}
      </p>
    </div>
  );
}

function Grouping({ runs }: RunsProps) {
  const { varied, others } = offeredGroupings(runs.rows.value, runs.settingKeys.value);
  const { grouping } = runs.layout.value;
  const choose = (value: string): void =>
    runs.update({ grouping: value === "" ? null : groupingOf(value), closedGroups: [] });
  return (
    <label class="field">
      <span>{text.group}</span>
      <select
        value={grouping === null ? "" : nameOf(grouping)}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        <option value="">{text.noGroups}</option>
        {groupOptions(text.groupVaried, varied)}
        {groupOptions(text.groupOthers, others)}
      </select>
    </label>
  );
}

function groupOptions(label: string, keys: readonly string[]) {
  if (keys.length === 0) return null;
  return (
    <optgroup label={label}>
      {[false, true].flatMap((isOver) =>
        keys.map((key) => (
          <option key={nameOf({ key, isOver })} value={nameOf({ key, isOver })}>
            {isOver ? text.groupOver(visibleLine(key)) : text.groupBy(visibleLine(key))}
          </option>
        )),
      )}
    </optgroup>
  );
}

function nameOf({ key, isOver }: RunGrouping): string {
  return `${isOver ? "over" : "by"} ${key}`;
}

function groupingOf(name: string): RunGrouping {
  return { key: name.replace(/^\w+ /, ""), isOver: name.startsWith("over ") };
}

function columnItems(runs: RunsModel): readonly MenuItem[] {
  const { order, shown } = runs.layout.value;
  const items = inOrder(runs.columns.value, order).map(({ key, head, hint, isShownAtFirst }) => {
    const isChecked = shown[key] ?? isShownAtFirst;
    // Settings have their whole key as the hint.
    const label = hint.endsWith(`.${head}`) || key.startsWith("eval.") ? hint : head;
    return {
      label,
      isChecked,
      run: () => runs.update({ shown: { ...shown, [key]: !isChecked } }),
    };
  });
  const reset = {
    label: text.resetColumns,
    run: () => runs.update({ order: [], shown: {}, widths: {} }),
  };
  return [...items, reset];
}

function Counts({ runs }: RunsProps) {
  const chosen = runs.chosen.value.length;
  const unread = runs.unread.value;
  return (
    <div class="runs-counts">
      <span class="fact">{text.count(runs.matching.value.length, runs.runCount)}</span>
      {unread > 0 ? <span class="fact">{text.unread(unread)}</span> : null}
      {chosen > 0 ? (
        <>
          <span>{text.chosen(chosen)}</span>
          {chosen > MAX_COMPARED ? <span class="fact">{text.tooMany(MAX_COMPARED)}</span> : null}
          <Button class="link" label={text.clearChosen} onClick={() => runs.choose([])} />
        </>
      ) : null}
    </div>
  );
}

/** Rows in their order and columns in theirs; numbers with all their digits, times as ISO 8601. */
function runsTable(runs: RunsModel): CellTable {
  const columns = runs.shown.value;
  const rows = runs.items.value.flatMap((item) => (item.kind === "run" ? [item.row] : []));
  return {
    heads: columns.map(({ key }) => key),
    rows: rows.map((row) =>
      columns.map(({ key, value }) => {
        const own = value(row);
        if (key === "started" && typeof own === "number") return new Date(own).toISOString();
        return typeof own === "boolean" ? String(own) : own;
      }),
    ),
  };
}

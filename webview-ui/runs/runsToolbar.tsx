/** The toolbar: selects which runs and columns the table shows, and displays their count. */

import * as l10n from "@vscode/l10n";
import { formatCount, plural } from "../../src/shared/format.ts";
import { MAX_COMPARED } from "../../src/shared/runsPage.ts";
import { Button } from "../controls/button.tsx";
import { type CellTable, toCsv } from "../controls/export.ts";
import { Menu, type MenuItem } from "../controls/menu.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { visibleLine } from "../text/visible.ts";
import type { RunGrouping } from "./layout.ts";
import { inOrder, offeredGroupings, type RunColumn } from "./runColumns.ts";
import type { RunsModel, RunsProps } from "./runsModel.ts";

export function RunsToolbar({ runs }: RunsProps) {
  return (
    <search class="runs-bar wrap">
      <Filter runs={runs} />
      <Grouping runs={runs} />
      <Menu label={l10n.t("Columns")} icon="table" isTextShown={true} items={columnItems(runs)} />
      <Sweeps runs={runs} />
      <Button
        class="quiet"
        icon="export"
        label={l10n.t("Export CSV")}
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

const FAULT_ID = "runs-filter-fault";

function Filter({ runs }: RunsProps) {
  const filter = runs.filter.value;
  return (
    <div class="runs-filter">
      <input
        type="search"
        id="runs-filter"
        placeholder={l10n.t("Filter: a text, or learning_rate < 1e-4 reward.best > 0.5 name:foo")}
        aria-label={l10n.t("Filter runs")}
        aria-invalid={!filter.ok}
        aria-describedby={FAULT_ID}
        value={runs.layout.value.filter}
        onInput={({ currentTarget: { value } }) => runs.update({ filter: value })}
      />
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
      <span>{l10n.t("Group")}</span>
      <select
        value={grouping === null ? "" : nameOf(grouping)}
        onChange={({ currentTarget: { value } }) => choose(value)}
      >
        <option value="">{l10n.t("no groups")}</option>
        {groupOptions(l10n.t("Varied by a sweep"), varied)}
        {groupOptions(l10n.t("Other settings"), others)}
      </select>
    </label>
  );
}

/** Opens the view of a sweep. */
function Sweeps({ runs }: RunsProps) {
  const sweeps = runs.sweeps.value;
  const [only] = sweeps;
  if (only === undefined) return null;
  const open = (id: string): void => runs.update({ sweep: id });
  if (sweeps.length === 1) {
    return (
      <Button
        class="quiet"
        icon="graphLine"
        label={l10n.t("Show sweep")}
        title={text.sweepHint}
        onClick={() => open(only.id)}
      />
    );
  }
  const items = sweeps.map(({ id, name }) => ({ label: visibleLine(name), run: () => open(id) }));
  return <Menu label={l10n.t("Show sweep")} icon="graphLine" isTextShown={true} items={items} />;
}

function groupOptions(label: string, keys: readonly string[]) {
  if (keys.length === 0) return null;
  return (
    <optgroup label={label}>
      {[false, true].flatMap((isOver) =>
        keys.map((key) => (
          <option key={nameOf({ key, isOver })} value={nameOf({ key, isOver })}>
            {isOver
              ? l10n.t("over {0} (all else equal)", visibleLine(key))
              : l10n.t("by {0}", visibleLine(key))}
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
  const items = inOrder(runs.columns.value, order).map((column) => {
    const { key, isShownAtFirst, section } = column;
    const isChecked = shown[key] ?? isShownAtFirst;
    return {
      label: columnLabel(column),
      section: text.sections[section],
      isChecked,
      run: () => runs.update({ shown: { ...shown, [key]: !isChecked } }),
    };
  });
  const reset = {
    label: l10n.t("As at first"),
    run: () => runs.update({ order: [], shown: {}, widths: {} }),
  };
  return [...items, reset];
}

/** The full name of a column, which its head may abbreviate. */
function columnLabel({ key, head, hint, section }: RunColumn): string {
  // The hint of a setting is its full key.
  if (section === "settings") return hint;
  return key.startsWith("eval.")
    ? l10n.t("Evaluation of {0}", visibleLine(key.slice("eval.".length)))
    : head;
}

function Counts({ runs }: RunsProps) {
  const chosen = runs.chosen.value.length;
  const unread = runs.unread.value;
  const filter = runs.filter.value;
  return (
    <div class="runs-counts wrap">
      <span class="fact">
        {runs.matching.value.length === runs.runCount
          ? plural(runs.runCount, "{0} run", "{0} runs")
          : l10n.t(
              "{0} of {1} runs",
              formatCount(runs.matching.value.length),
              formatCount(runs.runCount),
            )}
      </span>
      {unread > 0 ? (
        <span class="fact">{plural(unread, "reading {0} run…", "reading {0} runs…")}</span>
      ) : null}
      {chosen > 0 ? (
        <>
          <span>{plural(chosen, "{0} chosen", "{0} chosen")}</span>
          {chosen > MAX_COMPARED ? <span class="fact">{text.tooMany(MAX_COMPARED)}</span> : null}
          <Button class="link" label={l10n.t("Choose none")} onClick={() => runs.choose([])} />
        </>
      ) : null}
      <span
        id={FAULT_ID}
        class="error cut"
        role="status"
        title={filter.ok ? undefined : filter.message}
      >
        {filter.ok ? "" : filter.message}
      </span>
    </div>
  );
}

/** Rows and columns as ordered in the table; numbers at full precision, times as ISO 8601. */
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

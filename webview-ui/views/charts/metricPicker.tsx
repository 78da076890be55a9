/** Selects the small charts for all runs of the workspace. */

import * as l10n from "@vscode/l10n";
import { useId, useState } from "preact/hooks";
import { formatCount } from "../../../src/shared/format.ts";
import { Button } from "../../controls/button.tsx";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";
import { CHART_SECTIONS, type ListedChart } from "./smallChartSpecs.ts";

const text = strings.small;

interface PickerProps extends DashboardProps {
  readonly charts: readonly ListedChart[];
}

export function MetricPicker({ dashboard, charts }: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const drawn = charts.filter(({ isDrawn }) => isDrawn).length;
  return (
    <div>
      <div class="section-head wrap">
        <h2 id="metrics-title">{l10n.t("Metrics")}</h2>
        <Button
          class="quiet"
          icon={isOpen ? "chevronDown" : "chevronRight"}
          label={l10n.t("Choose metrics")}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        />
        {isOpen ? (
          <span class="fact">
            {l10n.t("{0} of {1} shown", formatCount(drawn), formatCount(charts.length))}
          </span>
        ) : null}
      </div>
      <div id={id}>{isOpen ? <ChartList dashboard={dashboard} charts={charts} /> : null}</div>
    </div>
  );
}

function ChartList({ dashboard, charts }: PickerProps) {
  const [search, setSearch] = useState("");
  const matches = foundCharts(charts, search);
  const isChanged = charts.some(({ isUsual, isDrawn }) => isUsual !== isDrawn);
  return (
    <div class="card picker-list">
      <div class="picker-filter row">
        <input
          type="search"
          placeholder={text.filter}
          aria-label={text.filter}
          value={search}
          onInput={({ currentTarget: { value } }) => setSearch(value)}
        />
        {isChanged ? (
          <Button
            class="link"
            label={l10n.t("Reset")}
            title={l10n.t("Show the charts of every run")}
            onClick={() => dashboard.keep({ pinnedMetrics: [], hiddenCharts: [] })}
          />
        ) : null}
      </div>
      {matches.length === 0 ? <p class="note">{l10n.t("No metric matches.")}</p> : null}
      <div class="picker-sections">
        {CHART_SECTIONS.map((section) => {
          const own = matches.filter((chart) => chart.section === section);
          return own.length === 0 ? null : (
            <section key={section} aria-label={text.sections[section]}>
              <h3>{text.sections[section]}</h3>
              <ul>
                {own.map((chart) => {
                  const names = visibleLine(chart.series.map(({ name }) => name).join(", "));
                  const title = visibleLine(chart.title);
                  return (
                    <li key={chart.id}>
                      <label class="check row" title={names}>
                        <input
                          type="checkbox"
                          checked={chart.isDrawn}
                          onChange={() => dashboard.toggleChart(chart)}
                        />
                        <span class="cut">{title}</span>
                        {title === names ? null : <span class="fact cut">{names}</span>}
                      </label>
                    </li>
                  );
                })}
              </ul>
            </section>
          );
        })}
      </div>
    </div>
  );
}

/** The charts whose title or metric names match the text or pattern. */
export function foundCharts(
  charts: readonly ListedChart[],
  search: string,
): readonly ListedChart[] {
  const isFound = matcher(search);
  return charts.filter(({ title, series }) =>
    [title, ...series.map(({ name }) => name)].some(isFound),
  );
}

/** Matches a regular expression, or plain text if the expression is invalid. */
export function matcher(filter: string): (text: string) => boolean {
  if (filter === "") return () => true;
  try {
    const pattern = new RegExp(filter, "i");
    return (name) => pattern.test(name);
  } catch {
    const plain = filter.toLowerCase();
    return (name) => name.toLowerCase().includes(plain);
  }
}

/** Controls of the comparison: how charts are drawn, which metrics they show, and how they are saved. */

import * as l10n from "@vscode/l10n";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { formatCount } from "../../src/shared/format.ts";
import { Button } from "../controls/button.tsx";
import { Choice, Select } from "../controls/choice.tsx";
import { Menu } from "../controls/menu.tsx";
import { runsStrings as text } from "../strings/runs.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { SmoothingControl } from "../views/charts/chartControls.tsx";
import { matcher } from "../views/charts/metricPicker.tsx";
import { saveCsv, savePng, saveSvg } from "./exportCharts.ts";
import { BAND_KINDS } from "./layout.ts";
import type { RunsProps } from "./runsModel.ts";

export function CompareControls({ runs }: RunsProps) {
  const { smoothing, isLog, xRanges, yRanges } = runs.layout.value;
  const xAxis = runs.xAxis.value;
  const isZoomed =
    (xRanges[xAxis] ?? null) !== null || Object.values(yRanges).some((own) => own !== null);
  return (
    <fieldset class="controls wrap">
      <legend class="visually-hidden">{strings.chart.controls}</legend>
      <MetricSearch runs={runs} />
      <Choice
        label={strings.chart.xAxis}
        value={xAxis}
        values={runs.axes.value}
        name={(axis) => strings.chart.xAxes[axis]}
        choose={(axis) => runs.update({ xAxis: axis })}
      />
      <SmoothingControl smoothing={smoothing} set={(next) => runs.update({ smoothing: next })} />
      <div class="toggles">
        <Button
          class="toggle"
          label={strings.chart.log}
          aria-pressed={isLog}
          onClick={() => runs.update({ isLog: !isLog, yRanges: {} })}
        />
        <Means runs={runs} />
      </div>
      {isZoomed ? (
        <Button
          class="quiet"
          icon="zoomOut"
          label={strings.chart.resetZoom}
          onClick={() => runs.update({ xRanges: { ...xRanges, [xAxis]: null }, yRanges: {} })}
        />
      ) : null}
      <Menu
        label={strings.chart.export}
        icon="export"
        isTextShown={true}
        items={[
          { label: strings.chart.exportCsv, run: () => saveCsv(runs) },
          { label: strings.chart.exportPng, run: () => savePng(runs) },
          { label: l10n.t("Drawing (SVG)…"), run: () => saveSvg(runs) },
        ]}
      />
    </fieldset>
  );
}

/** Switches between runs and group means; only for a grouped table. */
function Means({ runs }: RunsProps) {
  const { grouping, hasMeans, band } = runs.layout.value;
  if (grouping === null) return null;
  return (
    <>
      <Button
        class="toggle"
        label={l10n.t("Means of groups")}
        aria-pressed={hasMeans}
        onClick={() => runs.update({ hasMeans: !hasMeans, yRanges: {} })}
      />
      {hasMeans ? (
        <Select
          aria-label={l10n.t("Band")}
          value={band}
          values={BAND_KINDS}
          name={(kind) => text.bands[kind]}
          choose={(kind) => runs.update({ band: kind })}
        />
      ) : null}
    </>
  );
}

const MAX_FOUND = 60;

/** Finds metrics by a substring of their name or a regular expression. */
function MetricSearch({ runs }: RunsProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div class="metric-search">
      <Button
        class="secondary"
        icon="graphLine"
        label={l10n.t("Metrics")}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      />
      <div id={id}>{isOpen ? <MetricList runs={runs} close={() => setOpen(false)} /> : null}</div>
    </div>
  );
}

function MetricList({ runs, close }: RunsProps & { readonly close: () => void }) {
  const [filter, setFilter] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const names = runs.metricNames.value;
  const found = names.filter(matcher(filter));
  const { charts } = runs.layout.value;
  const flip = (name: string): void => {
    const others = charts.filter((other) => other !== name);
    runs.update({ charts: others.length < charts.length ? others : [name, ...charts] });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: catches the keys of the controls within
    <div
      class="card metric-list"
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <input
        type="search"
        ref={input}
        placeholder={strings.small.filter}
        aria-label={strings.small.filter}
        value={filter}
        onInput={({ currentTarget: { value } }) => setFilter(value)}
      />
      <span class="fact">{strings.small.shown(found.length, names.length)}</span>
      <ul>
        {found.slice(0, MAX_FOUND).map((name) => (
          <li key={name}>
            <label class="check row">
              <input type="checkbox" checked={charts.includes(name)} onChange={() => flip(name)} />
              <span>{visibleLine(name)}</span>
            </label>
          </li>
        ))}
      </ul>
      {found.length > MAX_FOUND ? (
        <p class="note">{l10n.t("and {0} more", formatCount(found.length - MAX_FOUND))}</p>
      ) : null}
    </div>
  );
}

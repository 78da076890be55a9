/** The charts of the compared runs. All share one horizontal axis and its zoom. */

import * as l10n from "@vscode/l10n";
import { useMemo, useRef, useState } from "preact/hooks";
import { metricTitle } from "../../src/shared/metricTitles.ts";
import { withoutUndefined } from "../../src/shared/withoutUndefined.ts";
import type { ChartZoom } from "../charts/drawing/chartMouse.ts";
import { formatValue, formatXValue } from "../charts/format.ts";
import { Button, IconButton } from "../controls/button.tsx";
import { MiddleCut } from "../controls/middleCut.tsx";
import { Plot } from "../controls/plot.tsx";
import { Swatch } from "../controls/swatch.tsx";
import { toggled } from "../model/toggled.ts";
import { visibleLine } from "../text/visible.ts";
import { CompareControls } from "./compareControls.tsx";
import { type ComparedCharts, comparedChart, shownMetrics } from "./comparedChart.ts";
import { dragged, dropPlace, followPointer, movedTo } from "./dragMove.ts";
import type { RunsModel, RunsProps } from "./runsModel.ts";

const HEIGHT_PX = 220;
const MIN_PX = 120;
const MAX_PX = 900;
const STEP_PX = 40;

export function CompareCharts({ runs }: RunsProps) {
  const { wideCharts } = runs.layout.value;
  const shown = shownMetrics(runs);
  return (
    <>
      <CompareControls runs={runs} />
      <div class="compare-charts">
        {shown.map((metric) => (
          <CompareChart
            key={metric}
            runs={runs}
            metric={metric}
            isWide={wideCharts.includes(metric)}
          />
        ))}
        {shown.length === 0 ? (
          <p class="message">
            {l10n.t("There is nothing to draw yet. Choose metrics of the compared runs.")}
          </p>
        ) : null}
      </div>
    </>
  );
}

interface ChartProps extends RunsProps {
  readonly metric: string;
  readonly isWide: boolean;
}

function CompareChart({ runs, metric, isWide }: ChartProps) {
  const [row, setRow] = useState<number | null>(null);
  const figure = useRef<HTMLElement>(null);
  const chart = useComparedChart(runs, metric);
  const { chartHeights } = runs.layout.value;
  const xAxis = runs.xAxis.value;
  const title = visibleLine(metricTitle(metric));
  const describe = (at: number): string => {
    const values = chart.lines.map((line) => `${line.label} ${formatValue(line.values[at])}`);
    return `${formatXValue(xAxis, chart.data.xs[at] ?? 0)}: ${values.join(", ")}`;
  };
  const pinned = chart.lines.find(({ key }) => key === runs.pinned.value);
  const baseline = pinned === undefined ? undefined : valueAt(pinned.values, row);
  const height = chartHeights[metric] ?? HEIGHT_PX;
  const actions = useMemo(
    () => ({ zoom: (zoom: ChartZoom) => zoomed(runs, metric, zoom) }),
    [runs, metric],
  );
  return (
    <figure
      class="card compare-chart"
      data-wide={isWide}
      aria-label={title}
      ref={figure}
      {...dropPlace("chart", (other) => move(runs, other, metric))}
    >
      <figcaption class="card-head wrap" {...dragged("chart", metric)}>
        <h2 title={visibleLine(metric)}>{title}</h2>
        {row === null ? null : (
          <span class="fact">{formatXValue(xAxis, chart.data.xs[row] ?? 0)}</span>
        )}
        <ChartActions runs={runs} metric={metric} isWide={isWide} title={title} />
      </figcaption>
      <Plot
        syncKey="compare"
        title={title}
        summary={summaryOf(chart)}
        data={chart.data}
        height={height}
        onCursor={setRow}
        describe={describe}
        actions={actions}
      />
      <ul class="compare-values">
        {chart.lines.map(({ key, label, look, values }) => (
          <li key={key} title={label}>
            <Swatch {...look} />
            <MiddleCut text={label} />
            <b>{formatValue(valueAt(values, row))}</b>
            {key === runs.pinned.value || baseline === undefined ? null : (
              <span class="fact">{differenceText(valueAt(values, row), baseline)}</span>
            )}
          </li>
        ))}
      </ul>
      <HeightEdge runs={runs} metric={metric} height={height} title={title} />
    </figure>
  );
}

/** Recomputed when the numbers or the settings change, not on every mouse move. */
function useComparedChart(runs: RunsModel, metric: string): ComparedCharts {
  const { smoothing, isLog, xRanges, yRanges, hasMeans, band } = runs.layout.value;
  const xAxis = runs.xAxis.value;
  const version = runs.compare.version.value;
  const compared = runs.compared.value;
  const groups = runs.comparedGroups.value;
  return useMemo(
    () => comparedChart(runs, metric),
    [
      ...[runs, metric, version, compared, groups, xAxis, smoothing, isLog],
      ...[xRanges[xAxis], yRanges[metric], hasMeans, band],
    ],
  );
}

function move(runs: RunsModel, metric: string, target: string): void {
  runs.update({ charts: movedTo(runs.layout.peek().charts, metric, target) });
}

function zoomed(runs: RunsModel, metric: string, { x, y }: ChartZoom): void {
  const { xRanges, yRanges } = runs.layout.peek();
  runs.update(
    withoutUndefined({
      xRanges: x === undefined ? undefined : { ...xRanges, [runs.xAxis.peek()]: x },
      yRanges: y === undefined ? undefined : { ...yRanges, [metric]: y },
    }),
  );
}

function summaryOf({ lines }: ComparedCharts): string {
  return lines.map(({ label, values }) => `${label}: ${formatValue(lastOf(values))}.`).join(" ");
}

/** The value of a row, or the last known value. */
function valueAt(values: Float64Array, row: number | null): number | undefined {
  return row === null ? lastOf(values) : values[row];
}

/** Empty if either value is missing. */
function differenceText(value: number | undefined, baseline: number): string {
  const difference = (value ?? Number.NaN) - baseline;
  if (Number.isNaN(difference)) return "";
  return difference < 0 ? formatValue(difference) : `+${formatValue(difference)}`;
}

function lastOf(values: Float64Array): number | undefined {
  return values.findLast((value) => !Number.isNaN(value));
}

interface ActionsProps extends ChartProps {
  readonly title: string;
}

function ChartActions({ runs, metric, isWide, title }: ActionsProps) {
  const { charts, wideCharts } = runs.layout.value;
  const at = charts.indexOf(metric);
  const moveBy = (by: number): void => move(runs, metric, charts[at + by] ?? metric);
  const widen = (): void =>
    runs.update({
      wideCharts: toggled(wideCharts, metric),
    });
  return (
    <div class="card-actions">
      <IconButton
        label={l10n.t("Move {0} back", title)}
        icon="chevronLeft"
        onClick={() => moveBy(-1)}
      />
      <IconButton
        label={l10n.t("Move {0} on", title)}
        icon="chevronRight"
        onClick={() => moveBy(1)}
      />
      <Button
        class="quiet"
        label={l10n.t("Wide")}
        aria-pressed={isWide}
        title={l10n.t("Show {0} at full width", title)}
        onClick={widen}
      />
      <IconButton
        label={l10n.t("Remove {0}", title)}
        icon="close"
        onClick={() => runs.update({ charts: charts.filter((other) => other !== metric) })}
      />
    </div>
  );
}

/** The lower edge of a chart: drags and arrow keys resize it. */
function HeightEdge({
  runs,
  metric,
  height,
  title,
}: RunsProps & { readonly metric: string; readonly height: number; readonly title: string }) {
  const set = (px: number): void => {
    const bounded = Math.round(Math.max(MIN_PX, Math.min(MAX_PX, px)));
    runs.update({ chartHeights: { ...runs.layout.peek().chartHeights, [metric]: bounded } });
  };
  const drag = (event: PointerEvent): void => {
    const start = event.clientY - height;
    followPointer(event, ({ clientY }) => set(clientY - start));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      class="chart-edge"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label={l10n.t("Height of {0}", title)}
      aria-valuemin={MIN_PX}
      aria-valuemax={MAX_PX}
      aria-valuenow={height}
      onPointerDown={drag}
      onKeyDown={(event) => {
        const by = { ArrowUp: -STEP_PX, ArrowDown: STEP_PX }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        set(height + by);
      }}
    />
  );
}

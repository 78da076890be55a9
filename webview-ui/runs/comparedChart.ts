/** One metric of the compared runs, for the charts and for exports. */

import type { ChartData } from "../charts/drawing/chartData.ts";
import { hasAxis, xValues } from "../charts/xAxis.ts";
import { visibleLine } from "../text/visible.ts";
import { type Curve, groupsChart, type NamedLine, runsChart } from "./compareData.ts";
import { assignLooks, runLook } from "./runLook.ts";
import type { RunsModel } from "./runsModel.ts";

export interface ComparedCharts {
  readonly data: ChartData;
  /** The drawn lines: runs, or means of groups. */
  readonly lines: readonly (NamedLine & { readonly values: Float64Array })[];
}

/** The selected metrics that at least one run has. */
export function shownMetrics(runs: RunsModel): readonly string[] {
  runs.compare.named.value;
  const stores = runs.compared.value.map(({ id }) => runs.compare.of(id));
  return runs.layout.value.charts.filter((metric) => stores.some((store) => store.has(metric)));
}

export function comparedChart(runs: RunsModel, metric: string): ComparedCharts {
  const { smoothing, isLog, xRanges, yRanges, hasMeans, band } = runs.layout.value;
  const xAxis = runs.xAxis.value;
  const options = {
    xAxis,
    smoothing,
    isLog,
    xRange: xRanges[xAxis] ?? null,
    yRange: yRanges[metric] ?? null,
  };
  // Without values for this axis, a run would collapse into a single dot.
  const isPlaced = ({ key }: Curve): boolean => hasAxis(xAxis, runs.compare.of(key));
  const groups = runs.comparedGroups.value;
  if (!hasMeans || groups === null) {
    const curves = runs.compared.value.map(({ id, name }) => curveOf(runs, id, name, metric));
    return withLines(runsChart(curves.filter(isPlaced), options), curves);
  }
  const looks = assignLooks(groups.map(({ rows }) => runs.lookOf(rows[0]?.id ?? "") ?? 0));
  const drawn = groups.map(({ key, label, rows }, index) => ({
    key,
    label: visibleLine(label),
    look: runLook(looks[index] ?? 0),
    curves: rows.map(({ id, name }) => curveOf(runs, id, name, metric)).filter(isPlaced),
  }));
  return withLines(groupsChart(drawn, band, options), drawn);
}

function curveOf(runs: RunsModel, id: string, name: string, metric: string): Curve {
  const columns = runs.compare.of(id);
  return {
    key: id,
    label: visibleLine(name),
    look: runLook(runs.lookOf(id) ?? 0),
    xs: xValues(runs.xAxis.value, columns, []),
    ys: columns.values(metric),
  };
}

function withLines(data: ChartData, drawn: readonly NamedLine[]): ComparedCharts {
  const values = new Map(data.series.map((series) => [series.key, series.values]));
  const lines = drawn.map(({ key, label, look }) => ({
    key,
    label,
    look,
    values: values.get(key) ?? new Float64Array(),
  }));
  return { data, lines };
}

/** Mean reward per evaluated split over steps, with 95% confidence intervals. */

import * as l10n from "@vscode/l10n";
import { useMemo, useState } from "preact/hooks";
import { shownX, valueRange } from "../../../src/shared/chartScale.ts";
import { formatCount, formatTemperature } from "../../../src/shared/format.ts";
import {
  axesOver,
  bandBetween,
  type ChartData,
  type ChartSeries,
} from "../../charts/drawing/chartData.ts";
import { formatRewardValue } from "../../charts/format.ts";
import { Plot, type PlotActions } from "../../controls/plot.tsx";
import { Swatch } from "../../controls/swatch.tsx";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { type EvaluatedCell, openEvaluation } from "../../model/evaluationCell.ts";
import { evaluationSeries } from "./evaluationSeries.ts";

const HEIGHT_PX = 240;

interface Curve {
  readonly name: string;
  readonly label: string;
  readonly series: ChartSeries;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly cells: readonly (EvaluatedCell | undefined)[];
}

export function EvaluationChart({ dashboard }: DashboardProps) {
  const [row, setRow] = useState<number | null>(null);
  const evaluations = dashboard.data.evaluations.value;
  const columnsVersion = dashboard.data.columnsVersion.value;
  const { steps, curves } = useMemo(
    () => curvesOf(dashboard),
    [dashboard, evaluations, columnsVersion],
  );
  const data = useMemo(() => chartData(steps, curves), [steps, curves]);
  const actions = useMemo((): PlotActions => {
    const open = (at: number): void => {
      const cell = curves.map(({ cells }) => cells[at]).find((own) => own !== undefined);
      if (cell !== undefined) openEvaluation(dashboard, cell);
    };
    return { zoom: () => undefined, open };
  }, [dashboard, curves]);
  // A single point does not make a curve.
  if (steps.length < 2) return null;
  const at = row ?? steps.length - 1;
  const stepText = (position: number): string =>
    l10n.t("after step {0}", formatCount(steps[position] ?? 0));
  const describe = (position: number): string => {
    const values = curves.map(
      ({ label, series }) => `${label} ${formatRewardValue(series.values[position])}`,
    );
    return `${stepText(position)}: ${values.join(", ")}`;
  };
  const title = l10n.t("Reward by split");
  return (
    <figure class="card evaluation-chart" aria-labelledby="evaluation-chart-title">
      <figcaption class="card-head wrap">
        <h2 id="evaluation-chart-title">{title}</h2>
        <span class="fact">{stepText(at)}</span>
      </figcaption>
      <Plot
        syncKey="evaluations"
        title={title}
        summary={describe(steps.length - 1)}
        data={data}
        height={HEIGHT_PX}
        isSmall={true}
        onCursor={setRow}
        describe={describe}
        actions={actions}
      />
      <ul class="small-legend">
        {curves.map(({ label, series }) => (
          <li key={series.key}>
            <Swatch look="line" color={series.color} dash={series.dash} />
            <span>{label}</span>
            <b>{formatRewardValue(series.values[at])}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Curves of the run's own weights. */
function curvesOf({ data }: DashboardModel): {
  readonly steps: Float64Array;
  readonly curves: readonly Curve[];
} {
  const all = evaluationSeries(data).map((series) => ({
    ...series,
    points: series.points.filter(({ cell }) => cell.model === undefined),
  }));
  const known = new Set(all.flatMap(({ points }) => points.map(({ cell }) => cell.step)));
  const steps = Float64Array.from(known).sort();
  const curves = all.map(({ key, name, temperature, color, dash, points }): Curve => {
    const found = Array.from(steps, (step) => points.findLast(({ cell }) => cell.step === step));
    const numbers = (pick: (point: (typeof points)[number]) => number): Float64Array =>
      Float64Array.from(found, (point) => (point === undefined ? Number.NaN : pick(point)));
    const label = `${name}, ${formatTemperature(temperature)}`;
    return {
      name,
      label,
      series: { key, label, values: numbers(({ y }) => y), color, share: 1, width: 2, dash },
      low: numbers(({ low }) => low),
      high: numbers(({ high }) => high),
      cells: found.map((point) => point?.cell),
    };
  });
  const drawn = curves.filter(({ cells }) => cells.some((cell) => cell !== undefined));
  // A single curve needs no label.
  if (drawn.length < 2) return { steps, curves: drawn };
  const named = drawn.map(({ series, ...curve }) => {
    return { ...curve, series: { ...series, endLabel: curve.name } };
  });
  return { steps, curves: named };
}

function chartData(steps: Float64Array, curves: readonly Curve[]): ChartData {
  const bands = curves.map((curve) =>
    bandBetween(curve.series.key, curve, { color: curve.series.color, share: 0.15 }),
  );
  const edges = bands.flatMap((own) => own.edges);
  return {
    xs: steps,
    series: [...curves.map(({ series }) => series), ...edges],
    bands: bands.map(({ band }) => band),
    marks: [],
    isLog: false,
    xRange: shownX(steps, []),
    yRange: valueRange(
      edges.map(({ values }) => values),
      { isLog: false, isClipped: false, isFromZero: false },
    ),
    ...axesOver("step"),
  };
}

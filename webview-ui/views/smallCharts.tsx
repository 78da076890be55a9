/** Small charts of everything else, and the list to choose more from. */

import { useMemo, useState } from "preact/hooks";
import { formatTick, formatValue, formatXTick, formatXValue } from "../charts/format.ts";
import { valueRange } from "../charts/scale.ts";
import { smooth } from "../charts/smoothing.ts";
import { summarize } from "../charts/summary.ts";
import { tickSteps } from "../charts/ticks.ts";
import { xValues } from "../charts/xAxis.ts";
import type { ChartBand, ChartData, ChartSeries } from "../controls/chartData.ts";
import { Icon } from "../controls/icon.tsx";
import { Swatch } from "../controls/swatch.tsx";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { visibleLine } from "../text/visible.ts";
import { ChartFigure } from "./chartFigure.tsx";
import { MetricPicker } from "./metricPicker.tsx";
import { shownX } from "./rewardChartData.ts";
import { oneMetric, SMALL_CHARTS, type SmallChartSpec } from "./smallChartSpecs.ts";

const HEIGHT_PX = 132;
const text = strings.small;

export function SmallCharts({ dashboard }: { readonly dashboard: DashboardModel }) {
  const { pinnedMetrics } = dashboard.settings.value;
  // Which charts there are follows from the columns.
  const version = dashboard.columnsVersion.value;
  const specs = useMemo(
    () => [
      ...pinnedMetrics.map(
        (name): SmallChartSpec => ({ ...oneMetric(name, name, "yellow"), isPinned: true }),
      ),
      ...SMALL_CHARTS.map((spec) => present(spec, dashboard)).filter(
        ({ series }) => series.length > 0,
      ),
    ],
    [dashboard, version, pinnedMetrics],
  );
  return (
    <section class="small-charts" aria-labelledby="metrics-title">
      <MetricPicker dashboard={dashboard} />
      <div class="small-grid">
        {specs.map((spec) => (
          <SmallChart key={`${spec.isPinned}${spec.title}`} dashboard={dashboard} spec={spec} />
        ))}
      </div>
    </section>
  );
}

function SmallChart({
  dashboard,
  spec,
}: {
  readonly dashboard: DashboardModel;
  readonly spec: SmallChartSpec;
}) {
  const [row, setRow] = useState<number | null>(null);
  const view = dashboard.view.value;
  const version = dashboard.columnsVersion.value;
  const { smoothing, xAxis, isLog, isClipped, isFromZero, xRange } = view;
  const data = useMemo(
    () => smallData(dashboard, spec),
    [
      dashboard,
      spec,
      version,
      smoothing,
      xAxis,
      isLog,
      isClipped,
      isFromZero,
      xRange,
      dashboard.events.value,
    ],
  );
  const first = spec.series[0];
  const raw = dashboard.columns.values(first?.name ?? "");
  const at = row ?? raw.length - 1;
  const steps = dashboard.columns.steps();
  const title = visibleLine(spec.title);
  const drawn = data.series.find(({ key }) => key === first?.name);
  return (
    <figure class="card small" aria-label={title}>
      <figcaption class="card-head">
        <h3 title={first?.name}>{title}</h3>
        {spec.series.length === 1 ? <b class="value">{formatValue(raw[at])}</b> : null}
        {spec.isPinned === undefined ? null : (
          <button
            type="button"
            class="quiet only-icon"
            aria-label={text.unpin(title)}
            title={text.unpin(title)}
            onClick={() => dashboard.flipMetric(spec.title)}
          >
            <Icon name="close" />
          </button>
        )}
      </figcaption>
      {spec.series.length > 1 ? (
        <ul class="small-legend">
          {spec.series.map(({ name, label, colour, dash }) => (
            <li key={name}>
              <Swatch look="line" colour={colour} {...(dash === undefined ? {} : { dash })} />
              {label}
              <b>{formatValue(dashboard.columns.values(name)[at])}</b>
            </li>
          ))}
        </ul>
      ) : null}
      <ChartFigure
        dashboard={dashboard}
        title={title}
        summary={summarize(raw, steps)}
        data={data}
        height={HEIGHT_PX}
        isSmall={true}
        onCursor={setRow}
        stepOf={(position) => steps[position]}
        describe={(position) =>
          strings.spoken.point(
            formatXValue(xAxis, data.xs[position] ?? 0),
            describeValue(title, raw[position], drawn?.values[position]),
          )
        }
      />
    </figure>
  );
}

/** What the run wrote, and what is drawn where that differs. */
function describeValue(
  title: string,
  value: number | undefined,
  drawn: number | undefined,
): string {
  const both = `${title} ${formatValue(value)}`;
  return Object.is(value, drawn) ? both : `${both}, ${strings.reward.smoothed(formatValue(drawn))}`;
}

function smallData(dashboard: DashboardModel, { series, band }: SmallChartSpec): ChartData {
  const { columns, events, view } = dashboard;
  const { smoothing, xAxis, isLog, isClipped, isFromZero, xRange } = view.value;
  const isSmoothed = smoothing.kind !== "none";
  const drawn: ChartSeries[] = [];
  const bands: ChartBand[] = [];
  if (band !== undefined) {
    for (const [key, name] of Object.entries(band)) {
      const values = columns.values(name);
      drawn.push({ key, label: key, values, colour: "blue", share: 0, width: 0 });
    }
    bands.push({ upper: "upper", lower: "lower", colour: "blue", share: 0.14 });
  }
  for (const { name, label, colour, dash } of series) {
    const raw = columns.values(name);
    const look = dash === undefined ? {} : { dash };
    if (isSmoothed && series.length === 1) {
      drawn.push({ key: `raw ${name}`, label, values: raw, colour, share: 0.35, width: 1 });
    }
    drawn.push({
      key: name,
      label,
      values: smooth(raw, smoothing),
      colour,
      share: 1,
      width: 1.5,
      ...look,
    });
  }
  const xs = xValues(xAxis, columns, events.value);
  return {
    ...{ xs, series: drawn, bands, marks: [], isLog },
    xSteps: tickSteps(xAxis),
    xRange: xRange ?? shownX(xs, []),
    yRange: valueRange(
      drawn.map(({ values }) => values),
      { isLog, isClipped, isFromZero },
    ),
    formatX: (value, step) => formatXTick(xAxis, value, step),
    formatY: formatTick,
  };
}

/** Without the series that the run does not have. */
function present(spec: SmallChartSpec, { columns }: DashboardModel): SmallChartSpec {
  return { ...spec, series: spec.series.filter(({ name }) => columns.has(name)) };
}

/** Small charts of everything else, and the list to choose more from. */

import { useMemo, useState } from "preact/hooks";
import { formatValue } from "../../charts/format.ts";
import { summarize } from "../../charts/summary.ts";
import { Icon } from "../../controls/icon.tsx";
import { Swatch } from "../../controls/swatch.tsx";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";
import { ChartFigure } from "./chartFigure.tsx";
import { MetricPicker } from "./metricPicker.tsx";
import { describeRow, type SmallChartData, smallChartData } from "./smallChartData.ts";
import { drawnCharts, type SmallChartSpec } from "./smallChartSpecs.ts";

const HEIGHT_PX = 132;
const text = strings.small;

export function SmallCharts({ dashboard }: { readonly dashboard: DashboardModel }) {
  const { pinnedMetrics } = dashboard.settings.value;
  // Which charts there are follows from the columns.
  const version = dashboard.data.columnsVersion.value;
  const isForeign = dashboard.data.run.value?.state === "foreign";
  const { charts, unasked } = useMemo(
    () => drawnCharts(dashboard.data.columns.names, { chosen: pinnedMetrics, isForeign }),
    [dashboard, version, pinnedMetrics, isForeign],
  );
  return (
    <section class="small-charts" aria-labelledby="metrics-title">
      <MetricPicker dashboard={dashboard} unasked={unasked} />
      <div class="small-grid">
        {charts.map((spec) => (
          <SmallChart key={`${spec.isPinned}${spec.title}`} dashboard={dashboard} spec={spec} />
        ))}
      </div>
    </section>
  );
}

interface SmallChartProps {
  readonly dashboard: DashboardModel;
  readonly spec: SmallChartSpec;
}

export function SmallChart({ dashboard, spec }: SmallChartProps) {
  const [row, setRow] = useState<number | null>(null);
  const data = useSmallChartData(dashboard, spec);
  const title = visibleLine(spec.title);
  const summary = useMemo(() => {
    const [values = new Float64Array()] = data.raw;
    return summarize({ values, steps: data.steps });
  }, [data]);
  const at = row ?? data.steps.length - 1;
  const values = data.drawn.map((own) => own[at]);
  const raw = data.raw[0]?.[at];
  return (
    <figure class="card small" aria-label={title}>
      <figcaption class="card-head">
        <h3 title={spec.series[0]?.name}>{title}</h3>
        {spec.series.length === 1 ? <b class="value">{formatValue(values[0])}</b> : null}
        {spec.series.length > 1 || Object.is(raw, values[0]) ? null : (
          <span class="fact">{strings.reward.written(formatValue(raw))}</span>
        )}
        {spec.isPinned === true ? (
          <UnpinButton title={title} unpin={() => dashboard.togglePinned(spec.title)} />
        ) : null}
      </figcaption>
      {spec.series.length > 1 ? <SmallLegend spec={spec} values={values} /> : null}
      <ChartFigure
        dashboard={dashboard}
        title={title}
        summary={summary}
        data={data.chart}
        height={HEIGHT_PX}
        isSmall={true}
        onCursor={setRow}
        stepOf={(position) => data.steps[position]}
        describe={(position) =>
          describeRow(data, { ...spec, title }, dashboard.view.value, position)
        }
      />
    </figure>
  );
}

/** Made anew when the numbers, or what decides about them, change. */
function useSmallChartData(dashboard: DashboardModel, spec: SmallChartSpec): SmallChartData {
  const { data, view } = dashboard;
  const { smoothing, xAxis, isLog, isClipped, isFromZero, xRange } = view.value;
  const version = data.columnsVersion.value;
  const events = data.events.value;
  return useMemo(
    () => smallChartData(data, view.value, spec),
    [data, spec, version, events, smoothing, xAxis, isLog, isClipped, isFromZero, xRange],
  );
}

function UnpinButton({ title, unpin }: { readonly title: string; readonly unpin: () => void }) {
  const label = text.unpin(title);
  return (
    <button type="button" class="quiet only-icon" aria-label={label} title={label} onClick={unpin}>
      <Icon name="close" />
    </button>
  );
}

interface SmallLegendProps {
  readonly spec: SmallChartSpec;
  /** One a series. */
  readonly values: readonly (number | undefined)[];
}

function SmallLegend({ spec, values }: SmallLegendProps) {
  return (
    <ul class="small-legend">
      {spec.series.map(({ name, label, colour, dash }, index) => (
        <li key={name}>
          <Swatch look="line" colour={colour} dash={dash} />
          {label}
          <b>{formatValue(values[index])}</b>
        </li>
      ))}
    </ul>
  );
}

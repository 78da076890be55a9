/** Small charts of all other metrics, and a picker to add more. */

import * as l10n from "@vscode/l10n";
import { Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatCount } from "../../../src/shared/format.ts";
import { formatValue } from "../../charts/format.ts";
import { summarize } from "../../charts/summary.ts";
import { Button, IconButton } from "../../controls/button.tsx";
import { Icon } from "../../controls/icon.tsx";
import { Swatch } from "../../controls/swatch.tsx";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";
import { ChartFigure, omittedText } from "./chartFigure.tsx";
import { MetricPicker } from "./metricPicker.tsx";
import { describeRow, type SmallChartData, smallChartData } from "./smallChartData.ts";
import {
  CHART_SECTIONS,
  LOSS_CHART,
  listCharts,
  oneMetric,
  type SmallChartSpec,
} from "./smallChartSpecs.ts";

const HEIGHT_PX = 132;
const LARGE_PX = 300;
/** Delay between new numbers and their text summary. */
const SUMMARY_MS = 250;

export function SmallCharts({ dashboard }: DashboardProps) {
  const { pinnedMetrics: pinned, hiddenCharts: hidden } = dashboard.settings.value;
  // The columns determine which charts exist.
  const version = dashboard.data.columnsVersion.value;
  const isForeign = dashboard.data.run.value?.state === "foreign";
  const charts = useMemo(
    () => listCharts(dashboard.data.columns.names, { pinned, hidden, isForeign }),
    [dashboard, version, pinned, hidden, isForeign],
  );
  const hasLossAbove = charts.some(({ series }) => series.some(isOfExamples));
  const drawn = charts.filter(({ id, isDrawn }) => isDrawn && !(hasLossAbove && id === "loss"));
  const sections = CHART_SECTIONS.filter((own) => drawn.some(({ section }) => section === own));
  return (
    <section class="small-charts stack" aria-labelledby="metrics-title">
      <MetricPicker dashboard={dashboard} charts={charts} />
      <div class="small-grid">
        {sections.map((section) => (
          <Fragment key={section}>
            {sections.length > 1 ? (
              <h3 class="section-title">{strings.small.sections[section]}</h3>
            ) : null}
            {drawn
              .filter((chart) => chart.section === section)
              .map((chart) => (
                <SmallChart
                  key={chart.id}
                  dashboard={dashboard}
                  spec={chart}
                  heading={sections.length > 1 ? "h4" : "h3"}
                  remove={chart.isUsual ? undefined : () => dashboard.toggleChart(chart)}
                />
              ))}
          </Fragment>
        ))}
      </div>
    </section>
  );
}

/** Takes the place of the reward chart in a supervised run. */
export function LossChart({ dashboard }: DashboardProps) {
  return <SmallChart dashboard={dashboard} spec={LOSS_CHART} heading="h2" height={LARGE_PX} />;
}

function isOfExamples({ name }: SmallChartSpec["series"][number]): boolean {
  return name === "num_examples";
}

interface SmallChartProps extends DashboardProps {
  readonly spec: SmallChartSpec;
  /** Follows the level of the heading above it. */
  readonly heading: "h2" | "h3" | "h4";
  readonly height?: number;
  readonly remove?: (() => void) | undefined;
}

function SmallChart({
  dashboard,
  spec,
  heading: Heading,
  height = HEIGHT_PX,
  remove,
}: SmallChartProps) {
  const [row, setRow] = useState<number | null>(null);
  const data = useSmallChartData(dashboard, spec);
  const title = visibleLine(spec.title);
  const names = visibleLine(spec.series.map(({ name }) => name).join(", "));
  const summary = useSummary(data);
  // In the tooltip, because a line of its own would shift the page when a run writes its first zero.
  const tooltip = [title === names ? title : `${title}: ${names}`, omittedText(dashboard, data.raw)]
    .filter((line) => line !== null)
    .join("\n");
  const at = row ?? data.steps.length - 1;
  const values = data.drawn.map((own) => own[at]);
  const raw = data.raw[0]?.[at];
  return (
    <figure class="card small stack" aria-label={title}>
      <figcaption class="card-head wrap">
        <Heading class="cut" title={tooltip}>
          {title}
        </Heading>
        {spec.series.length === 1 ? <b class="value">{formatValue(values[0])}</b> : null}
        {spec.series.length > 1 || Object.is(raw, values[0]) ? null : (
          <span class="fact">{strings.reward.written(formatValue(raw))}</span>
        )}
        <span class="fact pointed">
          {row === null ? "" : strings.chart.step((data.steps[row] ?? 0) + 1)}
        </span>
        {remove === undefined ? null : (
          <IconButton icon="close" label={l10n.t("Remove {0}", title)} onClick={remove} />
        )}
      </figcaption>
      {spec.series.length > 1 ? <SmallLegend spec={spec} values={values} /> : null}
      <ChartFigure
        dashboard={dashboard}
        title={title}
        summary={summary}
        data={data.chart}
        height={height}
        isSmall={height === HEIGHT_PX}
        onCursor={setRow}
        stepOf={(position) => data.steps[position]}
        describe={(position) => describeRow(data, { ...spec, title }, position)}
      />
    </figure>
  );
}

/** Computed after the curves are drawn, because the trend of a long series takes longer. */
function useSummary({ raw, steps }: SmallChartData): string {
  const [summary, setSummary] = useState("");
  useEffect(() => {
    const [values = new Float64Array()] = raw;
    const timer = setTimeout(() => setSummary(summarize({ values, steps })), SUMMARY_MS);
    return () => clearTimeout(timer);
  }, [raw, steps]);
  return summary;
}

/** Recomputed when the numbers or the settings change. */
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

interface SmallLegendProps {
  readonly spec: SmallChartSpec;
  readonly values: readonly (number | undefined)[];
}

function SmallLegend({ spec, values }: SmallLegendProps) {
  return (
    <ul class="small-legend">
      {spec.series.map(({ name, label, color, dash }, index) => (
        <li key={name}>
          <Swatch look="line" color={color} dash={dash} />
          {label}
          <b>{formatValue(values[index])}</b>
        </li>
      ))}
    </ul>
  );
}

export function EvidenceChart({ dashboard }: DashboardProps) {
  const { evidence } = dashboard.view.value;
  const section = useRef<HTMLElement>(null);
  const name = evidence === null ? null : `${evidence.id}/${evidence.step}`;
  useEffect(() => {
    if (name === null) return;
    section.current?.scrollIntoView({ block: "nearest" });
    section.current?.focus();
  }, [name]);
  if (evidence === null) return null;
  const { title, step, metric, isOfRollouts } = evidence;
  const close = (): void => dashboard.update({ evidence: null, xRange: null });
  const label = l10n.t("{0}, from step {1} on", title, formatCount(step + 1));
  return (
    <section class="evidence" aria-label={label} tabIndex={-1} ref={section}>
      <div class="evidence-head wrap">
        <Icon name="warning" />
        <h2>{label}</h2>
        <Button
          class="link"
          label={isOfRollouts ? strings.alarms.rollouts : l10n.t("Show rollouts of the step")}
          onClick={() => dashboard.showAlarmRollouts(evidence)}
        />
        <IconButton icon="close" label={strings.close} onClick={close} />
      </div>
      <SmallChart dashboard={dashboard} spec={oneMetric(metric, metric, "orange")} heading="h3" />
    </section>
  );
}

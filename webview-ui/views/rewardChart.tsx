/** The large chart: how the reward goes. */

import { useMemo, useRef, useState } from "preact/hooks";
import { formatTick, formatValue, formatXTick, formatXValue } from "../charts/format.ts";
import { countNotPositive, valueRange } from "../charts/scale.ts";
import { summarize } from "../charts/summary.ts";
import { tickSteps } from "../charts/ticks.ts";
import type { ChartData } from "../controls/chartData.ts";
import { Icon } from "../controls/icon.tsx";
import type { LineChart } from "../controls/lineChart.ts";
import { Menu } from "../controls/menu.tsx";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { strings } from "../strings/strings.ts";
import { ChartFigure } from "./chartFigure.tsx";
import { seriesTable } from "./chartTables.ts";
import { DataTable } from "./dataTable.tsx";
import { toCsv, toJson, toMarkdown } from "./export.ts";
import { Legend } from "./legend.tsx";
import { type RewardChartData, rewardChartData, shownX, useSuperseded } from "./rewardChartData.ts";

interface RewardChartProps {
  readonly dashboard: DashboardModel;
}

const HEIGHT_PX = 300;

export function RewardChart({ dashboard }: RewardChartProps) {
  const [isTable, setTable] = useState(false);
  const [row, setRow] = useState<number | null>(null);
  const chart = useRef<LineChart | null>(null);
  const parts = useParts(dashboard);
  const { view, columns } = dashboard;
  const data = useMemo(() => chartData(parts, dashboard), [parts, view.value]);
  const steps = columns.steps();
  const summary = summarize(columns.values("rollout/reward/mean"), steps);
  const text = strings.reward;
  const table = () => seriesTable(columns, parts.names);
  const describe = (at: number): string => {
    const { mean, smoothed } = parts;
    const values = [
      `${text.mean} ${formatValue(mean[at])}`,
      ...(smoothed === null ? [] : [text.smoothed(formatValue(smoothed[at]))]),
    ];
    return strings.spoken.point(
      formatXValue(view.value.xAxis, parts.xs[at] ?? 0),
      values.join(", "),
    );
  };
  const notPositive = view.value.isLog
    ? countNotPositive(columns.values("rollout/reward/mean"))
    : 0;
  return (
    <figure class="card reward" aria-labelledby="reward-title">
      <figcaption class="card-head">
        <h2 id="reward-title">{text.title}</h2>
        <span class="fact">{row === null ? summary || text.subtitle : describe(row)}</span>
        <div class="card-actions">
          <button
            type="button"
            class="quiet"
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            <Icon name={isTable ? "graphLine" : "table"} />
            <span>{isTable ? strings.chart.chart : strings.chart.table}</span>
          </button>
          <Menu
            label={strings.chart.export}
            icon="export"
            isTextShown={true}
            items={exportItems(dashboard, table, () => chart.current?.picture() ?? "")}
          />
        </div>
      </figcaption>
      {isTable ? (
        <DataTable table={table()} caption={text.title} />
      ) : (
        <>
          <ChartFigure
            dashboard={dashboard}
            title={text.title}
            summary={summary}
            data={data}
            height={HEIGHT_PX}
            onCursor={setRow}
            stepOf={(at) => parts.steps[at]}
            describe={describe}
            onChart={(made) => {
              chart.current = made;
            }}
          />
          {columns.rows === 0 ? <p class="no-data">{noData(dashboard)}</p> : null}
          <Legend
            dashboard={dashboard}
            entries={parts.legend}
            marks={parts.marks}
            row={row ?? -1}
          />
          {notPositive > 0 ? <p class="note">{strings.chart.notPositive(notPositive)}</p> : null}
        </>
      )}
    </figure>
  );
}

function noData({ run }: DashboardModel): string {
  return strings.chart.noData[run.value?.state ?? "unknown"] ?? strings.chart.noDataYet;
}

/** Made anew when the numbers or what decides about them change, not with every move of the mouse. */
function useParts(dashboard: DashboardModel): RewardChartData {
  const { smoothing, xAxis, hiddenSeries, shownAttempt } = dashboard.view.value;
  const superseded = useSuperseded(dashboard, shownAttempt);
  return useMemo(
    () => rewardChartData(dashboard, superseded),
    [
      ...[dashboard.columnsVersion.value, smoothing, xAxis, hiddenSeries, superseded],
      ...[dashboard.checkpoints.value, dashboard.evaluations.value, dashboard.events.value],
    ],
  );
}

function chartData(options: RewardChartData, dashboard: DashboardModel): ChartData {
  const { isLog, isClipped, isFromZero, xRange, yRange, xAxis } = dashboard.view.value;
  const evaluated = options.marks.flatMap((mark) =>
    mark.kind === "evaluation" ? [mark.low, mark.high] : [],
  );
  const shown = [...options.series.map(({ values }) => values), evaluated];
  return {
    ...{
      xs: options.xs,
      series: options.series,
      bands: options.bands,
      marks: options.marks,
      isLog,
    },
    xSteps: tickSteps(xAxis),
    xRange: xRange ?? shownX(options.xs, options.marks),
    yRange: yRange ?? valueRange(shown, { isLog, isClipped, isFromZero }),
    formatX: (value, step) => formatXTick(xAxis, value, step),
    formatY: formatTick,
  };
}

function exportItems(
  dashboard: DashboardModel,
  table: () => ReturnType<typeof seriesTable>,
  picture: () => string,
) {
  const { host } = dashboard;
  const save = (name: string, content: string, encoding: "utf8" | "base64"): void =>
    host.command("exportFile", { file: { name, content, encoding } });
  const text = strings.chart;
  return [
    { label: text.exportPng, run: () => save("reward.png", picture(), "base64") },
    { label: text.exportCsv, run: () => save("reward.csv", toCsv(table()), "utf8") },
    { label: text.exportJson, run: () => save("reward.json", toJson(table()), "utf8") },
    {
      label: text.exportMarkdown,
      run: () => host.command("copyText", { text: toMarkdown(table()) }),
    },
  ];
}

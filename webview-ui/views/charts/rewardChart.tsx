/** The large reward chart. */

import * as l10n from "@vscode/l10n";
import { useMemo, useRef, useState } from "preact/hooks";
import { shownX, valueRange } from "../../../src/shared/chartScale.ts";
import { type PartColumns, partColumns, useRewardParts } from "../../changes/rewardParts.ts";
import type { ColumnStore } from "../../charts/columns.ts";
import { axesOver, type ChartData } from "../../charts/drawing/chartData.ts";
import type { LineChart } from "../../charts/drawing/lineChart.ts";
import { formatRewardValue, formatXValue } from "../../charts/format.ts";
import { summarizeReward } from "../../charts/summary.ts";
import { Button } from "../../controls/button.tsx";
import { Select } from "../../controls/choice.tsx";
import { DataTable } from "../../controls/dataTable.tsx";
import { type NumberTable, toCsv, toJson, toMarkdown } from "../../controls/export.ts";
import { Menu, type MenuItem } from "../../controls/menu.tsx";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import type { Host } from "../../model/host.ts";
import { useAsking } from "../../model/useAsking.ts";
import { REWARD_SPLITS, type ViewState } from "../../model/viewState.ts";
import { strings } from "../../strings/strings.ts";
import { ChartControls } from "./chartControls.tsx";
import { ChartFigure, omittedText } from "./chartFigure.tsx";
import { Legend } from "./legend.tsx";
import {
  type RewardChartData,
  rewardChartData,
  type SupersededRewards,
} from "./rewardChartData.ts";

const HEIGHT_PX = 300;
const text = strings.reward;

export function RewardChart({ dashboard }: DashboardProps) {
  const [isTable, setTable] = useState(false);
  const [row, setRow] = useState<number | null>(null);
  const chart = useRef<LineChart | null>(null);
  const { data, note } = useRewardChartData(dashboard);
  const view = dashboard.view.value;
  const drawn = useMemo(() => chartData(data, view), [data, view]);
  const notShown = omittedText(dashboard, [data.mean]);
  const summary = useMemo(() => summarizeReward(data.mean, data.points), [data]);
  const { isEmpty } = data;
  const table = (): NumberTable => seriesTable(dashboard.data.columns, data.names, data.parts);
  const shown = (at: number): string => describeRow(data, at);
  const fact = row === null ? summary || l10n.t("of all scored rollouts of a step") : shown(row);
  const describe = (at: number): string => [shown(at), ...describeParts(data, at)].join(", ");
  return (
    <figure class="card reward" aria-labelledby="reward-title" data-empty={isEmpty}>
      <figcaption class="card-head wrap">
        <h2 id="reward-title">{text.title}</h2>
        <span class="fact cut" title={fact}>
          {fact}
        </span>
        <div class="card-actions">
          <Select
            aria-label={l10n.t("Curves")}
            title={l10n.t("Curves")}
            value={view.rewardBy}
            values={REWARD_SPLITS}
            name={(parting) => text.partings[parting]}
            choose={(rewardBy) => dashboard.update({ rewardBy })}
          />
          <ChartControls dashboard={dashboard} />
          <Button
            class="quiet"
            icon={isTable ? "graphLine" : "table"}
            label={isTable ? l10n.t("View as chart") : l10n.t("View as table")}
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          />
          <Menu
            label={strings.chart.export}
            icon="export"
            isTextShown={true}
            items={exportItems(dashboard.host, table, () => chart.current?.picture() ?? "")}
          />
        </div>
      </figcaption>
      {note === "" ? null : (
        <p class="note" role="status">
          {note}
        </p>
      )}
      {isTable ? (
        <DataTable table={table()} caption={text.title} />
      ) : (
        <>
          <ChartFigure
            dashboard={dashboard}
            title={text.title}
            summary={summary}
            data={drawn}
            height={HEIGHT_PX}
            onCursor={setRow}
            stepOf={(at) => data.steps[at]}
            describe={describe}
            onChart={(made) => {
              chart.current = made;
            }}
          />
          {isEmpty ? <p class="no-data">{noData(dashboard)}</p> : null}
          <Legend dashboard={dashboard} entries={data.legend} marks={data.marks} row={row ?? -1} />
          {notShown === null ? null : <p class="note">{notShown}</p>}
        </>
      )}
    </figure>
  );
}

function noData({ data }: DashboardModel): string {
  return strings.chart.noData[data.run.value?.state ?? "unknown"] ?? strings.chart.noDataYet;
}

/** Recomputed when the numbers or the settings change, not on every mouse move. */
function useRewardChartData(dashboard: DashboardModel): {
  readonly data: RewardChartData;
  readonly note: string;
} {
  const { smoothing, xAxis, hiddenSeries, shownAttempt, rewardBy } = dashboard.view.value;
  const { columnsVersion, checkpoints, evaluations, events } = dashboard.data;
  const superseded = useSuperseded(dashboard, shownAttempt);
  const { rows, note } = useRewardParts(dashboard);
  const data = useMemo(() => {
    const steps = dashboard.data.columns.steps();
    const parts = rewardBy === "all" ? [] : partColumns(rows, rewardBy, steps);
    return rewardChartData(dashboard, superseded, parts);
  }, [
    columnsVersion.value,
    checkpoints.value,
    evaluations.value,
    events.value,
    smoothing,
    xAxis,
    hiddenSeries,
    superseded,
    rewardBy,
    rows,
  ]);
  return { data, note };
}

/** Requests the repeated steps of an attempt; null until they arrive. */
function useSuperseded(dashboard: DashboardModel, attempt: number | null): SupersededRewards {
  const [superseded, set] = useState<SupersededRewards>(null);
  useAsking(dashboard, () => {
    set(null);
    if (attempt === null) return;
    const names = ["rollout/reward/mean"];
    return dashboard.host.ask({ ask: "superseded", attempt, names }, (answer) => {
      if (answer.kind !== "superseded") return;
      const values = answer.columns[0]?.values ?? new Float64Array();
      const rewards = new Map(
        Array.from(answer.steps, (step, row) => [step, values[row] ?? Number.NaN]),
      );
      set({ attempt, rewards });
    });
  }, [attempt]);
  return superseded;
}

/** Describes a row: the recorded values, plus the drawn one if it differs. */
function describeRow({ mean, counts, smoothed, xAxis, xs }: RewardChartData, row: number): string {
  const count = counts[row] ?? Number.NaN;
  const values = [
    `${text.mean} ${formatRewardValue(mean[row])}`,
    ...(smoothed === null ? [] : [text.smoothed(formatRewardValue(smoothed[row]))]),
    ...(Number.isFinite(count) ? [text.restsOn(count)] : []),
  ];
  return `${formatXValue(xAxis, xs[row] ?? 0)}: ${values.join(", ")}`;
}

/** The same values as in the legend. */
function describeParts({ parts }: RewardChartData, row: number): readonly string[] {
  return parts.flatMap(({ label, mean, rollouts }) => {
    const count = rollouts[row] ?? Number.NaN;
    return Number.isNaN(count)
      ? []
      : `${label} ${formatRewardValue(mean[row])} (${text.restsOn(count)})`;
  });
}

function chartData(
  { xAxis, xs, series, bands, marks }: RewardChartData,
  { isLog, isClipped, isFromZero, xRange, yRange }: ViewState,
): ChartData {
  const evaluated = marks.flatMap((mark) =>
    mark.kind === "evaluation" ? [mark.low, mark.high] : [],
  );
  const shown = [...series.map(({ values }) => values), evaluated];
  const positions = marks.map(({ x }) => x);
  return {
    xs,
    series,
    bands,
    marks,
    isLog,
    xRange: xRange ?? shownX(xs, positions),
    yRange: yRange ?? valueRange(shown, { isLog, isClipped, isFromZero }),
    ...axesOver(xAxis),
  };
}

function exportItems(
  host: Host,
  table: () => NumberTable,
  picture: () => string,
): readonly MenuItem[] {
  const save = (name: string, content: string, encoding: "utf8" | "base64"): void =>
    host.command("exportFile", { file: { name, content, encoding } });
  const { exportPng, exportCsv } = strings.chart;
  return [
    { label: exportPng, run: () => save("reward.png", picture(), "base64") },
    { label: exportCsv, run: () => save("reward.csv", toCsv(table()), "utf8") },
    {
      label: l10n.t("Numbers (JSON)"),
      run: () => save("reward.json", toJson(table()), "utf8"),
    },
    {
      label: l10n.t("Copy as Markdown table"),
      run: () => host.command("copyText", { text: toMarkdown(table()) }),
    },
  ];
}

/** Raw values, including those of `parts`; steps count from 1. */
function seriesTable(
  columns: ColumnStore,
  names: readonly { readonly head: string; readonly name: string }[],
  parts: readonly PartColumns[],
): NumberTable {
  const steps = columns.steps();
  const values = [
    ...names.map(({ name }) => columns.values(name)),
    ...parts.flatMap(({ mean, low, high, rollouts }) => [mean, low, high, rollouts]),
  ];
  const rows = Array.from(steps, (step, row) => [
    step + 1,
    ...values.map((column) => {
      const value = column[row] ?? Number.NaN;
      return Number.isNaN(value) ? null : value;
    }),
  ]);
  const partHeads = parts.flatMap(({ label }) =>
    ["mean", "95% low", "95% high", "rollouts"].map((head) => `${label} ${head}`),
  );
  return { heads: ["step", ...names.map(({ head }) => head), ...partHeads], rows };
}

/** A chart with what makes it usable without eyes or mouse: title, summary, table, keys. */

import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { zoomed } from "../charts/scale.ts";
import type { ChartData } from "../controls/chartData.ts";
import { ContextMenu, type ContextMenuProps } from "../controls/contextMenu.tsx";
import { LineChart, type LineChartOptions } from "../controls/lineChart.ts";
import { themeVersion } from "../controls/palette.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { openEvaluation } from "../model/evaluationCell.ts";
import { strings } from "../strings/strings.ts";
import { cellTitle } from "./setTitle.ts";
import { stepMenu } from "./stepMenu.ts";

interface ChartFigureProps {
  readonly dashboard: DashboardModel;
  readonly title: string;
  /** The chart in words, for those who do not see it. */
  readonly summary: string;
  readonly data: ChartData;
  readonly height: number;
  readonly isSmall?: boolean;
  /** Called with the row under the cursor; null when it left. */
  readonly onCursor: (row: number | null) => void;
  /** Row to step, counted from 0. */
  readonly stepOf: (row: number) => number | undefined;
  /** The row in words. */
  readonly describe: (row: number) => string;
  /** Called with the chart once it is drawn; for pictures. */
  readonly onChart?: (chart: LineChart) => void;
}

interface OpenedMenu {
  readonly step: number;
  readonly at: ContextMenuProps["at"];
}

const SYNC_KEY = "run";

export function ChartFigure(props: ChartFigureProps) {
  const { dashboard, title, summary, data, isSmall = false } = props;
  const element = useRef<HTMLDivElement>(null);
  const [row, setRow] = useState<number | null>(null);
  const hovered = useRef<number | null>(null);
  const onCursor = (at: number | null): void => {
    hovered.current = at;
    props.onCursor(at);
  };
  const chart = useLineChart(element, { ...props, onCursor });
  const menu = useStepMenu(
    props,
    () => hovered.current ?? row,
    () => element.current?.focus(),
  );
  const onKey = (event: KeyboardEvent): void => {
    const next = nextRow(event.key, row, data.xs.length);
    if (event.key === "Enter" && row !== null) openRow(props, row);
    else if (next !== null) {
      setRow(next);
      chart.current?.point(next);
      props.onCursor(next);
    } else if (!zoomByKey(event.key, dashboard, data)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const label = useMemo(
    () => `${title}. ${summary} ${strings.chart.keys} ${isSmall ? "" : strings.chart.zoomHint}`,
    [title, summary, isSmall],
  );
  const count = data.xs.length;
  const plot = (
    <div
      class="plot"
      ref={element}
      tabIndex={0}
      role="slider"
      aria-orientation="horizontal"
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, count)}
      aria-valuenow={(row ?? Math.max(0, count - 1)) + 1}
      aria-valuetext={count === 0 ? strings.chart.noDataYet : props.describe(row ?? count - 1)}
      onKeyDown={onKey}
      onBlur={() => props.onCursor(null)}
      onContextMenu={menu.open}
    />
  );
  return (
    <div class="plot-frame">
      {plot}
      {menu.shown}
    </div>
  );
}

/** The menu of the step under the mouse, or of the one that the keys have reached. */
function useStepMenu(
  { dashboard, stepOf }: ChartFigureProps,
  rowAt: () => number | null,
  focus: () => void,
) {
  const [opened, setOpened] = useState<OpenedMenu | null>(null);
  const close = (): void => {
    setOpened(null);
    focus();
  };
  return {
    open: (event: MouseEvent): void => {
      const step = stepOf(rowAt() ?? -1);
      if (step === undefined) return;
      event.preventDefault();
      const { left, top, height } = (event.currentTarget as Element).getBoundingClientRect(); // the plot
      const isByMouse = event.clientX !== 0 || event.clientY !== 0;
      const at = isByMouse
        ? { left: event.clientX - left, top: event.clientY - top }
        : { left: 0, top: height / 2 };
      setOpened({ step, at });
    },
    shown:
      opened === null ? null : (
        <ContextMenu
          label={strings.chart.step(opened.step + 1)}
          items={stepMenu(dashboard, opened.step)}
          at={opened.at}
          close={close}
        />
      ),
  };
}

/** Draws the chart into the element, and again with every change of its numbers, its width, or the theme. */
function useLineChart(
  parent: RefObject<HTMLDivElement | null>,
  props: ChartFigureProps,
): RefObject<LineChart | null> {
  const { dashboard, data, height, isSmall = false } = props;
  const chart = useRef<LineChart | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const theme = themeVersion.value;
  useEffect(() => {
    const element = parent.current;
    if (element === null) return;
    const made = new LineChart(element, chartOptions(dashboard, height, isSmall, latest));
    chart.current = made;
    latest.current.onChart?.(made);
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) made.resize(entry.contentRect.width);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      chart.current = null;
    };
  }, [dashboard, height, isSmall]);
  useEffect(() => chart.current?.update(data), [data, theme, height, isSmall]);
  return chart;
}

function chartOptions(
  dashboard: DashboardModel,
  height: number,
  isSmall: boolean,
  latest: { readonly current: ChartFigureProps },
): LineChartOptions {
  return {
    height,
    isSmall,
    syncKey: SYNC_KEY,
    onCursor: (row) => latest.current.onCursor(row),
    onPick: (row) => openRow(latest.current, row),
    onPickMark: (cell) => openEvaluation(dashboard, cell),
    hintOf: (cell) => strings.evaluation.open(cellTitle(cell)),
    onZoom: ({ x, y }) =>
      dashboard.update({
        ...(x === undefined ? {} : { xRange: x }),
        ...(y === undefined || isSmall ? {} : { yRange: y }),
      }),
  };
}

function openRow({ dashboard, stepOf }: ChartFigureProps, row: number): void {
  const step = stepOf(row);
  if (step !== undefined) dashboard.openRollouts({ source: "training", step });
}

function nextRow(key: string, row: number | null, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowLeft") return Math.max(0, (row ?? count) - 1);
  if (key === "ArrowRight") return Math.min(count - 1, (row ?? count - 2) + 1);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

/** `+`, `-` and `0`. True when the key was one of them. */
function zoomByKey(key: string, dashboard: DashboardModel, { xs, xRange }: ChartData): boolean {
  if (!["+", "=", "-", "0"].includes(key)) return false;
  if (key === "0") {
    dashboard.update({ xRange: null, yRange: null });
    return true;
  }
  const limits = [xs[0] ?? 0, xs.at(-1) ?? 1] as const;
  const centre = (xRange[0] + xRange[1]) / 2;
  dashboard.update({ xRange: zoomed(xRange, key === "-" ? 1.25 : 0.8, centre, limits) });
  return true;
}

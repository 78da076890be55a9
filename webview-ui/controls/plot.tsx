/** A chart with mouse and keyboard control and a text description. */

import * as l10n from "@vscode/l10n";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ChartData } from "../charts/drawing/chartData.ts";
import { type ChartActions, zoomStep } from "../charts/drawing/chartMouse.ts";
import { LineChart } from "../charts/drawing/lineChart.ts";
import { themeVersion } from "../charts/drawing/palette.ts";
import { strings } from "../strings/strings.ts";
import { ContextMenu, type ContextMenuProps, type MenuItem } from "./menu.tsx";

export interface PlotActions extends ChartActions {
  /** Null if the row has no menu. */
  readonly menu?: (
    row: number,
  ) => { readonly label: string; readonly items: readonly MenuItem[] } | null;
}

export interface PlotProps {
  /** Charts with the same key share their cursor. */
  readonly syncKey: string;
  readonly title: string;
  /** Describes the chart for people who cannot see it. */
  readonly summary: string;
  readonly data: ChartData;
  readonly height: number;
  readonly isSmall?: boolean;
  /** Receives the row under the cursor; null when the cursor leaves. */
  readonly onCursor: (row: number | null) => void;
  /** Describes the row. */
  readonly describe: (row: number) => string;
  /** Receives the chart once it is drawn; used for pictures. */
  readonly onChart?: (chart: LineChart) => void;
  readonly actions: PlotActions;
}

interface OpenedMenu {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly at: ContextMenuProps["at"];
}

export function Plot(props: PlotProps) {
  const { title, summary, data, isSmall = false, actions } = props;
  const element = useRef<HTMLDivElement>(null);
  const [row, setRow] = useState<number | null>(null);
  const hovered = useRef<number | null>(null);
  const onCursor = (at: number | null): void => {
    hovered.current = at;
    props.onCursor(at);
  };
  const chart = useLineChart(element, { ...props, onCursor });
  const menu = useRowMenu(
    actions,
    () => hovered.current ?? row,
    () => element.current?.focus(),
  );
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = nextRow(event.key, row, data.xs.length);
    if (event.key === "Enter" && row !== null && actions.open !== undefined) actions.open(row);
    else if (next !== null) {
      setRow(next);
      chart.current?.point(next);
      props.onCursor(next);
    } else if (!zoomByKey(event.key, actions, data)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const label = useMemo(
    () =>
      `${title}. ${summary} ${l10n.t("Arrow keys move the point, Enter opens its step.")} ${isSmall ? "" : l10n.t("Drag to zoom, Shift-drag for y, Alt-drag for both, double-click to reset")}`,
    [title, summary, isSmall],
  );
  const count = data.xs.length;
  return (
    <div class="plot-frame">
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
      {menu.shown}
    </div>
  );
}

/** The menu of the row under the mouse, or of the row selected by keyboard. */
function useRowMenu(actions: PlotActions, rowAt: () => number | null, focus: () => void) {
  const [opened, setOpened] = useState<OpenedMenu | null>(null);
  const close = (): void => {
    setOpened(null);
    focus();
  };
  return {
    open: (event: MouseEvent): void => {
      const menu = actions.menu?.(rowAt() ?? -1) ?? null;
      if (menu === null) return;
      event.preventDefault();
      const { left, top, height } = (event.currentTarget as Element).getBoundingClientRect(); // the plot
      const isByMouse = event.clientX !== 0 || event.clientY !== 0;
      const at = isByMouse
        ? { left: event.clientX, top: event.clientY }
        : { left, top: top + height / 2 };
      setOpened({ ...menu, at });
    },
    shown: opened === null ? null : <ContextMenu {...opened} close={close} />,
  };
}

/** Draws the chart into the element, and again when its numbers, its width, or the theme change. */
function useLineChart(
  parent: RefObject<HTMLDivElement | null>,
  props: PlotProps,
): RefObject<LineChart | null> {
  const { data, height, isSmall = false, syncKey } = props;
  const chart = useRef<LineChart | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const theme = themeVersion.value;
  useEffect(() => {
    const element = parent.current;
    if (element === null) return;
    const made = new LineChart(element, {
      height,
      isSmall,
      syncKey,
      actions: () => latest.current.actions,
      onCursor: (row) => latest.current.onCursor(row),
    });
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
  }, [height, isSmall, syncKey]);
  useEffect(() => chart.current?.update(data), [data, theme, height, isSmall, syncKey]);
  return chart;
}

function nextRow(key: string, row: number | null, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowLeft") return Math.max(0, (row ?? count) - 1);
  if (key === "ArrowRight") return Math.min(count - 1, (row ?? count - 2) + 1);
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : null;
}

/** Handles `+`, `-`, and `0`. Returns true if it was one of them. */
function zoomByKey(key: string, { zoom }: PlotActions, data: ChartData): boolean {
  if (!["+", "=", "-", "0"].includes(key)) return false;
  const [low, high] = data.xRange;
  zoom(key === "0" ? { x: null, y: null } : zoomStep(data, (low + high) / 2, key === "-"));
  return true;
}

/** A bar per rollout on a common time axis; only visible bars are drawn. */

// biome-ignore-all lint/a11y/useSemanticElements: virtual rows are positioned freely, which a table forbids
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and points at its row
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid has the keys of its rows

import * as l10n from "@vscode/l10n";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { groupBy } from "../../../src/shared/groupBy.ts";
import type { PathSpan, TimeKind, TimelineRow, TimeSpan } from "../../../src/shared/timeline.ts";
import { rowAfter } from "../../controls/gridKeys.ts";
import { useGridCursor } from "../../controls/useVirtualRows.ts";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { isTyping } from "../../model/keys.ts";
import { timelineStrings as text } from "../../strings/timeline.ts";
import { visibleLine } from "../../text/visible.ts";
import { formatRolloutName } from "../rollouts/rolloutGroups.ts";
import { rowText, ticks, totals } from "./timelineModel.ts";
import type { ShownTimeline } from "./useTimeline.ts";

const ROW_PX = 20;
const BAR_PX = 12;
const HEAD_PX = 46;
const LABEL_PX = 72;
const RIGHT_PX = 16;
const TICK_PX = 90;

interface BarsProps extends DashboardProps {
  readonly timeline: ShownTimeline;
  /** Row indices in display order. */
  readonly order: readonly number[];
}

/** Maps times to pixels. */
interface TimeScale {
  readonly width: number;
  readonly x: (ms: number) => number;
}

export function TimelineBars({ dashboard, timeline, order }: BarsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const scale = useTimeScale(scroller, timeline);
  const onPath = useMemo(() => groupBy(timeline.path, ({ row }) => row), [timeline]);
  const { rows, height, cursor, setCursor, move, page } = useGridCursor(scroller, {
    count: order.length,
    rowHeight: ROW_PX,
    headHeight: HEAD_PX,
  });
  const rowAt = (index: number): TimelineRow | undefined => timeline.rows[order[index] ?? -1];
  const open = (row: TimelineRow | undefined): void => {
    if (row !== undefined) dashboard.openRollouts(timeline, row);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (isTyping(event)) return;
    const target = rowAfter(event.key, cursor, {
      count: order.length,
      page: page(),
      hasSingleKeys: dashboard.settings.value.hasSingleKeys,
    });
    if (target !== null) move(target);
    else if (event.key === "Enter") open(rowAt(cursor));
    else return;
    event.preventDefault();
  };
  const described = rowAt(cursor);
  return (
    <>
      <div
        class="timeline-grid"
        role="grid"
        ref={scroller}
        tabIndex={0}
        aria-label={l10n.t("Rollouts of the step on a common time axis")}
        aria-rowcount={order.length}
        aria-activedescendant={`timeline-row-${cursor}`}
        onKeyDown={onKey}
      >
        <Axis timeline={timeline} scale={scale} />
        <div class="timeline-body" role="rowgroup" style={{ height: `${height}px` }}>
          {rows.map(({ index, start }) => {
            const row = rowAt(index);
            return row === undefined ? null : (
              <Bar
                key={index}
                row={row}
                index={index}
                path={onPath.get(order[index] ?? -1) ?? []}
                scale={scale}
                top={start}
                isCursor={index === cursor}
                open={() => {
                  setCursor(index);
                  open(row);
                }}
                choose={() => setCursor(index)}
              />
            );
          })}
        </div>
      </div>
      <p class="timeline-described">
        {described === undefined ? "" : visibleLine(rowText(described))}
      </p>
    </>
  );
}

function useTimeScale(
  scroller: { readonly current: HTMLDivElement | null },
  { fromMs, toMs }: ShownTimeline,
): TimeScale {
  const [width, setWidth] = useState(800);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() =>
      setWidth(Math.max(100, element.clientWidth - LABEL_PX - RIGHT_PX)),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  const x = (ms: number): number => ((ms - fromMs) / (toMs - fromMs)) * width;
  return { width, x };
}

/** The time axis, with the step's own phases. */
function Axis({
  timeline,
  scale,
}: {
  readonly timeline: ShownTimeline;
  readonly scale: TimeScale;
}) {
  const { fromMs, toMs, phases } = timeline;
  const marks = ticks(fromMs, toMs, Math.max(2, scale.width / TICK_PX));
  return (
    <div class="timeline-axis" role="presentation">
      <div class="timeline-ticks" style={{ marginLeft: `${LABEL_PX}px` }} aria-hidden="true">
        {marks.map((ms) => (
          <span key={ms} style={{ left: `${scale.x(ms)}px` }}>
            {`${ms < 0 ? "−" : ""}${ms === 0 ? "0" : text.duration(Math.abs(ms))}`}
          </span>
        ))}
      </div>
      <div class="timeline-step row" aria-hidden="true" title={phases.map(spanText).join("\n")}>
        <span class="timeline-label">{phases.length === 0 ? "" : l10n.t("step")}</span>
        <svg width={scale.width} height={BAR_PX} aria-hidden="true">
          <Spans spans={phases} scale={scale} />
        </svg>
      </div>
    </div>
  );
}

interface BarProps {
  readonly row: TimelineRow;
  readonly index: number;
  readonly path: readonly PathSpan[];
  readonly scale: TimeScale;
  readonly top: number;
  readonly isCursor: boolean;
  readonly open: () => void;
  readonly choose: () => void;
}

function Bar({ row, index, path, scale, top, isCursor, open, choose }: BarProps) {
  const isOnPath = path.length > 0;
  const [hint, setHint] = useState("");
  const onMove = (event: MouseEvent): void => {
    const target = event.currentTarget;
    if (!(target instanceof SVGElement)) return;
    const x = event.clientX - target.getBoundingClientRect().left;
    const under = row.spans.find((span) => x >= scale.x(span.fromMs) && x < scale.x(span.toMs));
    setHint(under === undefined ? "" : spanText(under));
  };
  const label = `${visibleLine(rowText(row))}${isOnPath ? `, ${l10n.t("on the critical path")}` : ""}`;
  return (
    <div
      class="timeline-row row"
      role="row"
      id={`timeline-row-${index}`}
      aria-rowindex={index + 1}
      aria-selected={isCursor}
      data-path={isOnPath}
      style={{ transform: `translateY(${top}px)` }}
      onClick={open}
      onMouseEnter={choose}
    >
      <span role="rowheader" class="timeline-label">
        {isOnPath ? <span class="timeline-on-path" aria-hidden="true" /> : null}
        {formatRolloutName(row)}
      </span>
      <span role="gridcell" aria-label={label} title={hint}>
        <svg width={scale.width} height={ROW_PX} aria-hidden="true" onMouseMove={onMove}>
          <g transform={`translate(0 ${(ROW_PX - BAR_PX) / 2})`}>
            <Spans spans={row.spans} scale={scale} />
            {isOnPath ? <path class="timeline-critical" d={underline(path, scale)} /> : null}
          </g>
        </svg>
      </span>
    </div>
  );
}

/** One path per kind, however many spans there are. */
function Spans({
  spans,
  scale,
}: {
  readonly spans: readonly TimeSpan[];
  readonly scale: TimeScale;
}) {
  return (
    <>
      {totals(spans).map(({ kind }) => (
        <path key={kind} class="timeline-span" data-kind={kind} d={shape(spans, kind, scale)} />
      ))}
    </>
  );
}

function shape(spans: readonly TimeSpan[], kind: TimeKind, scale: TimeScale): string {
  const [top, height] = kind === "other" || kind === "finish" ? [BAR_PX / 2 - 1, 2] : [0, BAR_PX];
  return spans
    .filter((span) => span.kind === kind)
    .map(({ fromMs, toMs }) => box(scale.x(fromMs), scale.x(toMs), top, height))
    .join("");
}

function underline(path: readonly PathSpan[], scale: TimeScale): string {
  return path
    .map(({ fromMs, toMs }) => box(scale.x(fromMs), scale.x(toMs), BAR_PX + 1, 2))
    .join("");
}

/** A box that is at least a hairline wide, so that short spans stay visible. */
function box(from: number, to: number, top: number, height: number): string {
  const width = Math.max(0.75, to - from);
  return `M${from.toFixed(2)} ${top}h${width.toFixed(2)}v${height}h${(-width).toFixed(2)}z`;
}

function spanText({ kind, fromMs, toMs }: TimeSpan): string {
  const length = text.duration(toMs - fromMs);
  return l10n.t("{0} {1}, from {2}", text.kinds[kind], length, text.duration(fromMs));
}

/** Small multiples of the model's behavior: one chart per measure, stop reason, and tool. */

import * as l10n from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { StepRange } from "../../src/shared/changes.ts";
import { loneRows } from "../../src/shared/chartScale.ts";
import { formatCount } from "../../src/shared/format.ts";
import type { Behavior } from "../model/changesModel.ts";
import type { DashboardProps } from "../model/dashboardModel.ts";
import { changesStrings as text } from "../strings/changes.ts";
import { type BehaviorSeries, behaviorSeries } from "./behaviorSeries.ts";

const WIDTH = 200;
const HEIGHT = 48;
const MARGIN = 3;

interface ChartsProps extends DashboardProps {
  readonly behavior: Behavior | null;
  /** Highlighted in every chart. */
  readonly ranges: readonly StepRange[];
}

export function BehaviorCharts({ dashboard, behavior, ranges }: ChartsProps) {
  if (behavior === null) return null;
  const { rows, steps, progress, isComplete, error } = behavior;
  return (
    <section aria-labelledby="behavior">
      <h2 id="behavior">{l10n.t("What the model does")}</h2>
      <p class="fact" role="status">
        {!isComplete
          ? text.reading(Math.floor(progress * 100))
          : rows.length < steps
            ? l10n.t(
                "{0} of {1} steps; tools, texts and refusals from up to 32 rollouts each. Enter opens a step.",
                formatCount(rows.length),
                formatCount(steps),
              )
            : l10n.t(
                "Tools, texts and refusals from up to 32 rollouts of each step. Enter opens a step.",
              )}
      </p>
      {error === null ? null : <p class="error">{error}</p>}
      <div class="behavior-charts">
        {behaviorSeries(rows).map((series) => (
          <SmallChart key={series.title} dashboard={dashboard} series={series} ranges={ranges} />
        ))}
      </div>
    </section>
  );
}

interface ChartProps extends DashboardProps {
  readonly series: BehaviorSeries;
  readonly ranges: readonly StepRange[];
}

function SmallChart({ dashboard, series, ranges }: ChartProps) {
  const { title, steps, values, show } = series;
  const [at, setAt] = useState<number | null>(null);
  const last = values.length - 1;
  const [first = 0] = steps;
  const span = Math.max(1, (steps.at(-1) ?? 0) - first);
  const x = (step: number): number => MARGIN + ((WIDTH - 2 * MARGIN) * (step - first)) / span;
  const { path, points } = pathsOf(series, x);
  const summary = summaryOf(series);
  const open = (index: number): void =>
    dashboard.openRollouts({ source: "training", step: steps[index] ?? 0 });
  const move = (by: number): void => setAt(Math.min(last, Math.max(0, (at ?? last) + by)));
  return (
    <button
      type="button"
      class="behavior-chart stack"
      onClick={() => open(at ?? last)}
      onBlur={() => setAt(null)}
      onMouseLeave={() => setAt(null)}
      onMouseMove={({ currentTarget, clientX }) => {
        const { left, width } = currentTarget.getBoundingClientRect();
        setAt(nearest(steps, first + (span * (clientX - left)) / width));
      }}
      onKeyDown={(event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        move(event.key === "ArrowLeft" ? -1 : 1);
        event.preventDefault();
      }}
    >
      <span class="behavior-title cut" title={title}>
        {title}
      </span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {ranges.map(({ from, to }, index) => (
          <rect
            key={index}
            class="range"
            x={x(Math.max(first, from)) - MARGIN}
            width={Math.max(
              2 * MARGIN,
              x(Math.min(first + span, to)) - x(Math.max(first, from)) + 2 * MARGIN,
            )}
            height={HEIGHT}
          />
        ))}
        <path d={path} vector-effect="non-scaling-stroke" />
        <path class="points" d={points} vector-effect="non-scaling-stroke" />
        {at === null ? null : (
          <line
            x1={x(steps[at] ?? 0)}
            x2={x(steps[at] ?? 0)}
            y2={HEIGHT}
            vector-effect="non-scaling-stroke"
          />
        )}
      </svg>
      <span class="fact">
        {at === null
          ? summary
          : l10n.t("step {0}: {1}", formatCount((steps[at] ?? 0) + 1), show(values[at] ?? null))}
      </span>
    </button>
  );
}

/** First and last value, plus the highest if it is neither. */
function summaryOf({ values, show }: BehaviorSeries): string {
  const [first, last] = [values[0], values.at(-1)].map((value) => show(value ?? null));
  const highest = show(Math.max(...values.filter((value) => value !== null)));
  const change = `${first} → ${last}`;
  return highest === first || highest === last
    ? change
    : l10n.t("{0}, highest {1}", change, highest);
}

/** SVG paths on a vertical scale from min(0, lowest) to the highest value. Missing values leave gaps; a value between two gaps is a dot. */
function pathsOf({ steps, values, minHigh }: BehaviorSeries, x: (step: number) => number) {
  const known = values.filter((value) => value !== null);
  const low = Math.min(0, ...known);
  const range = Math.max(Number.MIN_VALUE, Math.max(minHigh, ...known) - low);
  const places = values.map((value, at) => {
    if (value === null) return null;
    const y = HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * (value - low)) / range;
    return `${x(steps[at] ?? 0).toFixed(1)} ${y.toFixed(1)}`;
  });
  return {
    path: places
      .map((place, at) => (place === null ? "" : `${places[at - 1] == null ? "M" : "L"}${place}`))
      .join(""),
    points: loneRows(values)
      .map((at) => `M${places[at]}h0`)
      .join(""),
  };
}

function nearest(steps: readonly number[], wanted: number): number {
  const distances = steps.map((step) => Math.abs(step - wanted));
  return distances.indexOf(Math.min(...distances));
}

/** The plots of a sweep. Each mark is one run, which a click opens; the table of the same runs serves the keyboard. */

import type { Range } from "../../src/shared/chartScale.ts";
import { formatTick } from "../../src/shared/formatTick.ts";
import type { SettingEffect, SweepEffects } from "../../src/shared/sweepEffects.ts";
import { meanPath, placesOf, sweepPlot } from "../../src/shared/sweepPlot.ts";
import { effectText } from "../../src/shared/sweepText.ts";
import { visibleLine } from "../text/visible.ts";

/** The run under the pointer, in all plots and in the table; null = none. */
export interface LitRun {
  readonly id: string | null;
  readonly set: (id: string | null) => void;
  readonly open: (id: string) => void;
}

const SIZE = { width: 380, height: 190 };

interface PlotProps {
  readonly effect: SettingEffect;
  readonly range: Range;
  readonly lit: LitRun;
}

export function SettingPlot({ effect, range, lit }: PlotProps) {
  const plot = sweepPlot(effect, range, SIZE, visibleLine);
  const { width, height, left, right, bottom } = plot;
  const label = `${visibleLine(effect.key)}: ${effectText(effect)}`;
  return (
    <svg class="sweep-plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {plot.yTicks.map(({ value, step, y }) => (
        <g key={value}>
          <line class="sweep-line" x1={left} x2={right} y1={y} y2={y} />
          <text x={left - 6} y={y + 4} text-anchor="end">
            {formatTick(value, step)}
          </text>
        </g>
      ))}
      {plot.xLabels.map(({ text, x }) => (
        <text key={x} x={x} y={bottom + 18} text-anchor="middle">
          {text}
        </text>
      ))}
      {plot.means.map((mean) => (
        <path key={mean.x} class="sweep-mean" d={meanPath(mean)} />
      ))}
      {plot.points.map(({ id, x, y }) => (
        <circle
          key={id}
          class="sweep-point"
          data-lit={id === lit.id}
          cx={x}
          cy={y}
          r={id === lit.id ? 6 : 4}
          {...pointed(lit, id)}
        />
      ))}
    </svg>
  );
}

const WIDTH = 960;
const HEIGHT = 270;
const TOP = 34;
const SIDE = 40;
/** Room for labels to the right of the last axis. */
const LABELS = 60;

interface ParallelProps {
  readonly effects: SweepEffects;
  readonly range: Range;
  /** Name of the result. */
  readonly result: string;
  readonly shown: (key: string) => string;
  readonly lit: LitRun;
}

/** One axis per setting, the most explanatory first, and one for the result; better runs have brighter lines. */
export function ParallelCoordinates({ effects, range, result, shown, lit }: ParallelProps) {
  const { settings } = effects;
  const bottom = HEIGHT - 14;
  const x = (axis: number): number =>
    SIDE + ((WIDTH - SIDE - LABELS) * axis) / Math.max(1, settings.length);
  const y = (place: number): number => bottom - (bottom - TOP) * place;
  const axes = settings.map(({ key, scale, values }) => {
    const places = placesOf(values, scale);
    return {
      key,
      values: values.map(({ text, points }, at) => ({ text, points, place: places[at] ?? 0 })),
    };
  });
  const placeOf = (value: number): number => (value - range[0]) / (range[1] - range[0] || 1);
  const lines = (settings[0]?.values ?? [])
    .flatMap(({ points }) => points)
    .map(({ id, result: own }) => {
      const places = axes.map(
        ({ values }) => values.find(({ points }) => points.some((other) => other.id === id))?.place,
      );
      const path = [...places, placeOf(own)].map((place, at) => `${x(at)} ${y(place ?? 0)}`);
      return { id, path: `M${path.join("L")}`, share: placeOf(own) };
    })
    .toSorted((a, b) => a.share - b.share);
  const ticks = sweepPlot({ scale: "linear", values: [] }, range, { width: 1, height: 1 }).yTicks;
  const ends = [ticks[0], ticks.at(-1)].filter((tick) => tick !== undefined);
  return (
    <svg
      class="sweep-plot"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={[...settings.map(({ key }) => shown(key)), result].join(", ")}
    >
      {lines.map(({ id, path, share }) => (
        <g key={id} {...pointed(lit, id)}>
          <path class="sweep-hit" d={path} />
          <path
            class="sweep-run"
            d={path}
            stroke-opacity={lit.id === null ? 0.2 + 0.8 * share : 0.2}
          />
        </g>
      ))}
      {lines.map(({ id, path }) =>
        id === lit.id ? <path key={id} class="sweep-run" data-lit={true} d={path} /> : null,
      )}
      {axes.map(({ key, values }, at) => (
        <Axis
          key={key}
          x={x(at)}
          name={shown(key)}
          labels={values.map(({ text, place }) => ({ text: visibleLine(text), y: y(place) }))}
        />
      ))}
      <Axis
        x={x(settings.length)}
        name={result}
        labels={ends.map(({ value, step }) => ({
          text: formatTick(value, step),
          y: y(placeOf(value)),
        }))}
      />
    </svg>
  );
}

interface AxisProps {
  readonly x: number;
  readonly name: string;
  readonly labels: readonly { readonly text: string; readonly y: number }[];
}

function Axis({ x, name, labels }: AxisProps) {
  return (
    <g class="sweep-axis">
      <line class="sweep-line" x1={x} x2={x} y1={TOP} y2={HEIGHT - 14} />
      <text class="sweep-axis-name" x={x} y={16} text-anchor="middle">
        {name}
      </text>
      {labels.map(({ text, y }) => (
        <text key={text} x={x + 6} y={y + 4}>
          {text}
        </text>
      ))}
    </g>
  );
}

function pointed(lit: LitRun, id: string) {
  return {
    onPointerEnter: () => lit.set(id),
    onPointerLeave: () => lit.set(null),
    onClick: () => lit.open(id),
  };
}

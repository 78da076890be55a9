/** A line chart on a canvas: the only place that knows uPlot. */

import uPlot from "uplot";
import { drawnPositions, pick } from "../charts/decimate.ts";
import { type Range, zoomed } from "../charts/scale.ts";
import { labelledTicks } from "../charts/ticks.ts";
import { type ChartMark, drawMarks, RIGHT_PX } from "./chartMarks.ts";
import { type ColourName, canvasColour, lineColour } from "./palette.ts";

export interface ChartSeries {
  readonly key: string;
  readonly label: string;
  readonly values: Float64Array;
  readonly colour: ColourName;
  /** How much of the colour is seen, 0 to 1; 0 draws nothing, for the edges of bands. */
  readonly share: number;
  readonly width: number;
  /** Lengths of dashes and gaps, so that colour is not the only difference. */
  readonly dash?: readonly number[];
}

/** A filled area between two series. */
export interface ChartBand {
  readonly upper: string;
  readonly lower: string;
  readonly colour: ColourName;
  readonly share: number;
}

export interface ChartData {
  /** Ascending, as long as every series. */
  readonly xs: Float64Array;
  readonly series: readonly ChartSeries[];
  readonly bands: readonly ChartBand[];
  readonly marks: readonly ChartMark[];
  readonly xRange: Range;
  readonly yRange: Range;
  readonly isLog: boolean;
  /** Distances that ticks of the horizontal axis may have; null = any. */
  readonly xSteps: readonly number[] | null;
  /** `step` is the distance of the ticks, 0 when they have different ones. */
  readonly formatX: (value: number, step: number) => string;
  readonly formatY: (value: number, step: number) => string;
}

export interface ChartOptions {
  readonly height: number;
  readonly isSmall: boolean;
  /** Charts with the same key share their cursor. */
  readonly syncKey: string;
  /** Row under the cursor; null when it left. */
  readonly onCursor: (row: number | null) => void;
  readonly onPick: (row: number) => void;
  /** Ranges that the user drew or rolled to; both null = all. */
  readonly onZoom: (zoom: { readonly x?: Range | null; readonly y?: Range | null }) => void;
}

export interface LineChart {
  update(data: ChartData): void;
  resize(width: number): void;
  /** Puts the cursor on a row. */
  point(row: number): void;
  /** A picture as Base64 of a PNG, on the editor's background. */
  picture(): string;
  destroy(): void;
}

const AXIS_FONT_PX = 11;
/** A click waits this long for a second one, which means something else. */
const DOUBLE_CLICK_MS = 250;
/** Between the middles of two labels of the vertical axis. */
const LABEL_PX = 18;

export function createLineChart(place: HTMLElement, options: ChartOptions): LineChart {
  let plot: uPlot | null = null;
  let data: ChartData | null = null;
  let shape = "";
  let width = Math.max(100, place.clientWidth);
  let positions: Uint32Array = new Uint32Array();
  let picking: ReturnType<typeof setTimeout> | undefined;

  const draw = (next: ChartData): void => {
    data = next;
    positions = drawnPositions(next.series[0]?.values ?? next.xs, Math.max(50, width));
    const columns = [
      pick(next.xs, positions),
      ...next.series.map(({ values }) => pick(values, positions)),
    ];
    const nextShape = shapeOf(next);
    if (plot !== null && shape === nextShape) {
      plot.setData(columns as uPlot.AlignedData, true);
      return;
    }
    plot?.destroy();
    shape = nextShape;
    plot = new uPlot(plotOptions(next), columns as uPlot.AlignedData, place);
  };

  const current = (): ChartData => data ?? EMPTY;

  const plotOptions = (first: ChartData): uPlot.Options => ({
    width,
    height: options.height,
    padding: options.isSmall ? [6, 8, 0, 0] : [10, RIGHT_PX, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [...current().xRange] },
      y: { distr: first.isLog ? 3 : 1, range: () => [...current().yRange] },
    },
    axes: axesOf(first),
    series: [{}, ...first.series.map(seriesOptions)],
    bands: first.bands.flatMap((band) => bandOptions(band, first.series)),
    cursor: cursorOptions(),
    hooks: {
      ready: [listenToMouse],
      setCursor: [
        ({ cursor: { idx, left = -1 } }) =>
          options.onCursor(idx == null || left < 0 ? null : (positions[idx] ?? null)),
      ],
      setSelect: [zoomToSelection],
      draw: [(own) => drawMarks(own, current().marks, AXIS_FONT_PX)],
    },
  });

  const axesOf = ({ isLog, xSteps }: ChartData): uPlot.Axis[] => [
    {
      ...axis(options.isSmall ? 24 : 28, (value, step) => current().formatX(value, step)),
      space: options.isSmall ? 76 : 90,
      ...(xSteps === null ? {} : { incrs: [...xSteps] }),
    },
    {
      ...axis(options.isSmall ? 46 : 56, (value, step) =>
        current().formatY(value, isLog ? 0 : step),
      ),
      space: options.isSmall ? 28 : 36,
      ...(isLog ? { filter: logLabels } : {}),
    },
  ];

  const cursorOptions = (): uPlot.Cursor => ({
    y: !options.isSmall,
    sync: { key: options.syncKey, scales: ["x", null] },
    drag: { x: true, y: false, setScale: false, dist: 4 },
    points: { size: 7, fill: (_, index) => strokeOf(current(), index - 1) },
    bind: {
      mousedown: (own, _, handler) => (event) => {
        const { drag } = own.cursor;
        if (drag !== undefined) {
          drag.x = !event.shiftKey;
          drag.y = event.shiftKey || event.altKey;
        }
        handler(event);
        return null;
      },
      dblclick: () => () => {
        options.onZoom({ x: null, y: null });
        return null;
      },
    },
  });

  const listenToMouse = (own: uPlot): void => {
    let downAt = 0;
    own.over.addEventListener("mousedown", ({ clientX }) => {
      downAt = clientX;
    });
    own.over.addEventListener("click", ({ clientX, detail }) => {
      const at = own.cursor.idx;
      clearTimeout(picking);
      if (at == null || detail > 1 || Math.abs(clientX - downAt) >= 4) return;
      const row = positions[at] ?? 0;
      picking = setTimeout(() => options.onPick(row), DOUBLE_CLICK_MS);
    });
    own.over.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        const { xs, xRange } = current();
        const centre = own.posToVal(event.offsetX, "x");
        const limits: Range = [xs[0] ?? 0, xs.at(-1) ?? 1];
        options.onZoom({ x: zoomed(xRange, event.deltaY > 0 ? 1.25 : 0.8, centre, limits) });
      },
      { passive: false },
    );
  };

  const zoomToSelection = (own: uPlot): void => {
    const { left, top, width: wide, height: high } = own.select;
    const { drag } = own.cursor;
    const zoom: { x?: Range; y?: Range } = {};
    if (drag?.x === true && wide > 4) {
      zoom.x = [own.posToVal(left, "x"), own.posToVal(left + wide, "x")];
    }
    if (drag?.y === true && high > 4) {
      zoom.y = [own.posToVal(top + high, "y"), own.posToVal(top, "y")];
    }
    own.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (zoom.x !== undefined || zoom.y !== undefined) options.onZoom(zoom);
  };

  return {
    update: draw,
    resize: (next) => {
      const wide = Math.max(100, Math.floor(next));
      if (wide === width) return;
      width = wide;
      plot?.setSize({ width: wide, height: options.height });
    },
    point: (row) => {
      const at = positions.indexOf(row);
      const own = plot;
      if (own === null || at < 0) return;
      const x = own.data[0][at] ?? 0;
      const y = current().series[0]?.values[row] ?? 0;
      own.setCursor({ left: own.valToPos(x, "x"), top: own.valToPos(y, "y") });
    },
    picture: () => (plot === null ? "" : pictureOf(plot.ctx.canvas)),
    destroy: () => {
      clearTimeout(picking);
      plot?.destroy();
      plot = null;
    },
  };
}

const EMPTY: ChartData = {
  xs: new Float64Array(),
  ...{ series: [], bands: [], marks: [], isLog: false, xSteps: null },
  ...{ xRange: [0, 1], yRange: [0, 1], formatX: String, formatY: String },
};

/** A chart is built anew when this changes; else only its numbers are replaced. */
function shapeOf({ series, bands, isLog, xSteps }: ChartData): string {
  const looks = series.map(({ key, colour, share, width, dash }) => [
    key,
    colour,
    share,
    width,
    dash,
  ]);
  return JSON.stringify([
    looks,
    bands,
    isLog,
    xSteps,
    canvasColour("strong"),
    canvasColour("back"),
  ]);
}

function logLabels(plot: uPlot, ticks: number[]): (number | null)[] {
  return [...labelledTicks(ticks, (tick) => plot.valToPos(tick, "y"), LABEL_PX)];
}

function axis(size: number, format: (value: number, step: number) => string): uPlot.Axis {
  return {
    size,
    gap: 4,
    font: `${AXIS_FONT_PX}px ${getComputedStyle(document.body).fontFamily}`,
    stroke: () => canvasColour("text"),
    grid: { stroke: () => canvasColour("lines", 0.22), width: 1 },
    ticks: { show: false },
    values: (_, splits, _axis, _space, step) =>
      splits.map((value) => (value === null ? "" : format(value, step))),
  };
}

function seriesOptions({ colour, share, width, dash }: ChartSeries): uPlot.Series {
  return {
    stroke: () => (share === 0 ? "transparent" : lineColour(colour, share)),
    width,
    ...(dash === undefined ? {} : { dash: [...dash] }),
    points: { show: (own) => share === 1 && own.data[0].length < 2, size: 5 },
    spanGaps: false,
  };
}

function bandOptions(
  { upper, lower, colour, share }: ChartBand,
  series: readonly ChartSeries[],
): readonly uPlot.Band[] {
  const at = (wanted: string): number => series.findIndex(({ key }) => key === wanted) + 1;
  if (at(upper) === 0 || at(lower) === 0) return [];
  return [{ series: [at(upper), at(lower)], fill: () => canvasColour(colour, share) }];
}

function strokeOf({ series }: ChartData, index: number): string {
  const own = series[index];
  return own === undefined || own.share === 0 ? "transparent" : lineColour(own.colour);
}

function pictureOf(source: HTMLCanvasElement): string {
  const canvas = document.createElement("canvas");
  canvas.width = source.width;
  canvas.height = source.height;
  const context = canvas.getContext("2d");
  if (context === null) return "";
  context.fillStyle = canvasColour("back");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(source, 0, 0);
  return canvas.toDataURL("image/png").replace(/^[^,]*,/, "");
}

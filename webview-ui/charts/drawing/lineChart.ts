/** A line chart on a canvas, drawn by uPlot. */

import uPlot from "uplot";
import { drawnPositions, pick } from "../decimate.ts";
import { type ChartData, EMPTY_CHART } from "./chartData.ts";
import {
  AXIS_FONT_PX,
  axesOf,
  axisFont,
  bandOptions,
  seriesOptions,
  shapeOf,
  strokeOf,
} from "./chartLook.ts";
import { drawMarks } from "./chartMarks.ts";
import { type ChartActions, ChartMouse } from "./chartMouse.ts";
import { drawEndLabels, type EndLabel } from "./endLabels.ts";
import { canvasColor } from "./palette.ts";

interface LineChartOptions {
  readonly height: number;
  readonly isSmall: boolean;
  /** Charts with the same key share their cursor. */
  readonly syncKey: string;
  /** The current actions. */
  readonly actions: () => ChartActions;
  /** Receives the row under the cursor; null when the cursor leaves. */
  readonly onCursor: (row: number | null) => void;
}

export class LineChart {
  readonly #parent: HTMLElement;
  readonly #options: LineChartOptions;
  readonly #mouse: ChartMouse;
  #plot: uPlot | null = null;
  #data: ChartData = EMPTY_CHART;
  #shape = "";
  #width: number;
  /** The rows that are drawn. */
  #positions: Uint32Array = new Uint32Array();
  #labels: readonly EndLabel[] = [];

  constructor(parent: HTMLElement, options: LineChartOptions) {
    this.#parent = parent;
    this.#options = options;
    this.#width = Math.max(100, parent.clientWidth);
    this.#mouse = new ChartMouse(options.actions, {
      data: () => this.#data,
      labels: () => this.#labels,
      rowAt: (position) => this.#positions[position] ?? 0,
    });
  }

  update(data: ChartData): void {
    this.#data = data;
    const { xs, series } = data;
    const positions = drawnPositions(series[0]?.values ?? xs, Math.max(50, this.#width));
    this.#positions = positions;
    const columns = [
      pick(xs, positions),
      ...series.map(({ values }) => pick(values, positions)),
    ] as uPlot.AlignedData; // all columns have the same length
    const shape = shapeOf(data);
    if (this.#plot !== null && this.#shape === shape) {
      this.#plot.setData(columns, true);
      return;
    }
    this.#plot?.destroy();
    this.#shape = shape;
    this.#plot = new uPlot(this.#plotOptions(), columns, this.#parent);
  }

  resize(width: number): void {
    const wide = Math.max(100, Math.floor(width));
    if (wide === this.#width) return;
    this.#width = wide;
    this.#plot?.setSize({ width: wide, height: this.#options.height });
  }

  /** Moves the cursor to a row. */
  point(row: number): void {
    const at = this.#positions.indexOf(row);
    const plot = this.#plot;
    if (plot === null || at < 0) return;
    const x = plot.data[0][at] ?? 0;
    const y = this.#data.series[0]?.values[row] ?? 0;
    plot.setCursor({ left: plot.valToPos(x, "x"), top: plot.valToPos(y, "y") });
  }

  /** The chart as a Base64 PNG on the editor's background. */
  picture(): string {
    return this.#plot === null ? "" : pictureOf(this.#plot.ctx.canvas);
  }

  destroy(): void {
    this.#mouse.forget();
    this.#plot?.destroy();
    this.#plot = null;
  }

  #plotOptions(): uPlot.Options {
    const { isSmall, height, onCursor } = this.#options;
    const { isLog, series, bands } = this.#data;
    return {
      width: this.#width,
      height,
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [...this.#data.xRange] },
        y: { distr: isLog ? 3 : 1, range: () => [...this.#data.yRange] },
      },
      ...axesOf(this.#data, isSmall, () => this.#data),
      series: [{}, ...series.map(seriesOptions)],
      bands: bands.flatMap((band) => bandOptions(band, series)),
      cursor: this.#cursorOptions(),
      hooks: {
        ready: [this.#mouse.listen],
        setCursor: [
          ({ cursor: { idx, left = -1 } }) =>
            onCursor(idx == null || left < 0 ? null : (this.#positions[idx] ?? null)),
        ],
        setSelect: [this.#mouse.select],
        draw: [
          (plot) => {
            drawMarks(plot, this.#data.marks, AXIS_FONT_PX);
            this.#labels = drawEndLabels(plot, this.#data, axisFont());
          },
        ],
      },
    };
  }

  #cursorOptions(): uPlot.Cursor {
    return {
      y: !this.#options.isSmall,
      sync: { key: this.#options.syncKey, scales: ["x", null] },
      drag: { x: true, y: false, setScale: false, dist: 4 },
      points: { size: 7, fill: (_, index) => strokeOf(this.#data, index - 1) },
      bind: this.#mouse.bindings(),
    };
  }
}

function pictureOf(source: HTMLCanvasElement): string {
  const canvas = document.createElement("canvas");
  canvas.width = source.width;
  canvas.height = source.height;
  const context = canvas.getContext("2d");
  if (context === null) return "";
  context.fillStyle = canvasColor("back");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(source, 0, 0);
  return canvas.toDataURL("image/png").replace(/^[^,]*,/, "");
}

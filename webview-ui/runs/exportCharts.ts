/** Saves the charts of the comparison as shown: as numbers, PNG, or SVG. */

import { chartsSvg, type SvgChart } from "../../src/shared/chartsSvg.ts";
import { metricTitle } from "../../src/shared/metricTitles.ts";
import { parseColor } from "../charts/contrast.ts";
import { type ColorName, canvasColor, lineColor } from "../charts/drawing/palette.ts";
import { hasAxis, xValues } from "../charts/xAxis.ts";
import { type CellTable, toCsv } from "../controls/export.ts";
import { visibleLine } from "../text/visible.ts";
import { type ComparedCharts, comparedChart, shownMetrics } from "./comparedChart.ts";
import type { RunsModel } from "./runsModel.ts";

export function saveCsv(runs: RunsModel): void {
  const content = toCsv(numbersOf(runs));
  runs.send({ kind: "export", file: { name: "comparison.csv", content, encoding: "utf8" } });
}

export function saveSvg(runs: RunsModel): void {
  const content = svgOf(runs);
  runs.send({ kind: "export", file: { name: "comparison.svg", content, encoding: "utf8" } });
}

/** The drawing in the theme's colors, at twice the resolution for high-density screens and papers. */
export function savePng(runs: RunsModel): void {
  const svg = svgOf(runs);
  const image = new Image();
  image.addEventListener("load", () => {
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    const context = canvas.getContext("2d");
    if (context === null) return;
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const content = canvas.toDataURL("image/png").replace(/^[^,]*,/, "");
    runs.send({ kind: "export", file: { name: "comparison.png", content, encoding: "base64" } });
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
}

/** One line per run and step with the raw values of `metrics.jsonl`, limited to the horizontal zoom. */
function numbersOf(runs: RunsModel): CellTable {
  const { xRanges } = runs.layout.value;
  const xAxis = runs.xAxis.value;
  const charts = shownMetrics(runs);
  const range = xRanges[xAxis] ?? null;
  const rows = runs.compared.value.flatMap(({ id, name }) => {
    const columns = runs.compare.of(id);
    const xs = hasAxis(xAxis, columns) ? xValues(xAxis, columns, []) : [];
    const values = charts.map((metric) => columns.values(metric));
    return Array.from(columns.steps(), (step, row) => ({
      x: xs[row] ?? Number.NaN,
      cells: [
        ...[name, step + 1],
        ...(xAxis === "step" ? [] : [known(xs[row])]),
        ...values.map((own) => known(own[row])),
      ],
    })).flatMap(({ x, cells }) =>
      range === null || (x >= range[0] && x <= range[1]) ? [cells] : [],
    );
  });
  const axis = xAxis === "step" ? [] : [xAxis];
  return { heads: ["run", "step", ...axis, ...charts], rows };
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

function svgOf(runs: RunsModel): string {
  const { wideCharts, chartHeights } = runs.layout.value;
  return chartsSvg(
    shownMetrics(runs).map((metric) => ({
      title: visibleLine(metricTitle(metric)),
      isWide: wideCharts.includes(metric),
      height: chartHeights[metric] ?? 220,
      ...drawnChart(comparedChart(runs, metric)),
    })),
    {
      text: hexadecimal(canvasColor("strong")),
      quiet: hexadecimal(canvasColor("text")),
      back: hexadecimal(canvasColor("back")),
      font: getComputedStyle(document.body).fontFamily,
    },
  );
}

/** The chart in the theme's colors. */
function drawnChart({ data, lines }: ComparedCharts): Omit<SvgChart, "title"> {
  const { xs, xRange, yRange, xSteps, isLog, formatX, formatY } = data;
  const colorOf = (name: ColorName): string => hexadecimal(lineColor(name));
  const valuesOf = (key: string): Float64Array =>
    data.series.find((series) => series.key === key)?.values ?? new Float64Array();
  return {
    xs,
    xRange,
    yRange,
    xSteps,
    isLog,
    formatX,
    formatY,
    bands: data.bands.map(({ upper, lower, color, share }) => {
      return { upper: valuesOf(upper), lower: valuesOf(lower), color: colorOf(color), share };
    }),
    lines: lines.map(({ label, look, values }) => {
      return { label, values, color: colorOf(look.color), dash: look.dash };
    }),
  };
}

/** `#rrggbb`, which every SVG program reads; drops transparency. */
function hexadecimal(color: string): string {
  const [red = 0, green = 0, blue = 0] = parseColor(color) ?? [];
  const two = (value: number): string => Math.round(value).toString(16).padStart(2, "0");
  return `#${two(red)}${two(green)}${two(blue)}`;
}

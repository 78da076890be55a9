/** Small charts of everything else, and the list to choose more from. */

import { useMemo, useState } from "preact/hooks";
import { formatTick, formatValue, formatXTick, formatXValue } from "../charts/format.ts";
import { valueRange } from "../charts/scale.ts";
import { smooth } from "../charts/smoothing.ts";
import { summarize } from "../charts/summary.ts";
import { xValues } from "../charts/xAxis.ts";
import { Icon } from "../controls/icon.tsx";
import type { ChartBand, ChartData, ChartSeries } from "../controls/lineChart.ts";
import { type ColourName, styleColour } from "../controls/palette.ts";
import type { PanelModel } from "../panelModel.ts";
import { strings } from "../strings.ts";
import { visibleLine } from "../text/visible.ts";
import { ChartFigure } from "./chartFigure.tsx";
import { MetricPicker } from "./metricPicker.tsx";
import { shownX } from "./rewardParts.ts";

interface SmallSeries {
  readonly name: string;
  readonly label: string;
  readonly colour: ColourName;
  readonly dash?: readonly number[];
}

interface SmallChartSpec {
  readonly title: string;
  readonly series: readonly SmallSeries[];
  /** Lowest and highest, shaded. */
  readonly band?: { readonly upper: string; readonly lower: string };
  readonly isPinned?: true;
}

const HEIGHT_PX = 132;
const text = strings.small;

const SPECS: readonly SmallChartSpec[] = [
  one(text.success, "rollout/success_frac", "green"),
  {
    ...one(text.length, "rollout/response_tokens/mean", "blue"),
    band: { upper: "rollout/response_tokens/max", lower: "rollout/response_tokens/min" },
  },
  {
    ...one(text.turns, "rollout/turns/mean", "blue"),
    band: { upper: "rollout/turns/max", lower: "rollout/turns/min" },
  },
  one(text.loss, "loss", "purple"),
  {
    title: text.kl,
    series: [
      { name: "optim/kl_sample_train_v1", label: text.names.v1, colour: "blue" },
      { name: "optim/kl_sample_train_v2", label: text.names.v2, colour: "orange", dash: [5, 3] },
    ],
  },
  one(text.entropy, "optim/entropy", "purple"),
  one(text.gradNorm, "optim/grad_norm", "purple"),
  one(text.excluded, "num_excluded_groups", "red"),
  {
    title: text.time,
    series: [
      { name: "time/rollout_s", label: text.names.rollout, colour: "blue" },
      { name: "time/train_s", label: text.names.train, colour: "orange", dash: [6, 3] },
      { name: "time/sampler_s", label: text.names.sampler, colour: "green", dash: [2, 3] },
      { name: "time/save_s", label: text.names.save, colour: "purple", dash: [8, 3, 2, 3] },
    ],
  },
];

export function SmallCharts({ panel }: { readonly panel: PanelModel }) {
  const { pinnedMetrics } = panel.settings.value;
  // Which charts there are follows from the columns.
  const version = panel.columnsVersion.value;
  const specs = useMemo(
    () => [
      ...pinnedMetrics.map(
        (name): SmallChartSpec => ({ ...one(name, name, "yellow"), isPinned: true }),
      ),
      ...SPECS.map((spec) => present(spec, panel)).filter(({ series }) => series.length > 0),
    ],
    [panel, version, pinnedMetrics],
  );
  return (
    <section class="small-charts" aria-labelledby="metrics-title">
      <MetricPicker panel={panel} />
      <div class="small-grid">
        {specs.map((spec) => (
          <SmallChart key={`${spec.isPinned}${spec.title}`} panel={panel} spec={spec} />
        ))}
      </div>
    </section>
  );
}

function SmallChart({
  panel,
  spec,
}: {
  readonly panel: PanelModel;
  readonly spec: SmallChartSpec;
}) {
  const [row, setRow] = useState<number | null>(null);
  const view = panel.view.value;
  const version = panel.columnsVersion.value;
  const { smoothing, xAxis, isLog, isClipped, isFromZero, xRange } = view;
  const data = useMemo(
    () => smallData(panel, spec),
    [
      panel,
      spec,
      version,
      smoothing,
      xAxis,
      isLog,
      isClipped,
      isFromZero,
      xRange,
      panel.events.value,
    ],
  );
  const first = spec.series[0];
  const raw = panel.columns.values(first?.name ?? "");
  const at = row ?? raw.length - 1;
  const steps = panel.columns.steps();
  const title = visibleLine(spec.title);
  return (
    <figure class="card small" aria-label={title}>
      <figcaption class="card-head">
        <h3 title={first?.name}>{title}</h3>
        {spec.series.length === 1 ? <b class="value">{formatValue(raw[at])}</b> : null}
        {spec.isPinned === undefined ? null : (
          <button
            type="button"
            class="quiet only-icon"
            aria-label={text.unpin(title)}
            title={text.unpin(title)}
            onClick={() => panel.flipMetric(spec.title)}
          >
            <Icon name="close" />
          </button>
        )}
      </figcaption>
      {spec.series.length > 1 ? (
        <ul class="small-legend">
          {spec.series.map(({ name, label, colour, dash }) => (
            <li key={name}>
              <span
                class="swatch"
                data-look={dash === undefined ? "line" : "dashed"}
                style={{ color: styleColour(colour) }}
              />
              {label}
              <b>{formatValue(panel.columns.values(name)[at])}</b>
            </li>
          ))}
        </ul>
      ) : null}
      <ChartFigure
        panel={panel}
        title={title}
        summary={summarize(raw, steps)}
        data={data}
        height={HEIGHT_PX}
        isSmall={true}
        onCursor={setRow}
        stepOf={(position) => steps[position]}
        describe={(position) =>
          strings.spoken.point(
            formatXValue(xAxis, data.xs[position] ?? 0),
            `${title} ${formatValue(raw[position])}`,
          )
        }
      />
    </figure>
  );
}

function smallData(panel: PanelModel, { series, band }: SmallChartSpec): ChartData {
  const { columns, events, view } = panel;
  const { smoothing, xAxis, isLog, isClipped, isFromZero, xRange } = view.value;
  const isSmoothed = smoothing.kind !== "none";
  const drawn: ChartSeries[] = [];
  const bands: ChartBand[] = [];
  if (band !== undefined) {
    for (const [key, name] of Object.entries(band)) {
      const values = smooth(columns.values(name), smoothing);
      drawn.push({ key, label: key, values, colour: "blue", share: 0, width: 0 });
    }
    bands.push({ upper: "upper", lower: "lower", colour: "blue", share: 0.14 });
  }
  for (const { name, label, colour, dash } of series) {
    const raw = columns.values(name);
    const look = dash === undefined ? {} : { dash };
    if (isSmoothed && series.length === 1) {
      drawn.push({ key: `raw ${name}`, label, values: raw, colour, share: 0.35, width: 1 });
    }
    drawn.push({
      key: name,
      label,
      values: smooth(raw, smoothing),
      colour,
      share: 1,
      width: 1.5,
      ...look,
    });
  }
  const xs = xValues(xAxis, columns, events.value);
  return {
    ...{ xs, series: drawn, bands, marks: [], isLog },
    isWhole: xAxis === "step",
    xRange: xRange ?? shownX(xs, []),
    yRange: valueRange(
      drawn.map(({ values }) => values),
      { isLog, isClipped, isFromZero },
    ),
    formatX: (value) => formatXTick(xAxis, value),
    formatY: formatTick,
  };
}

function one(title: string, name: string, colour: ColourName): SmallChartSpec {
  return { title, series: [{ name, label: title, colour }] };
}

/** Without the series that the run does not have. */
function present(spec: SmallChartSpec, { columns }: PanelModel): SmallChartSpec {
  return { ...spec, series: spec.series.filter(({ name }) => columns.has(name)) };
}

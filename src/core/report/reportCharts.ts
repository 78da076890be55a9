/** Charts of a report: one run with its environments, or several runs in the same charts. */

import { shownX, valueRange } from "../../shared/chartScale.ts";
import type { SvgBand, SvgChart, SvgLine } from "../../shared/chartsSvg.ts";
import { formatCount, formatTemperature } from "../../shared/format.ts";
import { formatTick } from "../../shared/formatTick.ts";
import { metricTitle } from "../../shared/metricTitles.ts";
import {
  environmentReward,
  rewardedEnvironments,
} from "../runFolder/metrics/rewardedEnvironments.ts";
import type { RunInReport, RunsReport } from "./report.ts";

export interface ReportChart extends SvgChart {
  /** True if its lines need their own legend. The runs' legend is at the top of each section. */
  readonly hasLegend: boolean;
}

export interface ReportSection {
  readonly title: string;
  readonly charts: readonly ReportChart[];
}

interface MetricChart {
  readonly metric: string;
  /** Lower and upper bound, shaded if only one run is shown. */
  readonly band?: readonly [low: string, high: string];
}

const SECTIONS: readonly { readonly title: string; readonly charts: readonly MetricChart[] }[] = [
  {
    title: "Reward",
    charts: [
      {
        metric: "rollout/reward/mean",
        band: ["rollout/reward/ci_low", "rollout/reward/ci_high"],
      },
      { metric: "rollout/success_frac" },
      { metric: "group/frac_mixed" },
      { metric: "rollout/turns/mean" },
      { metric: "rollout/response_tokens/mean" },
    ],
  },
  {
    title: "Optimization",
    charts: [
      { metric: "rollout/entropy" },
      { metric: "optim/kl_sample_train_v2" },
      { metric: "optim/kl_policy_base" },
      { metric: "optim/grad_norm" },
      { metric: "loss" },
      { metric: "held_out/loss" },
      { metric: "teacher/kl" },
      { metric: "optim/lr" },
    ],
  },
  {
    title: "Time and cost",
    charts: [
      { metric: "time/total_s" },
      { metric: "tokens/sampled" },
      { metric: "cost/cumulative_usd" },
    ],
  },
];
const REWARD = "rollout/reward/mean";
const BAND_SHARE = 0.18;
/** Maximum number of distinguishable lines. */
const MAX_ENVIRONMENTS = 7;
const COLORS = 8;
const DASHES: readonly (readonly number[] | undefined)[] = [
  undefined,
  [6, 3],
  [2, 3],
  [10, 3, 2, 3],
];

/** Sections without values are omitted. */
export function reportCharts({ runs }: RunsReport): readonly ReportSection[] {
  return SECTIONS.map(({ title, charts }, index) => ({
    title,
    charts: [
      ...charts.flatMap((chart) => metricChart(runs, chart) ?? []),
      ...(index === 0 ? evaluationCharts(runs) : []),
    ],
  })).filter(({ charts }) => charts.length > 0);
}

/** Color of a line by index, and dashes once colors repeat. */
export function lineLook(index: number): Pick<SvgLine, "color" | "dash"> {
  return {
    color: `var(--line-${index % COLORS})`,
    dash: DASHES[Math.floor(index / COLORS) % DASHES.length],
  };
}

/** Null if no run has a value. */
function metricChart(runs: readonly RunInReport[], chart: MetricChart): ReportChart | null {
  const steps = [...new Set(runs.flatMap(({ facts }) => facts.steps.map(({ step }) => step)))];
  const xs = steps.sort((a, b) => a - b);
  const [only] = runs.length === 1 ? runs : [];
  const environments = only === undefined || chart.metric !== REWARD ? [] : environmentsOf(only);
  const drawn = [
    ...runs.map((run) => ({ run, label: run.name, metric: chart.metric })),
    ...environments.map((name) => ({
      run: only,
      label: name,
      metric: environmentReward(name),
    })),
  ];
  const lines = drawn.flatMap(({ run, label, metric }, index) => {
    const values = run === undefined ? [] : valuesOf(run, metric, xs);
    if (!values.some(Number.isFinite)) return [];
    const isMean = only !== undefined && index === 0 && environments.length > 0;
    return [{ ...lineLook(index), label: isMean ? "all environments" : label, values }];
  });
  if (lines.length === 0) return null;
  const bands: SvgBand[] = [];
  if (only !== undefined && chart.band !== undefined && environments.length === 0) {
    const [lower, upper] = chart.band.map((metric) => valuesOf(only, metric, xs));
    if (lower !== undefined && upper !== undefined) {
      bands.push({ lower, upper, color: lineLook(0).color, share: BAND_SHARE });
    }
  }
  const drawnValues = [
    ...lines.map(({ values }) => values),
    ...bands.flatMap(({ lower, upper }) => [lower, upper]),
  ];
  return {
    ...frame(metricTitle(chart.metric), xs, drawnValues),
    lines,
    bands,
    hasLegend: environments.length > 0,
  };
}

/** Short names, as in metric names; empty for a run with one environment. */
function environmentsOf({ facts }: RunInReport): readonly string[] {
  return rewardedEnvironments(facts.steps.map(({ metrics }) => metrics)).slice(0, MAX_ENVIRONMENTS);
}

/** Values of a metric at `xs`, with steps from 1; NaN if missing. */
function valuesOf(
  { facts }: RunInReport,
  metric: string,
  xs: readonly number[],
): readonly number[] {
  const byStep = new Map(facts.steps.map(({ step, metrics }) => [step, metrics[metric]]));
  return xs.map((step) => {
    const value = byStep.get(step);
    return typeof value === "number" ? value : Number.NaN;
  });
}

/** A chart for each environment, split and temperature with evaluations at two or more steps. */
function evaluationCharts(runs: readonly RunInReport[]): readonly ReportChart[] {
  const cells = new Map<string, string>();
  for (const { facts } of runs) {
    for (const { model, results } of facts.evaluations) {
      if (model !== null) continue;
      for (const result of results) cells.set(cellOf(result), cellTitle(result));
    }
  }
  return [...cells].flatMap(([cell, title]) => {
    const points = runs.map(({ facts }) =>
      facts.evaluations.flatMap(({ step, model, results }) =>
        model === null
          ? results.filter((each) => cellOf(each) === cell).map((each) => ({ ...each, step }))
          : [],
      ),
    );
    const xs = [...new Set(points.flat().map(({ step }) => step))].sort((a, b) => a - b);
    if (xs.length < 2) return [];
    const lines = runs.map(({ name }, index): SvgLine => {
      const at = (value: "rewardMean" | "low" | "high"): readonly number[] =>
        xs.map((x) => points[index]?.find(({ step }) => step === x)?.[value] ?? Number.NaN);
      return {
        ...lineLook(index),
        label: name,
        values: at("rewardMean"),
        intervals: { low: at("low"), high: at("high") },
      };
    });
    const values = lines.flatMap((line) => [
      line.values,
      ...(line.intervals === undefined ? [] : [line.intervals.low, line.intervals.high]),
    ]);
    return [{ ...frame(title, xs, values), lines, bands: [], hasLegend: false }];
  });
}

type Result = RunInReport["facts"]["evaluations"][number]["results"][number];

/** Key for results that can be compared between evaluations. */
function cellOf({ environment, split, temperature }: Result): string {
  return JSON.stringify([environment, split, temperature]);
}

function cellTitle({ environment, split, temperature }: Result): string {
  return `Evaluation: ${environment}, ${split}, ${formatTemperature(temperature)}`;
}

function frame(title: string, xs: readonly number[], values: readonly ArrayLike<number>[]) {
  const options = { isLog: false, isClipped: false, isFromZero: false };
  return {
    title,
    xs,
    isLog: false,
    xRange: shownX(Float64Array.from(xs)),
    yRange: valueRange(values, options),
    formatX: (value: number): string => (Number.isInteger(value) ? formatCount(value) : ""),
    formatY: formatTick,
  };
}

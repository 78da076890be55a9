/** Definitions of the small charts. */

import * as l10n from "@vscode/l10n";
import { metricTitle } from "../../../src/shared/metricTitles.ts";
import type { ColorName } from "../../charts/drawing/palette.ts";

export interface SmallSeries {
  readonly name: string;
  readonly label: string;
  readonly color: ColorName;
  readonly dash?: readonly number[] | undefined;
  /** True for a metric that only some steps have; its line bridges the others. */
  readonly isSparse?: true;
}

export interface SmallChartSpec {
  readonly title: string;
  readonly series: readonly SmallSeries[];
  /** Shaded between the lowest and the highest value. */
  readonly band?: { readonly upper: string; readonly lower: string };
}

/** Chart sections in display order. */
export const CHART_SECTIONS = ["reward", "optimization", "time", "others"] as const;
export type ChartSection = (typeof CHART_SECTIONS)[number];

/** The main chart of a supervised run. */
export const LOSS_CHART: SmallChartSpec = {
  title: metricTitle("loss"),
  series: [
    { name: "loss", label: l10n.t("trained"), color: "purple" },
    {
      name: "held_out/loss",
      label: l10n.t("held out"),
      color: "orange",
      dash: [6, 3],
      isSparse: true,
    },
  ],
};

export const SMALL_CHARTS: readonly SmallChartSpec[] = [
  named("rollout/success_frac", "green"),
  {
    ...named("rollout/response_tokens/mean", "blue"),
    band: { upper: "rollout/response_tokens/max", lower: "rollout/response_tokens/min" },
  },
  {
    ...named("rollout/turns/mean", "blue"),
    band: { upper: "rollout/turns/max", lower: "rollout/turns/min" },
  },
  LOSS_CHART,
  {
    title: metricTitle("optim/kl_sample_train_v2"),
    series: [
      { name: "optim/kl_sample_train_v1", label: "v1", color: "orange", dash: [5, 3] },
      { name: "optim/kl_sample_train_v2", label: "v2", color: "blue" },
    ],
  },
  {
    title: metricTitle("rollout/entropy"),
    series: [
      // Comes first because it names the chart, which places it among the update's charts.
      {
        name: "optim/entropy",
        label: l10n.t("data of the update"),
        color: "purple",
        dash: [5, 3],
      },
      { name: "rollout/entropy", label: l10n.t("all rollouts"), color: "purple" },
    ],
  },
  named("optim/grad_norm", "purple"),
  named("teacher/kl", "orange"),
  oneMetric(l10n.t("Excluded groups"), "num_excluded_groups", "red"),
  {
    title: l10n.t("Tried tasks by success"),
    series: [
      { name: "curriculum/open", label: l10n.t("open"), color: "blue" },
      { name: "curriculum/solved", label: l10n.t("solved"), color: "green", dash: [6, 3] },
      { name: "curriculum/hard", label: l10n.t("out of reach"), color: "red", dash: [2, 3] },
    ],
  },
  // Untried tasks are most of a large split and would dwarf the other lines.
  oneMetric(l10n.t("Tasks not tried yet"), "curriculum/new", "yellow"),
  oneMetric(l10n.t("Tokens of groups without a signal"), "refill/untrained_tokens", "red"),
  {
    title: metricTitle("time/total_s"),
    series: [
      { name: "time/rollout_s", label: l10n.t("rollouts"), color: "blue" },
      {
        name: "time/prepare_s",
        label: l10n.t("before the update"),
        color: "purple",
        dash: [10, 4],
      },
      { name: "time/train_s", label: l10n.t("training"), color: "orange", dash: [6, 3] },
      { name: "time/sampler_s", label: l10n.t("sampler"), color: "green", dash: [2, 3] },
    ],
  },
  {
    title: l10n.t("Groups in the queue"),
    series: [
      { name: "async/queue_depth", label: l10n.t("issued"), color: "blue" },
      { name: "async/queue_ready", label: l10n.t("ended"), color: "green", dash: [6, 3] },
    ],
  },
  oneMetric(l10n.t("Staleness in updates"), "async/staleness/mean", "orange"),
  {
    title: l10n.t("Tokens of the run"),
    series: [
      { name: "tokens/cumulative/sampled", label: l10n.t("sampled"), color: "blue" },
      {
        name: "tokens/cumulative/prefill_cached",
        label: l10n.t("prompts, cached"),
        color: "green",
        dash: [2, 3],
      },
      {
        name: "tokens/cumulative/prefill_uncached",
        label: l10n.t("prompts, not cached"),
        color: "orange",
        dash: [6, 3],
      },
      {
        name: "tokens/cumulative/trained",
        label: l10n.t("trained"),
        color: "purple",
        dash: [10, 4],
      },
    ],
  },
  {
    title: l10n.t("Cost of the run in USD"),
    series: [
      { name: "cost/cumulative_usd", label: l10n.t("steps"), color: "blue" },
      {
        name: "cost/discarded_usd",
        label: l10n.t("of these, discarded"),
        color: "red",
        dash: [6, 3],
      },
      {
        name: "cost/evaluation_usd",
        label: l10n.t("evaluations"),
        color: "green",
        dash: [2, 3],
      },
    ],
  },
];

/** Metric of the large chart. */
export const MEAN_REWARD = "rollout/reward/mean";
/** Metrics that the large chart shows along with it. */
const LARGE_CHART = ["mean", "ci_low", "ci_high", "group_std", "min", "max"].map(
  (name) => `rollout/reward/${name}`,
);
/** Number of charts shown for an imported run; others can be added. */
const MAX_OTHERS = 24;

export interface ListedChart extends SmallChartSpec {
  /** Identifies the chart in all runs: its main metric. */
  readonly id: string;
  readonly section: ChartSection;
  /** True if it is shown by default. */
  readonly isUsual: boolean;
  readonly isDrawn: boolean;
}

/**
 * Every chart that a run with these metrics can have, by section, defaults first. Imported runs have arbitrary metric names, so their
 * first metrics are defaults too.
 */
export function listCharts(
  names: readonly string[],
  {
    pinned,
    hidden,
    isForeign,
  }: {
    readonly pinned: readonly string[];
    readonly hidden: readonly string[];
    readonly isForeign: boolean;
  },
): readonly ListedChart[] {
  const present = new Set(names);
  const usual = SMALL_CHARTS.flatMap((spec) => {
    const series = spec.series.filter(({ name }) => present.has(name));
    return series.length === 0 ? [] : [{ ...spec, series, id: spec.series[0]?.name ?? "" }];
  });
  const known = new Set([
    ...LARGE_CHART,
    ...usual.flatMap(({ series, band }) => [
      ...series.map(({ name }) => name),
      ...(band === undefined ? [] : [band.upper, band.lower]),
    ]),
  ]);
  const others = names
    .filter((name) => !known.has(name))
    .map((name, index) => {
      const isUsual = isForeign && index < MAX_OTHERS;
      return { ...oneMetric(name, name, isUsual ? "blue" : "yellow"), id: name, isUsual };
    });
  const all = [...usual.map((chart) => ({ ...chart, isUsual: true })), ...others].map((chart) => {
    const isDrawn = chart.isUsual ? !hidden.includes(chart.id) : pinned.includes(chart.id);
    return { ...chart, section: sectionOf(chart.id), isDrawn };
  });
  return CHART_SECTIONS.flatMap((own) => all.filter(({ section }) => section === own));
}

const SECTIONS: readonly (readonly [ChartSection, RegExp])[] = [
  ["reward", /^(rollout|rollout_included|group|advantage|errors|curriculum)\/|^num_/],
  ["optimization", /^(optim|train|tinker|teacher|held_out|fit)\/|^(loss|lr|skipped)$/],
  ["time", /^(time|tokens|cost|async|refill|progress|throughput)\//],
];

/** Derived from the metric's name. */
function sectionOf(name: string): ChartSection {
  return SECTIONS.find(([, pattern]) => pattern.test(name))?.[0] ?? "others";
}

/** A chart of a metric with a display name. */
function named(name: string, color: ColorName): SmallChartSpec {
  return oneMetric(metricTitle(name), name, color);
}

/** A chart of one metric. */
export function oneMetric(title: string, name: string, color: ColorName): SmallChartSpec {
  return { title, series: [{ name, label: title, color }] };
}

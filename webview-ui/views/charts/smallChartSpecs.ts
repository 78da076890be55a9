/** Which small charts there are. */

import * as l10n from "@vscode/l10n";
import type { ColorName } from "../../controls/palette.ts";

export interface SmallSeries {
  readonly name: string;
  readonly label: string;
  readonly color: ColorName;
  readonly dash?: readonly number[] | undefined;
}

/** What charts are about, in the order in which they are drawn. */
export const CHART_SECTIONS = ["added", "reward", "optimization", "time", "others"] as const;
export type ChartSection = (typeof CHART_SECTIONS)[number];

export interface SmallChartSpec {
  readonly title: string;
  readonly section: ChartSection;
  readonly series: readonly SmallSeries[];
  /** Lowest and highest, shaded. */
  readonly band?: { readonly upper: string; readonly lower: string };
  readonly isPinned?: true;
}

export const SMALL_CHARTS: readonly SmallChartSpec[] = [
  oneMetric(l10n.t("Success rate"), "rollout/success_frac", "green", "reward"),
  {
    ...oneMetric(l10n.t("Response tokens"), "rollout/response_tokens/mean", "blue", "reward"),
    band: { upper: "rollout/response_tokens/max", lower: "rollout/response_tokens/min" },
  },
  {
    ...oneMetric(l10n.t("Turns"), "rollout/turns/mean", "blue", "reward"),
    band: { upper: "rollout/turns/max", lower: "rollout/turns/min" },
  },
  oneMetric(l10n.t("Loss"), "loss", "purple", "optimization"),
  {
    title: l10n.t("KL sampler/trainer"),
    section: "optimization",
    series: [
      { name: "optim/kl_sample_train_v1", label: "k1", color: "blue" },
      { name: "optim/kl_sample_train_v2", label: "k2", color: "orange", dash: [5, 3] },
    ],
  },
  oneMetric(l10n.t("Entropy"), "optim/entropy", "purple", "optimization"),
  oneMetric(l10n.t("Gradient norm"), "optim/grad_norm", "purple", "optimization"),
  oneMetric(l10n.t("Excluded groups"), "num_excluded_groups", "red", "reward"),
  oneMetric(l10n.t("Tokens of groups without a signal"), "refill/untrained_tokens", "red", "time"),
  {
    title: l10n.t("Seconds per step"),
    section: "time",
    series: [
      { name: "time/rollout_s", label: l10n.t("rollouts"), color: "blue" },
      { name: "time/train_s", label: l10n.t("training"), color: "orange", dash: [6, 3] },
      { name: "time/sampler_s", label: l10n.t("sampler"), color: "green", dash: [2, 3] },
    ],
  },
  {
    title: l10n.t("Groups in the queue"),
    section: "time",
    series: [
      { name: "async/queue_depth", label: l10n.t("issued"), color: "blue" },
      { name: "async/queue_ready", label: l10n.t("ended"), color: "green", dash: [6, 3] },
    ],
  },
  oneMetric(l10n.t("Staleness in updates"), "async/staleness/mean", "orange", "time"),
  {
    title: l10n.t("Tokens of the run"),
    section: "time",
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
    section: "time",
    series: [
      { name: "cost/cumulative_usd", label: l10n.t("steps"), color: "blue" },
      {
        name: "cost/discarded_usd",
        label: l10n.t("discarded of them"),
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

/** The metric of the large chart. */
export const MEAN_REWARD = "rollout/reward/mean";
/** How many charts a run of another program shows; the other metrics can be added. */
const MAX_OTHERS = 24;

export interface DrawnCharts {
  readonly charts: readonly SmallChartSpec[];
  /** Metrics that are drawn without having been chosen, those of the large chart included. */
  readonly unasked: ReadonlySet<string>;
}

/**
 * What is drawn of a run with these metrics: what was chosen, then what the run has of the usual ones. A run by another program names
 * its metrics as it likes, so that the others follow.
 */
export function drawnCharts(
  names: readonly string[],
  { chosen, isForeign }: { readonly chosen: readonly string[]; readonly isForeign: boolean },
): DrawnCharts {
  const present = new Set(names);
  const usual = SMALL_CHARTS.map((spec) => {
    return { ...spec, series: spec.series.filter(({ name }) => present.has(name)) };
  }).filter(({ series }) => series.length > 0);
  const known = new Set([
    ...names.filter((name) => name.startsWith("rollout/reward/")),
    ...usual.flatMap(({ series, band }) => [
      ...series.map(({ name }) => name),
      ...(band === undefined ? [] : [band.upper, band.lower]),
    ]),
  ]);
  const others = names
    .filter((name) => !known.has(name) && !chosen.includes(name))
    .slice(0, isForeign ? MAX_OTHERS : 0);
  return {
    charts: [
      ...chosen.map(
        (name): SmallChartSpec => ({ ...oneMetric(name, name, "yellow", "added"), isPinned: true }),
      ),
      ...usual,
      ...others.map((name) => oneMetric(name, name, "blue", "others")),
    ],
    unasked: new Set([...known, ...others]),
  };
}

/** A chart of one metric. */
export function oneMetric(
  title: string,
  name: string,
  color: ColorName,
  section: ChartSection,
): SmallChartSpec {
  return { title, section, series: [{ name, label: title, color }] };
}

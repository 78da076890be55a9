/** Which small charts there are. */

import type { ColourName } from "../../controls/palette.ts";
import { strings } from "../../strings/strings.ts";

export interface SmallSeries {
  readonly name: string;
  readonly label: string;
  readonly colour: ColourName;
  readonly dash?: readonly number[];
}

export interface SmallChartSpec {
  readonly title: string;
  readonly series: readonly SmallSeries[];
  /** Lowest and highest, shaded. */
  readonly band?: { readonly upper: string; readonly lower: string };
  readonly isPinned?: true;
}

const text = strings.small;

export const SMALL_CHARTS: readonly SmallChartSpec[] = [
  oneMetric(text.success, "rollout/success_frac", "green"),
  {
    ...oneMetric(text.length, "rollout/response_tokens/mean", "blue"),
    band: { upper: "rollout/response_tokens/max", lower: "rollout/response_tokens/min" },
  },
  {
    ...oneMetric(text.turns, "rollout/turns/mean", "blue"),
    band: { upper: "rollout/turns/max", lower: "rollout/turns/min" },
  },
  oneMetric(text.loss, "loss", "purple"),
  {
    title: text.kl,
    series: [
      { name: "optim/kl_sample_train_v1", label: text.names.v1, colour: "blue" },
      { name: "optim/kl_sample_train_v2", label: text.names.v2, colour: "orange", dash: [5, 3] },
    ],
  },
  oneMetric(text.entropy, "optim/entropy", "purple"),
  oneMetric(text.gradNorm, "optim/grad_norm", "purple"),
  oneMetric(text.excluded, "num_excluded_groups", "red"),
  oneMetric(text.untrained, "refill/untrained_tokens", "red"),
  {
    title: text.time,
    series: [
      { name: "time/rollout_s", label: text.names.rollout, colour: "blue" },
      { name: "time/train_s", label: text.names.train, colour: "orange", dash: [6, 3] },
      { name: "time/sampler_s", label: text.names.sampler, colour: "green", dash: [2, 3] },
    ],
  },
  {
    title: text.queue,
    series: [
      { name: "async/queue_depth", label: text.names.issued, colour: "blue" },
      { name: "async/queue_ready", label: text.names.ready, colour: "green", dash: [6, 3] },
    ],
  },
  oneMetric(text.staleness, "async/staleness/mean", "orange"),
  {
    title: text.tokens,
    series: [
      { name: "tokens/cumulative/sampled", label: text.names.sampled, colour: "blue" },
      {
        name: "tokens/cumulative/prefill_cached",
        label: text.names.cached,
        colour: "green",
        dash: [2, 3],
      },
      {
        name: "tokens/cumulative/prefill_uncached",
        label: text.names.uncached,
        colour: "orange",
        dash: [6, 3],
      },
      {
        name: "tokens/cumulative/trained",
        label: text.names.trained,
        colour: "purple",
        dash: [10, 4],
      },
    ],
  },
  {
    title: text.cost,
    series: [
      { name: "cost/cumulative_usd", label: text.names.steps, colour: "blue" },
      {
        name: "cost/discarded_usd",
        label: text.names.discarded,
        colour: "red",
        dash: [6, 3],
      },
      {
        name: "cost/evaluation_usd",
        label: text.names.evaluations,
        colour: "green",
        dash: [2, 3],
      },
    ],
  },
];

/** The metric of the large chart. */
export const MEAN_REWARD = "rollout/reward/mean";
/** Of a run by another program; the others can be chosen. */
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
        (name): SmallChartSpec => ({ ...oneMetric(name, name, "yellow"), isPinned: true }),
      ),
      ...usual,
      ...others.map((name) => oneMetric(name, name, "blue")),
    ],
    unasked: new Set([...known, ...others]),
  };
}

/** A chart of one metric. */
export function oneMetric(title: string, name: string, colour: ColourName): SmallChartSpec {
  return { title, series: [{ name, label: title, colour }] };
}

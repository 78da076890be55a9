/** The Overview: charts, evaluations, metrics. */

import type { RunState } from "../../src/shared/dashboardTypes.ts";
import { formatCount, plural } from "../../src/shared/format.ts";
import { l10n } from "../../src/shared/l10n.ts";
import "./loadTranslations.ts";

export const overviewStrings = {
  chart: {
    controls: l10n.t("Chart settings"),
    smoothing: l10n.t("Smoothing"),
    smoothingKinds: {
      none: l10n.t("None"),
      ema: l10n.t("Average (EMA)"),
      window: l10n.t("Mean of window"),
      median: l10n.t("Median"),
    },
    factor: l10n.t("Strength"),
    window: l10n.t("Steps"),
    xAxis: l10n.t("X axis"),
    xAxes: {
      step: l10n.t("Step"),
      wall: l10n.t("Wall time"),
      active: l10n.t("Active time"),
      tokens: l10n.t("Trained tokens"),
      cost: l10n.t("Cost"),
    },
    log: l10n.t("Log y"),
    clip: l10n.t("Clip outliers"),
    zero: l10n.t("From zero"),
    resetZoom: l10n.t("Reset zoom"),
    follow: l10n.t("Follow"),
    table: l10n.t("View as table"),
    chart: l10n.t("View as chart"),
    export: l10n.t("Export"),
    exportPng: l10n.t("Picture (PNG)"),
    exportCsv: l10n.t("Numbers (CSV)"),
    exportJson: l10n.t("Numbers (JSON)"),
    exportMarkdown: l10n.t("Copy as Markdown table"),
    legend: l10n.t("Series: choose to hide, double-click for this one only"),
    zoomHint: l10n.t("Drag to zoom, Shift-drag for y, Alt-drag for both, double-click to reset"),
    keys: l10n.t("Arrow keys move the point, Enter opens its step."),
    notPositive: (count: number) =>
      plural(
        count,
        "{0} value at or below zero cannot be shown on a logarithmic axis.",
        "{0} values at or below zero cannot be shown on a logarithmic axis.",
      ),
    noData: {
      preparing: l10n.t("The run is being prepared. Numbers come with its first step."),
      failed: l10n.t("The run failed before its first step was complete."),
      stopped: l10n.t("The run was stopped before its first step was complete."),
      interrupted: l10n.t("The trainer was gone before the first step was complete."),
      done: l10n.t("The run has no steps."),
    } as Readonly<Partial<Record<RunState, string>>>,
    noDataYet: l10n.t("No step is complete yet. Numbers come with the first one."),
    latest: l10n.t("latest"),
    at: (x: string) => l10n.t("at {0}", x),
    step: (step: number) => l10n.t("step {0}", formatCount(step)),
    page: (page: number, pages: number) => l10n.t("Page {0} of {1}", page, pages),
    previousPage: l10n.t("Previous page"),
    nextPage: l10n.t("Next page"),
  },

  reward: {
    title: l10n.t("Reward"),
    subtitle: l10n.t("of all scored rollouts of a step"),
    mean: l10n.t("mean"),
    raw: l10n.t("not smoothed"),
    smoothed: (value: string) => l10n.t("smoothed {0}", value),
    interval: l10n.t("95 % interval of the mean"),
    tasks: l10n.t("± standard deviation of tasks"),
    range: l10n.t("lowest to highest"),
    by: l10n.t("Curves"),
    partings: {
      all: l10n.t("All tasks"),
      environment: l10n.t("By environment"),
      split: l10n.t("By split"),
      difficulty: l10n.t("By difficulty"),
    },
    difficulties: {
      hard: l10n.t("hardest third"),
      middle: l10n.t("middle third"),
      easy: l10n.t("easiest third"),
    } as Readonly<Record<string, string>>,
    noParts: l10n.t("All rollouts that are read so far are of one part."),
    readingParts: (percent: number) => l10n.t("Reading rollouts, {0} %", percent),
    restsOn: (rollouts: number) => plural(rollouts, "{0} rollout", "{0} rollouts"),
    attempt: (attempt: number) => l10n.t("repeated after attempt {0}", attempt),
    evaluation: l10n.t("evaluation, 95 % interval"),
    evaluationOf: (place: string) => l10n.t("evaluation of {0}, 95 % interval", place),
    marks: {
      checkpoint: l10n.t("checkpoint"),
      best: l10n.t("best checkpoint"),
      resume: l10n.t("resume"),
      settings: l10n.t("other settings"),
      pause: l10n.t("pause"),
      alarm: l10n.t("alarm begins"),
      skipped: l10n.t("skipped step"),
    },
    trend: { up: l10n.t("rising"), down: l10n.t("falling"), flat: l10n.t("level") },
    summary: (latest: string, best: string, bestStep: number, trend: string | null) =>
      trend === null
        ? l10n.t("Latest {0}, best {1} at step {2}.", latest, best, formatCount(bestStep))
        : l10n.t(
            "Latest {0}, best {1} at step {2}, {3}.",
            latest,
            best,
            formatCount(bestStep),
            trend,
          ),
  },

  histogram: {
    title: (set: string) => l10n.t("Rewards: {0}", set),
    hint: l10n.t("Choose a bar to see its trajectories"),
    follow: l10n.t("Follow the latest step"),
    bar: (low: string, high: string, count: number) =>
      low === high
        ? plural(count, "{0} rollout with reward {1}", "{0} rollouts with reward {1}", low)
        : plural(
            count,
            "{0} rollout with reward {1} to {2}",
            "{0} rollouts with reward {1} to {2}",
            low,
            high,
          ),
    failed: (count: number) =>
      plural(
        count,
        "{0} rollout failed and has no reward",
        "{0} rollouts failed and have no reward",
      ),
    empty: l10n.t("No rollouts yet"),
  },

  evaluation: {
    failed: (count: number) => plural(count, "({0} failed)", "({0} failed)"),
    range: (low: string, high: string) => l10n.t("{0} to {1}", low, high),
    title: l10n.t("Evaluations"),
    step: l10n.t("After step"),
    model: l10n.t("Model"),
    none: l10n.t("No results yet. Those of a model come when all of its rollouts have ended."),
    split: l10n.t("Split"),
    temperature: l10n.t("Sampling"),
    open: (title: string) => l10n.t("Show the rollouts: {0}", title),
    reward: l10n.t("Mean reward"),
    interval: l10n.t("95 % interval"),
    change: l10n.t("Change"),
    passAtK: l10n.t("pass@k"),
    rollouts: l10n.t("Rollouts"),
  },

  small: {
    title: l10n.t("Metrics"),
    choose: l10n.t("Choose metrics"),
    filter: l10n.t("Filter metrics, also by pattern"),
    chosen: (count: number) => plural(count, "{0} metric added", "{0} metrics added"),
    shown: (shown: number, total: number) =>
      l10n.t("{0} of {1}", formatCount(shown), formatCount(total)),
    unpin: (name: string) => l10n.t("Remove {0}", name),
    success: l10n.t("Success rate"),
    length: l10n.t("Response tokens"),
    turns: l10n.t("Turns"),
    loss: l10n.t("Loss"),
    kl: l10n.t("KL sampler/trainer"),
    entropy: l10n.t("Entropy"),
    gradNorm: l10n.t("Gradient norm"),
    excluded: l10n.t("Excluded groups"),
    untrained: l10n.t("Tokens of groups without a signal"),
    time: l10n.t("Seconds a step"),
    queue: l10n.t("Groups in the queue"),
    staleness: l10n.t("Staleness in updates"),
    tokens: l10n.t("Tokens of the run"),
    cost: l10n.t("Cost of the run in USD"),
    names: {
      range: l10n.t("lowest to highest"),
      v1: "k1",
      v2: "k2",
      rollout: l10n.t("rollouts"),
      train: l10n.t("training"),
      sampler: l10n.t("sampler"),
      issued: l10n.t("issued"),
      ready: l10n.t("ended"),
      sampled: l10n.t("sampled"),
      cached: l10n.t("prompts, cached"),
      uncached: l10n.t("prompts, not cached"),
      trained: l10n.t("trained"),
      steps: l10n.t("steps"),
      discarded: l10n.t("discarded of them"),
      evaluations: l10n.t("evaluations"),
    },
  },
} as const;

/** Texts of the dashboard that several views share or that are looked up by key. */

import * as l10n from "@vscode/l10n";
import type { RunCondition } from "../../src/shared/dashboardTypes.ts";
import { formatCount, plural } from "../../src/shared/format.ts";
import { phaseTexts } from "../../src/shared/phaseTexts.ts";

export const strings = {
  loading: l10n.t("Reading the run…"),
  showAll: l10n.t("Show all"),
  showFewer: l10n.t("Show fewer"),
  close: l10n.t("Close"),
  none: "–",

  tabs: {
    overview: l10n.t("Overview"),
    rollouts: l10n.t("Rollouts"),
    examples: l10n.t("Examples"),
    evaluations: l10n.t("Evaluations"),
    run: l10n.t("Run"),
  },
  runParts: {
    timeline: l10n.t("Timeline"),
    tasks: l10n.t("Tasks"),
    config: l10n.t("Configuration"),
    log: l10n.t("Log"),
    checkpoints: l10n.t("Checkpoints"),
  },

  states: { ...phaseTexts(), unknown: l10n.t("no run.json") },

  header: {
    progress: l10n.t("Progress"),
    evaluating: (done: number, total: number) =>
      l10n.t("evaluating {0} of {1}", formatCount(done), formatCount(total)),
    attemptNow: (attempt: number) => l10n.t("Attempt {0}", attempt),
    stop: l10n.t("Stop"),
  },

  alarms: { rollouts: l10n.t("Show its rollouts") },

  help: {
    keys: [
      ["1 … 4", l10n.t("Overview, Rollouts, Evaluations, Run")],
      ["5 6 7", l10n.t("timeline, search in all steps, what changed between steps")],
      ["j k ↓ ↑", l10n.t("next and previous row")],
      [l10n.t("Enter"), l10n.t("open")],
      [l10n.t("Esc"), l10n.t("back, close")],
      ["j k", l10n.t("next and previous rollout, while one is open")],
      ["s p", l10n.t("star, or pin, a rollout")],
      ["b", l10n.t("best and worst of the group side by side")],
      ["[ ]", l10n.t("previous and next rollout of the group")],
      ["{ }", l10n.t("previous and next step or evaluation")],
      ["← →", l10n.t("previous and next turn of a replay, or point of a chart")],
      ["g r, g e, g t", l10n.t("next reward, error, tool call")],
      [l10n.t("/ or f"), l10n.t("filter")],
      ["t", l10n.t("tokens on and off")],
      ["r", l10n.t("reasoning open and closed")],
      ["m", l10n.t("Markdown or raw")],
      ["+ − 0", l10n.t("zoom the chart in, out, reset")],
      ["l", l10n.t("run log")],
      ["?", l10n.t("this list")],
    ] as readonly (readonly [string, string])[],
  },

  chart: {
    controls: l10n.t("Chart settings"),
    smoothingKinds: {
      auto: l10n.t("From 100 steps"),
      none: l10n.t("None"),
      ema: l10n.t("Average (EMA)"),
      window: l10n.t("Mean of window"),
      median: l10n.t("Median"),
    },
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
    fromZero: l10n.t("From zero"),
    resetZoom: l10n.t("Reset zoom"),
    export: l10n.t("Export"),
    exportPng: l10n.t("Picture (PNG)"),
    exportCsv: l10n.t("Numbers (CSV)"),
    legend: l10n.t("Series: click to hide, double-click to show only this one"),
    noData: {
      preparing: l10n.t("The run is being prepared. Metrics appear with its first step."),
      failed: l10n.t("The run failed before its first step was complete."),
      stopped: l10n.t("The run was stopped before its first step was complete."),
      interrupted: l10n.t("The trainer stopped before the first step was complete."),
      done: l10n.t("The run has no steps."),
    } as Readonly<Partial<Record<RunCondition, string>>>,
    noDataYet: l10n.t("No step is complete yet. Metrics appear with the first one."),
    step: (step: number) => l10n.t("step {0}", formatCount(step)),
  },

  reward: {
    title: l10n.t("Reward"),
    mean: l10n.t("mean"),
    written: (value: string) => l10n.t("raw {0}", value),
    smoothed: (value: string) => l10n.t("smoothed {0}", value),
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
    restsOn: (rollouts: number) => plural(rollouts, "{0} rollout", "{0} rollouts"),
    marks: {
      checkpoint: l10n.t("checkpoint"),
      best: l10n.t("best checkpoint"),
      resume: l10n.t("resume"),
      settings: l10n.t("changed settings"),
      pause: l10n.t("pause"),
      alarm: l10n.t("alarm begins"),
      code: l10n.t("changed environment code"),
      skipped: l10n.t("skipped step"),
    },
  },

  evaluation: {
    title: l10n.t("Evaluations"),
    open: (title: string) => l10n.t("Show the rollouts: {0}", title),
  },

  small: {
    sections: {
      reward: l10n.t("Reward"),
      optimization: l10n.t("Optimization"),
      time: l10n.t("Time and cost"),
      others: l10n.t("Others"),
    },
    filter: l10n.t("Filter metrics, also by pattern"),
    shown: (shown: number, total: number) =>
      l10n.t("{0} of {1}", formatCount(shown), formatCount(total)),
  },

  replay: {
    label: l10n.t("Replay"),
    back: l10n.t("Back to the list"),
    modes: { markdown: l10n.t("Markdown"), raw: l10n.t("Raw"), tokens: l10n.t("Tokens") },
    partBy: {
      model: l10n.t("the model wrote something else"),
      environment: l10n.t("the environment answered differently"),
    },
    previousRollout: l10n.t("Previous rollout of the list"),
    nextRollout: l10n.t("Next rollout of the list"),
    marks: {
      star: l10n.t("Star"),
      pin: l10n.t("Pin to the top of the list"),
      addTag: l10n.t("Add a tag"),
    },
    previousSibling: l10n.t("Previous rollout of the group"),
    nextSibling: l10n.t("Next rollout of the group"),
    turn: (turn: number) => l10n.t("Turn {0}", turn),
    model: l10n.t("Model"),
    raw: l10n.t("As written"),
    reward: (reward: string) => l10n.t("reward {0}", reward),
    clamped: l10n.t("Clamped"),
    advantage: l10n.t("Advantage"),
    failed: l10n.t("failed"),
  },

  tokens: {
    label: l10n.t("Tokens"),
    colors: {
      logprob: l10n.t("Log-probability (sampler)"),
      advantage: l10n.t("Advantage"),
      difference: l10n.t("Trainer − sampler"),
      ratio: l10n.t("Probability ratio"),
    },
    masked: l10n.t("not trained on"),
    given: l10n.t("not sampled"),
    loss: l10n.t("Loss"),
  },

  trajectories: {
    previousStep: l10n.t("Previous step or evaluation"),
    nextStep: l10n.t("Next step or evaluation"),
    search: l10n.t("Text in environment, task, stop reason or error"),
    grid: l10n.t("Rollouts"),
    mark: l10n.t("Marked"),
    markNames: {
      star: l10n.t("starred"),
      pin: l10n.t("pinned"),
      note: l10n.t("with a note"),
    } as Readonly<Record<string, string>>,
    tagged: (tag: string) => l10n.t("tag {0}", tag),
    starred: l10n.t("starred"),
    pinned: l10n.t("pinned"),
    filterName: l10n.t("Name of the filters"),
    noSteps: {
      failed: l10n.t("The run failed before a rollout ended."),
      stopped: l10n.t("The run was stopped before a rollout ended."),
      interrupted: l10n.t("The trainer stopped before a rollout ended."),
      done: l10n.t("The run has no stored rollouts."),
    } as Readonly<Partial<Record<RunCondition, string>>>,
    noStepsYet: l10n.t("No rollout has ended yet. They appear here as they end."),
    trainingUses: {
      zero_variance: l10n.t("skipped: equal rewards"),
      failed: l10n.t("skipped: failed"),
      overlong: l10n.t("skipped: too long"),
      too_many_failed: l10n.t("skipped: too many failed"),
      held_out: l10n.t("held out"),
      test: l10n.t("left out: split test"),
      too_long: l10n.t("left out: longer than max_total_tokens"),
    } as Readonly<Record<string, string>>,
    stops: { reached_terminal_state: l10n.t("finished") } as Readonly<Record<string, string>>,
    head: {
      marks: l10n.t("Marks"),
      rollout: l10n.t("Rollout"),
      example: l10n.t("Example"),
      taskText: l10n.t("Task"),
      groupMean: l10n.t("Group mean"),
      strip: l10n.t("Log-probs"),
      environment: l10n.t("Environment"),
      split: l10n.t("Split"),
      task: l10n.t("Index"),
      reward: l10n.t("Reward"),
      advantage: l10n.t("Advantage"),
      turns: l10n.t("Turns"),
      tokens: l10n.t("Tokens"),
      tools: l10n.t("Tools"),
      temperature: l10n.t("Sampling"),
      stop: l10n.t("Stop"),
      trainingUse: l10n.t("Used"),
      duration: l10n.t("Time"),
    },
  },

  checkpoints: {
    caption: l10n.t("Checkpoints of the run, newest first"),
    actions: l10n.t("Actions"),
    copyState: l10n.t("Copy state path"),
    copySampler: l10n.t("Copy sampler path"),
  },
  config: {
    filter: l10n.t("Filter keys and values"),
    origins: { file: l10n.t("file"), override: l10n.t("override"), default: l10n.t("default") },
  },
} as const;

/** What stands around the views: header, tabs, alarms, help. */

import * as l10n from "@vscode/l10n";
import { formatCount } from "../../src/shared/format.ts";
import { phaseTexts } from "../../src/shared/phaseTexts.ts";

export const frameStrings = {
  title: l10n.t("Tinker RL dashboard"),
  loading: l10n.t("Reading the run…"),
  empty: l10n.t("No run to show"),
  emptyHint: l10n.t("Start a training, or open a run in the Runs view."),
  gone: {
    title: (folder: string) => l10n.t("The folder of this run no longer exists: {0}", folder),
    hint: l10n.t(
      "It was deleted, moved or renamed. If you moved it, open it where it is now. A folder in the trash can be restored.",
    ),
    open: l10n.t("Open Run Folder…"),
    other: l10n.t("Show another run"),
  },
  dismiss: l10n.t("Dismiss"),
  more: (count: number) => l10n.t("and {0} more", formatCount(count)),
  showAll: l10n.t("Show all"),
  showMore: l10n.t("Show more"),
  showFewer: l10n.t("Show fewer"),
  close: l10n.t("Close"),
  none: "–",

  tabs: {
    overview: l10n.t("Overview"),
    trajectories: l10n.t("Trajectories"),
    checkpoints: l10n.t("Checkpoints"),
    config: l10n.t("Config"),
    timeline: l10n.t("Timeline"),
    search: l10n.t("Search"),
    changes: l10n.t("What Changed"),
  },
  tabList: l10n.t("Views of the run"),

  states: { ...phaseTexts(), unknown: l10n.t("no run.json") },

  header: {
    run: l10n.t("Run"),
    offered: (name: string) => l10n.t("Started: {0}", name),
    offeredHint: l10n.t("Show this run"),
    progress: l10n.t("Progress"),
    step: (done: number, total: number | null) =>
      total === null
        ? l10n.t("step {0}", formatCount(done))
        : l10n.t("step {0} of {1}", formatCount(done), formatCount(total)),
    evaluation: (done: number, models: number) =>
      l10n.t("evaluation: {0} of {1} models", formatCount(done), formatCount(models)),
    evaluating: (done: number, total: number) =>
      l10n.t("evaluating {0} of {1}", formatCount(done), formatCount(total)),
    left: (duration: string) => l10n.t("{0} left", duration),
    elapsed: (duration: string) => l10n.t("{0} training", duration),
    tokens: (count: string) => l10n.t("{0} tokens sampled", count),
    attempt: l10n.t("Attempt"),
    attemptNow: (attempt: number) => l10n.t("Attempt {0}", attempt),
    attemptBefore: (attempt: number) => l10n.t("with steps repeated after attempt {0}", attempt),
    actions: l10n.t("Run actions"),
    pause: l10n.t("Pause"),
    pauseHint: l10n.t("Wait after this step"),
    continue: l10n.t("Continue"),
    save: l10n.t("Save"),
    saveHint: l10n.t("Save a checkpoint now"),
    stop: l10n.t("Stop"),
    stopHint: l10n.t("Stop and save"),
    resume: l10n.t("Resume"),
    resumeHint: l10n.t("Resume from the newest saved state"),
    more: l10n.t("More actions"),
    changeSettings: l10n.t("Change settings of this run…"),
    stopNow: l10n.t("Stop now without saving…"),
    openFolder: l10n.t("Reveal run folder"),
    openLog: l10n.t("Show run log"),
    help: l10n.t("Keyboard shortcuts"),
  },

  stepMenu: {
    rollouts: (step: number) => l10n.t("Rollouts of step {0}", formatCount(step)),
    branch: (checkpoint: string) => l10n.t("Branch from here ({0})…", checkpoint),
    evaluate: (checkpoint: string) => l10n.t("Evaluate {0}…", checkpoint),
  },
  alarms: {
    label: l10n.t("Alarms"),
    failed: (why: string) => l10n.t("The run failed: {0}", why),
    chart: l10n.t("Show chart"),
    chartHint: l10n.t("The metric that the alarm judges, around this step"),
    rollouts: l10n.t("Show its rollouts"),
    rolloutsHint: l10n.t("Only those rollouts of the step that made the alarm"),
    stepRollouts: l10n.t("Show rollouts of the step"),
    evidence: (title: string, step: number) =>
      l10n.t("{0}, from step {1} on", title, formatCount(step)),
    onlyMadeBy: (title: string, count: string) =>
      l10n.t("Only rollouts that made the alarm “{0}”: {1}", title, count),
    before: l10n.t("Resume from before this alarm"),
    beforeHint: l10n.t(
      "Write a configuration that begins with the last checkpoint before it and has the suggested change",
    ),
    fixHint: l10n.t("Change the configuration so, and show where"),
    interrupted: l10n.t(
      "The trainer stopped unexpectedly. Resume continues from the newest saved state.",
    ),
    lost: l10n.t("The trainer stopped unexpectedly, and no state was saved to resume from."),
  },

  help: {
    title: l10n.t("Keyboard shortcuts"),
    off: l10n.t("Single keys are switched off in the settings."),
    keys: [
      [
        "1 … 7",
        l10n.t("Overview, Trajectories, Checkpoints, Config, Timeline, Search, What Changed"),
      ],
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
      ["+ − 0", l10n.t("zoom the chart closer, wider, reset")],
      ["l", l10n.t("run log")],
      ["?", l10n.t("this list")],
    ] as readonly (readonly [string, string])[],
  },

  spoken: {
    step: (step: number, reward: string) =>
      l10n.t("Step {0}, mean reward {1}.", formatCount(step), reward),
    state: (state: string) => l10n.t("The run is {0}.", state),
    copied: (what: string) => l10n.t("{0}: copied.", what),
    point: (x: string, values: string) => `${x}: ${values}`,
  },
} as const;

/** Commands that start a training or control a live one. */

import {
  type CommandFamily,
  configMenus,
  inDashboardTitle,
  ON_CONFIG,
  onRow,
  rowMenus,
  runMenus,
  titleMenu,
  WITH_CONFIG,
} from "./commandRow.ts";

const LIVE = onRow("runs", "preparing", "running", "paused");
/** A standalone evaluation has no steps. */
const HAS_STEPS = "viewItem =~ /\\b(training)\\b/";

export const trainingCommands = {
  startTraining: {
    title: "Start Training",
    does: "Trains with the open configuration, or with the one you choose.",
    palette: WITH_CONFIG,
    icon: "play",
    needsTrust: true,
    menus: [
      ...configMenus({ "editor/title": "navigation@1" }),
      titleMenu("runs", "navigation@1"),
      ...configMenus({ "explorer/context": "tinkerRL@1" }),
    ],
    key: {
      key: "ctrl+alt+enter",
      mac: "cmd+alt+enter",
      when: `editorTextFocus && ${ON_CONFIG} && !findWidgetVisible`,
    },
  },
  startWithOverrides: {
    title: "Start Training with Overrides…",
    does: "Trains with other values for some keys. The file does not change.",
    palette: WITH_CONFIG,
    icon: "play-circle",
    needsTrust: true,
    menus: configMenus({ "editor/context": "tinkerRL@1", "explorer/context": "tinkerRL@2" }),
  },
  dryRun: {
    title: "Dry Run",
    does: "Does everything up to the first update and prints it: a rollout, rewards, what would be trained.",
    palette: WITH_CONFIG,
    icon: "debug-alt",
    needsTrust: true,
    menus: configMenus({ "editor/context": "tinkerRL@3", "explorer/context": "tinkerRL@4" }),
  },
  estimateCost: {
    title: "Estimate Cost",
    does: "Estimates the tokens, cost and time of a run from a past run or from a few sampled groups.",
    palette: WITH_CONFIG,
    icon: "graph",
    needsTrust: true,
    menus: configMenus({ "editor/context": "tinkerRL@4", "explorer/context": "tinkerRL@5" }),
  },
  startSweep: {
    title: "Start Sweep…",
    does: "Trains once with each combination of several values, or resumes a sweep.",
    palette: WITH_CONFIG,
    icon: "layers",
    needsTrust: true,
    menus: configMenus({ "editor/context": "tinkerRL@2", "explorer/context": "tinkerRL@3" }),
  },
  stopSweep: {
    title: "Stop Sweep",
    does: "Saves and stops the running runs of a sweep, and starts no more.",
    palette: false,
    icon: "debug-stop",
    menus: rowMenus(onRow("runs", "sweeping"), "inline@3", "1_steer@1"),
  },
  continueSweep: {
    title: "Continue Sweep…",
    does: "Resumes the stopped runs of a sweep, and starts the rest.",
    palette: false,
    icon: "debug-rerun",
    needsTrust: true,
    menus: rowMenus(onRow("runs", "unfinished"), "inline@3", "1_steer@1"),
  },
  startLocalDemo: {
    title: "Start Local Demo (No Keys)",
    does: "Trains the embedded model on this computer and opens the dashboard.",
    icon: "rocket",
    needsTrust: true,
  },
  cancelStart: {
    title: "Cancel Start",
    does: "Takes a run out of the queue. It is not started.",
    icon: "close",
    palette: false,
    menus: rowMenus(onRow("runs", "waiting"), "inline@1", "1_steer@1"),
  },
  pauseRun: {
    title: "Pause After This Step",
    does: "Completes the current step and waits.",
    icon: "debug-pause",
    palette: "tinkerRL.hasPausable",
    menus: [
      { menu: "editor/title", when: inDashboardTitle("pause"), group: "navigation@1" },
      ...runMenus(`${onRow("runs", "running")} && ${HAS_STEPS}`, "inline@2", "1_steer@1"),
    ],
  },
  continueRun: {
    title: "Continue Run",
    does: "Continues a paused run.",
    icon: "debug-continue",
    palette: "tinkerRL.hasPaused",
    menus: [
      { menu: "editor/title", when: inDashboardTitle("continue"), group: "navigation@1" },
      ...runMenus(onRow("runs", "paused"), "inline@2", "1_steer@1"),
    ],
  },
  stopRun: {
    title: "Stop and Save",
    does: "Discards the unfinished step, saves the last completed one, and ends the run.",
    icon: "debug-stop",
    palette: "tinkerRL.running",
    menus: [
      { menu: "editor/title", when: inDashboardTitle("stop"), group: "navigation@3" },
      ...runMenus(LIVE, "inline@3", "1_steer@2"),
    ],
  },
  stopRunNow: {
    title: "Stop Now Without Saving…",
    does: "Ends the run immediately, after you confirm. A resume repeats the steps after the last checkpoint.",
    palette: "tinkerRL.running",
    menus: runMenus(LIVE, "1_steer@3"),
  },
  saveCheckpointNow: {
    title: "Save Checkpoint Now",
    does: "Saves the last completed step without pausing the run.",
    icon: "save",
    palette: "tinkerRL.running",
    menus: [
      { menu: "editor/title", when: inDashboardTitle("saveNow"), group: "navigation@2" },
      ...runMenus(`${LIVE} && ${HAS_STEPS}`, "1_steer@4"),
    ],
  },
  changeRunSettings: {
    title: "Change Settings of Running Run…",
    does: "Changes values that can change during a run.",
    icon: "settings",
    needsTrust: true,
    palette: "tinkerRL.running",
    menus: runMenus(`${LIVE} && ${HAS_STEPS}`, "1_steer@5"),
  },
  resumeRun: {
    title: "Resume Run",
    does: "Resumes a run from its last confirmed checkpoint.",
    palette: "tinkerRL.hasResumable",
    icon: "debug-rerun",
    needsTrust: true,
    menus: [
      { menu: "editor/title", when: inDashboardTitle("resume"), group: "navigation@1" },
      ...runMenus(onRow("runs", "resumable"), "inline@2", "1_steer@1"),
    ],
  },
} as const satisfies CommandFamily;

/** Commands for runs and their folders; they also work on ended runs. */

import {
  type CommandFamily,
  ON_CONFIG,
  onRow,
  rowMenus,
  runKey,
  runMenus,
  titleMenu,
  WITH_RUNS,
} from "./commandRow.ts";

const RUN = onRow("runs", "run");
const ENDED = onRow("runs", "ended");
const ARCHIVED = onRow("runs", "archived");
const SWEEP = onRow("runs", "sweep");

export const runCommands = {
  openDashboard: {
    title: "Open Dashboard",
    does: "Shows a run's charts, rollouts and checkpoints.",
    palette: WITH_RUNS,
    icon: "graph-line",
    menus: [
      titleMenu("runs", "navigation@2", WITH_RUNS),
      ...runMenus(RUN, "inline@1", "2_open@1"),
      { menu: "editor/title", when: `${ON_CONFIG} && tinkerRL.running`, group: "navigation@2" },
    ],
  },
  openRunsTable: {
    title: "Open Runs Table",
    does: "Lists all runs in a table to sort, filter, group, compare and export.",
    palette: WITH_RUNS,
    icon: "table",
    menus: [titleMenu("runs", "navigation@3", WITH_RUNS)],
  },
  compareRuns: {
    title: "Compare Runs",
    does: "Shows the selected runs side by side: curves, evaluations and settings.",
    palette: WITH_RUNS,
    icon: "git-compare",
    menus: rowMenus(RUN, "2_open@2"),
  },
  showSweep: {
    title: "Show Sweep",
    does: "Shows which setting of a sweep mattered.",
    palette: WITH_RUNS,
    icon: "graph-scatter",
    menus: rowMenus(SWEEP, "inline@1", "2_open@1"),
  },
  exportReport: {
    title: "Export Report…",
    does: "Writes a report of the selected runs that opens in any browser, or Markdown for a pull request.",
    palette: WITH_RUNS,
    icon: "share",
    menus: runMenus(RUN, "3_folder@3"),
  },
  searchAllRuns: {
    title: "Search All Runs…",
    does: "Searches the texts of the rollouts of all runs.",
    palette: WITH_RUNS,
    icon: "search",
    menus: [titleMenu("runs", "2_open@2", WITH_RUNS)],
  },
  showAlarm: {
    title: "Show Evidence of an Alarm",
    does: "Opens the dashboard at the metric and the rollouts that triggered an alarm of a run.",
    palette: "tinkerRL.hasAlarms",
    menus: runMenus(onRow("runs", "alarm"), "2_open@4"),
  },
  openSelectedRun: {
    title: "Open Selected Run",
    does: "Opens the selected row of the Runs view.",
    palette: false,
  },
  runMenu: {
    title: "Show Actions for the Run",
    does: "Lists actions for the run in the status bar.",
    palette: false,
  },
  importRun: {
    title: "Open Run Folder…",
    does: "Opens any folder with a `run.json` or `metrics.jsonl`, including those of the Python program.",
    icon: "folder-opened",
    menus: [titleMenu("runs", "2_open@1")],
  },
  refreshRuns: {
    title: "Refresh Runs",
    does: "Reloads the list of runs.",
    icon: "refresh",
    menus: [titleMenu("runs", "3_refresh@1")],
  },
  openRunFolder: {
    title: "Reveal Run Folder",
    does: "Shows a run's folder.",
    palette: WITH_RUNS,
    icon: "folder-opened",
    menus: runMenus(RUN, "3_folder@1"),
  },
  copyRunPath: {
    title: "Copy Run Path",
    does: "Copies the path of a run's folder.",
    palette: WITH_RUNS,
    menus: runMenus(RUN, "3_folder@2"),
  },
  openRunLog: {
    title: "Show Run Log",
    does: "Lists what happened in a run, with times, and follows it live.",
    palette: WITH_RUNS,
    icon: "output",
    menus: runMenus(RUN, "2_open@3"),
  },
  renameRun: {
    title: "Rename Run…",
    does: "Renames a run in the list. Its folder keeps its name.",
    palette: WITH_RUNS,
    icon: "edit",
    menus: runMenus(RUN, "4_keep@1"),
    key: runKey("f2", "f2"),
  },
  archiveRun: {
    title: "Archive Run",
    does: "Removes a run from the list. Its folder and checkpoints are kept.",
    palette: WITH_RUNS,
    icon: "archive",
    menus: runMenus(`${ENDED} && !(${ARCHIVED})`, "4_keep@2"),
  },
  restoreRun: {
    title: "Restore Archived Run",
    does: "Returns an archived run to the list.",
    palette: "tinkerRL.hasArchived",
    menus: rowMenus(ARCHIVED, "4_keep@2"),
  },
  showArchivedRuns: {
    title: "Show Archived Runs",
    does: "Includes archived runs in the list.",
    palette: "tinkerRL.hasArchived && !tinkerRL.archivedShown",
    menus: [titleMenu("runs", "4_archive@1", "!tinkerRL.archivedShown")],
  },
  hideArchivedRuns: {
    title: "Hide Archived Runs",
    does: "Excludes archived runs from the list.",
    palette: "tinkerRL.archivedShown",
    menus: [titleMenu("runs", "4_archive@1", "tinkerRL.archivedShown")],
  },
  deleteRun: {
    title: "Delete Run…",
    does: "Moves a run's folder to the trash, after you confirm. Over SSH, in WSL or a container, where there is no trash, it is deleted. Checkpoints at a service are kept.",
    palette: WITH_RUNS,
    icon: "trash",
    menus: runMenus(ENDED, "5_delete@1"),
    key: runKey("delete", "cmd+backspace"),
  },
} as const satisfies CommandFamily;

/** Commands about runs and their folders; they work on runs that ended, too. */

import { type CommandFamily, inView, ON_CONFIG, onRow, WITH_RUNS } from "./commandRow.ts";

const RUN = onRow("runs", "run");
const ARCHIVED = onRow("runs", "archived");

export const runCommands = {
  openDashboard: {
    title: "Open Dashboard",
    does: "Shows a run's charts, trajectories and checkpoints.",
    palette: WITH_RUNS,
    icon: "graph-line",
    menus: [
      { menu: "view/title", when: inView("runs"), group: "navigation@2" },
      { menu: "view/item/context", when: RUN, group: "inline@1" },
      { menu: "view/item/context", when: RUN, group: "2_open@1" },
      { menu: "editor/title", when: `${ON_CONFIG} && tinkerRL.running`, group: "navigation@2" },
    ],
  },
  openRunsTable: {
    title: "Open Runs Table",
    does: "Lists all runs in a table to sort, filter, group, compare and export.",
    palette: WITH_RUNS,
    icon: "table",
    menus: [{ menu: "view/title", when: inView("runs"), group: "navigation@3" }],
  },
  compareRuns: {
    title: "Compare Runs",
    does: "Shows the selected runs side by side: curves, evaluations and settings.",
    palette: WITH_RUNS,
    icon: "git-compare",
    menus: [{ menu: "view/item/context", when: RUN, group: "2_open@2" }],
  },
  searchAllRuns: {
    title: "Search All Runs…",
    does: "Searches what was said in the rollouts of all runs.",
    palette: WITH_RUNS,
    icon: "search",
    menus: [{ menu: "view/title", when: inView("runs"), group: "2_open@2" }],
  },
  showAlarm: {
    title: "Show What an Alarm Rests On",
    does: "Opens the dashboard at the metric and the rollouts that made an alarm of a run fire.",
    palette: WITH_RUNS,
    menus: [{ menu: "view/item/context", when: onRow("runs", "alarm"), group: "2_open@4" }],
  },
  openSelectedRun: {
    title: "Open Selected Run",
    does: "Opens what the selected row of the Runs view is about.",
    palette: false,
  },
  runMenu: {
    title: "Choose What to Do with the Run",
    does: "Offers what can be done with the run in the status bar.",
    palette: false,
  },
  importRun: {
    title: "Open Run Folder…",
    does: "Opens any folder with a `metrics.jsonl`, also one of the Python program.",
    icon: "folder-opened",
    menus: [{ menu: "view/title", when: inView("runs"), group: "2_open@1" }],
  },
  refreshRuns: {
    title: "Refresh Runs",
    does: "Looks for runs again.",
    icon: "refresh",
    menus: [{ menu: "view/title", when: inView("runs"), group: "3_refresh@1" }],
  },
  openRunFolder: {
    title: "Reveal Run Folder",
    does: "Shows a run's folder.",
    palette: WITH_RUNS,
    icon: "folder-opened",
    menus: [{ menu: "view/item/context", when: RUN, group: "3_folder@1" }],
  },
  copyRunPath: {
    title: "Copy Run Path",
    does: "Copies the path of a run's folder.",
    palette: WITH_RUNS,
    menus: [{ menu: "view/item/context", when: RUN, group: "3_folder@2" }],
  },
  openRunLog: {
    title: "Show Run Log",
    does: "Lists what happened in a run, with times, and follows it live.",
    palette: WITH_RUNS,
    icon: "output",
    menus: [{ menu: "view/item/context", when: RUN, group: "2_open@3" }],
  },
  renameRun: {
    title: "Rename Run…",
    does: "Gives a run another name in the list; its folder stays.",
    palette: WITH_RUNS,
    icon: "edit",
    menus: [{ menu: "view/item/context", when: RUN, group: "4_keep@1" }],
  },
  archiveRun: {
    title: "Archive Run",
    does: "Takes a run out of the list; its folder and its checkpoints stay.",
    palette: WITH_RUNS,
    icon: "archive",
    menus: [{ menu: "view/item/context", when: `${RUN} && !(${ARCHIVED})`, group: "4_keep@2" }],
  },
  restoreRun: {
    title: "Restore Archived Run",
    does: "Puts an archived run back into the list.",
    palette: WITH_RUNS,
    menus: [{ menu: "view/item/context", when: ARCHIVED, group: "4_keep@2" }],
  },
  showArchivedRuns: {
    title: "Show Archived Runs",
    does: "Lists archived runs among the others.",
    palette: `${WITH_RUNS} && !tinkerRL.archivedShown`,
    menus: [
      {
        menu: "view/title",
        when: inView("runs", "!tinkerRL.archivedShown"),
        group: "4_archive@1",
      },
    ],
  },
  hideArchivedRuns: {
    title: "Hide Archived Runs",
    does: "Lists no archived runs.",
    palette: `${WITH_RUNS} && tinkerRL.archivedShown`,
    menus: [
      { menu: "view/title", when: inView("runs", "tinkerRL.archivedShown"), group: "4_archive@1" },
    ],
  },
  deleteRun: {
    title: "Delete Run…",
    does: "Moves a run's folder to the trash, after you confirm; checkpoints at a service stay.",
    palette: WITH_RUNS,
    icon: "trash",
    menus: [{ menu: "view/item/context", when: RUN, group: "5_delete@1" }],
  },
} as const satisfies CommandFamily;
